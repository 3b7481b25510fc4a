//! What was found, as Markdown.

use calor_analysis::MemoryTier;
use harness::{Table, number};

use crate::outcome::Outcome;

pub(crate) fn page(outcomes: &[Outcome], tiers: &[MemoryTier], n_rounds: usize) -> String {
    let tier = |tier: &MemoryTier| {
        format!("{} {} MB at {} GB/s", tier.name, tier.bytes / 1_000_000, number(tier.bytes_per_s / 1e9, 0))
    };
    let tiers: Vec<String> = tiers.iter().map(tier).collect();
    let mut page = format!(
        "# Forecast\n\nRuns at each size: {n_rounds}. Tiers as measured: {}.\n\n## time\n\nCPU time at four times the largest size, \
         forecast from five. Errors are of what was said, as a part of what came.\n\n",
        tiers.join(", ")
    );
    let mut time = Table::new(
        [
            "what",
            "largest, ms",
            "4 x, ms",
            "calor",
            "grows as",
            "inside",
            "interval",
            "power law",
            "normal form",
        ]
        .map(str::to_owned),
    );
    let mut memory = Table::new(["peak at 4 x, MB", "error", "tiers left", "told"].map(str::to_owned));
    for outcome in outcomes {
        let of_time = [
            outcome.about.to_owned(),
            number(outcome.largest / 1e6, 1),
            number(outcome.truth / 1e6, 1),
            signed(outcome.error),
            outcome.growth.clone(),
            if outcome.is_inside { "yes" } else { "no" }.to_owned(),
            format!("{} x", number(outcome.width, 2)),
            signed(outcome.power_law),
            signed(outcome.normal_form),
        ];
        time.row(outcome.kernel, of_time.map(Some));
        let of_memory = [
            number(outcome.peak / 1e6, 2),
            signed(outcome.peak_error),
            outcome.left.join(", "),
            outcome.told.join(", "),
        ];
        memory.row(outcome.kernel, of_memory.map(Some));
    }
    page += &format!("{time}\n## memory\n\n{memory}");
    page
}

fn signed(part: f64) -> String {
    let text = number(100.0 * part, 1);
    format!("{}{text} %", if text.starts_with('-') { "" } else { "+" })
}
