//! What follows from the figures of a model, and why some of them are missing. Nothing is advised by figures that other programs
//! disturbed.

use calor_analysis::quantity::count;
use calor_report::bench::{Advice, Bench, Figure};

use super::{Choice, Measured, Place, Roof};

/// From so many per cent of its roof on there is little to gain there, as `docs/roofline.md` has it.
const NEAR_ROOF: f64 = 70.0;
/// The part of the time of decoding that may be lost before figures count as disturbed.
const DISTURBED: f64 = 0.2;

/// What to do about one model; what was not seen of it.
pub(super) fn tell(choice: &Choice, model: &Measured, figures: &[Figure], bench: &mut Bench) {
    // Of a GPU neither the CPU time nor the roofs are those of what computes.
    if choice.place != Place::Cpu {
        return;
    }
    let roof = choice.roof.as_ref();
    if model.lost() > DISTURBED {
        bench.warn("disturbed", disturbed(model, figures));
    } else if let Some(advice) = roof.and_then(|roof| advice(choice, model, roof, figures)) {
        bench.advice.push(advice);
    }
    if let Some(message) = roof.and_then(|roof| no_bandwidth(choice, model, roof)) {
        bench.warn("no_roof", message);
    }
}

/// What to know of several threads, and why roofs are missing that are those of all models.
pub(super) fn tell_of_threads(choice: &Choice, measured: &[Measured], bench: &mut Bench) {
    if choice.place != Place::Cpu {
        return;
    }
    let threads = choice.threads;
    match &choice.roof {
        None if threads == 1 => bench.warn(
            "no_roof",
            "what this machine can do is not known, so shares of its roofs are not available",
        ),
        None => bench.warn(
            "no_roof",
            format!(
                "shares of roofs are not available with {threads} threads: what this machine can do was measured with one core and \
                 with all of them, not with some"
            ),
        ),
        Some(roof) if roof.flops_per_s.is_none() => bench.warn(
            "no_roof",
            format!(
                "the compute roof is not available: what {} can compute was not measured; `calor machine --fresh` measures it \
                 when less runs",
                cores(threads)
            ),
        ),
        Some(_) => {}
    }
    if threads > 1 {
        let names: Vec<&str> = measured.iter().map(|model| model.name.as_str()).collect();
        bench.advice.push(Advice {
            title: "See whether one thread is quicker.".to_owned(),
            text: "The outputs of matrices of 512 KiB and more are shared, and threads are woken for each: small products are \
                   quicker on one thread."
                .to_owned(),
            evidence: vec![format!(
                "the same on one thread, to be held against this run: --threads 1 (of {})",
                names.join(", ")
            )],
        });
    }
}

fn advice(choice: &Choice, model: &Measured, roof: &Roof, figures: &[Figure]) -> Option<Advice> {
    let tier = model.tier(roof)?;
    // As it is shown.
    let share = median(figures, "bandwidth roof")?.round();
    let name = &model.name;
    let (title, text) = if share >= NEAR_ROOF {
        (
            format!("Decoding of the {name} model is near the roof of memory."),
            "Each token reads all weights once: weights of fewer bits, or several sequences at a time, are what makes it \
             faster.",
        )
    } else {
        (
            format!("Decoding of the {name} model does not wait for memory alone."),
            "Besides reading weights, each operation has costs of its own, which several sequences at a time share.",
        )
    };
    let evidence = vec![format!(
        "decode moves {share:.0} % of what {} delivers to {}",
        tier.name,
        cores(choice.threads)
    )];
    Some(Advice { title, text: text.to_owned(), evidence })
}

fn disturbed(model: &Measured, figures: &[Figure]) -> String {
    let name = &model.name;
    let written = median(figures, "decode").unwrap_or_default();
    let usual = model.usual_rate().unwrap_or_default();
    format!(
        "other programs disturbed the {name} model: {:.0} % of the time of decoding was not that of its tokens, so it wrote {} \
         tokens/s, where what tokens usually take, or their CPU time, comes to {}; nothing is advised by that: run it again when less runs",
        100.0 * model.lost(),
        count(written.round() as u64),
        count(usual.round() as u64),
    )
}

