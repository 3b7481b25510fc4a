//! The cases: pairs of implementations with one planted cause each.

use std::path::Path;
use std::process::Command;

use harness::Folder;
use harness::watched::finished;

/// The operation and its mutants, which the command's own tests explain, too.
const PROGRAM: &str = include_str!("../../../crates/calor-cli/tests/why/programs/operation.rs");
/// Another operation, in C, that was first explained when the causes were done.
const PRODUCTS: &str = include_str!("products.c");
/// A third, whose mutants have what shows in no loop.
const SCALING: &str = include_str!("scaling.c");
const NUMPY: &str = include_str!("numpy_pairs.py");

/// One pair.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    /// The causes of which one has to be named first.
    pub(crate) planted: &'static [&'static str],
    kind: Kind,
}

enum Kind {
    /// A variant of the operation against the good one.
    Mutant,
    /// The same of the other operation.
    Product(&'static str),
    /// Commands that a shell runs, with the size in a variable.
    Shell,
    /// Two variants of the third, sizes, and further words.
    Scaling([&'static str; 2], &'static str, &'static [&'static str]),
    /// Two functions, and further words.
    Numpy([&'static str; 2], &'static [&'static str]),
}

const fn mutant(name: &'static str, planted: &'static [&'static str]) -> Case {
    Case { name, planted, kind: Kind::Mutant }
}

const fn product(name: &'static str, variant: &'static str, planted: &'static [&'static str]) -> Case {
    Case { name, planted, kind: Kind::Product(variant) }
}

pub(crate) const CASES: [Case; 25] = [
    mutant("scalar", &["scalar_code"]),
    mutant("copy", &["copies"]),
    mutant("extra_pass", &["extra_pass"]),
    mutant("overhead", &["call_overhead"]),
    mutant("dispatch", &["dispatch"]),
    mutant("strided", &["strided_access"]),
    mutant("upcast", &["upcast"]),
    mutant("lock", &["lock"]),
    product("product-scalar", "scalar", &["scalar_code"]),
    product("product-copy", "copy", &["copies"]),
    product("product-pass", "pass", &["extra_pass"]),
    product("product-overhead", "overhead", &["call_overhead"]),
    product("product-dispatch", "dispatch", &["dispatch"]),
    product("product-stride", "stride", &["strided_access"]),
    product("product-upcast", "upcast", &["upcast"]),
    product("product-lock", "lock", &["lock"]),
    Case {
        name: "waiting",
        planted: &["waiting"],
        kind: Kind::Scaling(["good", "waiting"], "1k,4k,16k,64k", &[]),
    },
    Case {
        name: "threads",
        planted: &["threads"],
        kind: Kind::Scaling(["two-threads", "one-thread"], "256k,512k,1M", &[]),
    },
    Case {
        name: "bandwidth",
        planted: &["bandwidth"],
        kind: Kind::Scaling(["good", "elsewhere"], "1k,4k,256k,1M,8M", &[]),
    },
    Case {
        name: "instructions",
        planted: &["more_instructions"],
        kind: Kind::Scaling(["widths", "widths-by-hand"], "1k,4k,16k", &["--simulate"]),
    },
    Case { name: "instructions-by-shell", planted: &["more_instructions"], kind: Kind::Shell },
    Case {
        name: "numpy-loop",
        planted: &["interpreter"],
        kind: Kind::Numpy(["numpy:add", "add_in_a_loop"], &["--sizes", "256,1k,4k"]),
    },
    Case {
        name: "numpy-double",
        planted: &["upcast"],
        kind: Kind::Numpy(
            ["numpy:add", "numpy:add"],
            &["--dtype", "float32,float64", "--sizes", "1k,4k,16k,64k"],
        ),
    },
    Case {
        name: "numpy-strided",
        planted: &["strided_access"],
        kind: Kind::Numpy(["add_rows", "add_columns"], &["--shape", "1024x1024", "--sizes", "64k,256k,1M"]),
    },
    Case {
        name: "numpy-temporaries",
        planted: &["copies"],
        kind: Kind::Numpy(["scaled_in_place", "scaled_by_temporaries"], &["--sizes", "4k,64k,256k,1M"]),
    },
];

impl Case {
    pub(crate) fn is_mutant(&self) -> bool {
        matches!(self.kind, Kind::Mutant)
    }

    /// Gives a command the words that name the pair.
    pub(crate) fn name_pair(&self, folder: &Path, command: &mut Command) {
        match &self.kind {
            Kind::Mutant => {
                let sizes = "256,1k,4k,16k,64k,256k,1M";
                commands(folder, "operation", ["good", self.name], sizes, command);
            }
            Kind::Product(variant) => {
                commands(folder, "products", ["good", variant], "128,1k,4k,32k,256k", command);
            }
            Kind::Scaling(variants, sizes, words) => {
                command.args(*words);
                commands(folder, "scaling", *variants, sizes, command);
            }
            Kind::Shell => {
                command.args(["--simulate", "--sizes", "1k,4k,16k"]).current_dir(folder);
                let side = |variant: &str| format!("./scaling {variant} $CALOR_SIZE ${{CALOR_CALLS}}");
                command.args(["widths", "widths-by-hand"].map(side));
            }
            Kind::Numpy(functions, words) => {
                let python = std::env::var_os("PYTHON").unwrap_or_else(|| "python3".into());
                command.args(["--python", "--interpreter"]).arg(python);
                command.arg("--setup").arg(folder.join("numpy_pairs.py")).args(*words).args(functions);
            }
        }
    }
}

/// One variant of a program against another.
fn commands(folder: &Path, program: &str, variants: [&str; 2], sizes: &str, command: &mut Command) {
    command.args(["--sizes", sizes]);
    for variant in variants {
        command.arg("--").arg(folder.join(program)).args([variant, "{n}", "{calls}"]);
    }
}

/// Makes what the cases need.
pub(crate) fn prepare() -> Result<Folder, String> {
    let folder = Folder::new("why")?;
    let write = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text)
            .map_err(|error| format!("cannot write {name}: {error}"))
    };
    write("operation.rs", PROGRAM)?;
    write("products.c", PRODUCTS)?;
    write("scaling.c", SCALING)?;
    write("numpy_pairs.py", NUMPY)?;
    // Vectors of 256 bits: what most machines have.
    let mut rustc = Command::new("rustc");
    rustc.args(["--edition", "2024", "-O", "-g", "-C", "target-cpu=x86-64-v3", "operation.rs"]);
    finished(rustc.current_dir(folder.path()), "rustc has to be on the PATH")?;
    for program in ["products", "scaling"] {
        let mut cc = Command::new("cc");
        cc.args(["-O3", "-g", "-march=x86-64-v3", "-pthread", "-o", program]).arg(format!("{program}.c"));
        finished(cc.current_dir(folder.path()), "a C compiler has to be on the PATH")?;
    }
    Ok(folder)
}
