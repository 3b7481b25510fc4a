//! How good the built-in workloads are: our kernels beside BLAS and a good GEMM, the model beside candle's own way, figures
//! beside those of the tools of the field; what profiling a run costs, and whether two runs compare as they should. One file
//! for each part.

mod compression;
mod model;
mod part;
mod simd;
mod tokenizer;
mod whole;

use std::process::ExitCode;

use harness::{Arguments, Bound, Goal, choose};

use part::{Part, Told};

/// As the command has it: what is told is told with this in it.
#[global_allocator]
static ALLOCATOR: calor::Alloc = calor::Alloc::sums(std::alloc::System);

const HELP: &str = "\
cargo xtask bench workloads [--quick] [--only PART,PART] [--rounds N]

parts: simd, model, tokenizer, compression, whole
--rounds N is how often each side of a part is measured; otherwise each part knows, and takes fewer with --quick
";

const PARTS: [Part; 5] = [simd::PART, model::PART, tokenizer::PART, compression::PART, whole::PART];

fn main() -> ExitCode {
    let outcome = Arguments::parse(std::env::args().skip(1)).and_then(|arguments| {
        if arguments.is_help {
            print!("{HELP}");
            return Ok(());
        }
        // A process that a part starts is told so by `--case part:what`.
        if let Some((name, what)) = arguments.case.as_deref().and_then(|case| case.split_once(':')) {
            let part = PARTS.iter().find(|part| part.name == name).ok_or("there is no such part")?;
            return (part.be)(what, &arguments);
        }
        let chosen = choose(&PARTS, arguments.only.as_deref(), "parts", |part| part.name)?;
        let mut goals: Vec<Goal> = Vec::new();
        for part in &chosen {
            eprintln!("{} ...", part.name);
            let told = measured(part, &arguments);
            println!("\n## {}: {}\n\n{}", part.name, part.about, told.page.trim_end());
            goals.extend(told.goals);
        }
        println!("{}", Goal::markdown(&goals, |_| true));
        Ok(())
    });
    harness::exit(outcome)
}

/// What a part found. One that fails, or panics, must not take the others with it; the goals say that it is missing.
fn measured(part: &Part, arguments: &Arguments) -> Told {
    let outcome = std::panic::catch_unwind(|| (part.measure)(arguments));
    outcome.unwrap_or_else(|_| Err("it panicked".to_owned())).unwrap_or_else(|message| {
        let goal = Goal {
            case: part.name,
            what: part.about.to_owned(),
            unit: "part",
            bound: Bound::AtLeast(1.0),
            measured: Err(message.clone()),
        };
        Told { page: format!("not measured: {message}"), goals: vec![goal] }
    })
}