/// Why a model has no share of what memory delivers.
fn no_bandwidth(choice: &Choice, model: &Measured, roof: &Roof) -> Option<String> {
    let tier = model.tier(roof).filter(|tier| tier.bytes_per_s.is_none())?;
    let (name, tier) = (&model.name, &tier.name);
    // Of the tiers that cores share, main memory alone is measured with all of them.
    let cure = match choice.threads {
        1 => "; `calor machine --fresh` measures it when less runs",
        _ if tier == "DRAM" => "; `calor machine --fresh` measures it when less runs",
        _ => ": of tiers of memory, main memory alone is measured with all cores",
    };
    Some(format!(
        "the bandwidth roof of the {name} model is not available: its weights fit into {tier}, and what that delivers to {} was not \
         measured{cure}",
        cores(choice.threads)
    ))
}

fn cores(threads: u32) -> String {
    if threads == 1 { "one thread".to_owned() } else { format!("all {threads} cores at once") }
}

fn median(figures: &[Figure], case: &str) -> Option<f64> {
    figures.iter().find(|figure| figure.case == case).map(|figure| figure.median)
}

#[cfg(test)]
mod tests {
    use super::super::measured::tests::measured;
    use super::super::{RoofTier, Size};
    use super::*;
    use crate::model::Preset;

    fn told(model: &Measured, threads: u32, bytes_per_s: Option<f64>) -> Bench {
        let tiers = vec![RoofTier { name: "L3".to_owned(), bytes: None, bytes_per_s }];
        let roof = Some(Roof { flops_per_s: Some(1e10), tiers });
        let choice = Choice { sizes: vec![Size::Preset(Preset::Small)], threads, roof, ..Choice::default() };
        let mut bench = Bench::new("model", "x");
        let model = Measured { threads, ..model.clone() };
        tell(&choice, &model, &model.figures(choice.roof.as_ref()), &mut bench);
        tell_of_threads(&choice, &[model], &mut bench);
        bench
    }

    /// Memory that delivers so much that decoding with 1 ms a token moves such a share of it.
    fn roof_for(model: &Measured, share: f64) -> Option<f64> {
        let tiers = vec![RoofTier { name: "L3".to_owned(), bytes: None, bytes_per_s: Some(1e9) }];
        let at = model.figures(Some(&Roof { flops_per_s: None, tiers }));
        Some(1e9 * median(&at, "bandwidth roof").expect("it is known") / share)
    }

    #[test]
    fn the_roof_is_near_from_seventy_per_cent_on() {
        let model = measured(vec![1_000_000; 20]);
        for (share, expected) in
            [(65.0, "memory alone"), (69.0, "memory alone"), (69.6, "near the roof"), (71.0, "near the roof")]
        {
            let bench = told(&model, 1, roof_for(&model, share));
            assert!(bench.advice[0].title.contains(expected), "{share}: {:?}", bench.advice);
            assert!(bench.warnings.is_empty(), "{:?}", bench.warnings);
        }
    }

    #[test]
    fn nothing_is_advised_by_figures_that_others_disturbed() {
        let mut model = measured(vec![1_000_000; 20]);
        let roof = roof_for(&model, 80.0);
        model.answers.iter_mut().for_each(|answer| answer.next_nanos[..4].fill(9_000_000));
        let bench = told(&model, 1, roof);
        assert!(bench.advice.is_empty(), "{:?}", bench.advice);
        let warning = bench.warnings.first().expect("it is told");
        assert_eq!(warning.code, "disturbed");
        assert!(warning.message.contains("385 tokens/s") && warning.message.contains("1,000"), "{warning:?}");
    }

    #[test]
    fn tokens_that_are_all_slowed_are_told_by_their_cpu_time() {
        // Each took two turns of the processor: their p50 is as slow as they are.
        let mut model = measured(vec![2_000_000; 20]);
        model.answers.iter_mut().for_each(|answer| answer.next_cpu_nanos /= 2);
        let message = &told(&model, 1, None).warnings[0].message;
        assert!(message.contains("50 %") && message.contains("500 tokens/s"), "{message}");
        assert!(message.contains("comes to 1,000;"), "{message}");
    }

    #[test]
    fn several_threads_are_told_to_be_compared_with_one_and_why_there_is_no_roof() {
        let model = measured(vec![1_000_000; 20]);
        let bench = told(&model, 2, None);
        assert!(bench.advice[0].evidence[0].contains("--threads 1"), "{:?}", bench.advice);
        let message = &bench.warnings[0].message;
        assert!(message.contains("L3") && message.contains("all 2 cores at once"), "{message}");
    }
}
