//! Part `whole`: what profiling the inferences of `calor bench model --enhanced` costs, and whether such runs compare as they
//! should: those of one build as the same, and those of a build with a slower kernel as slower, by that kernel.

mod comparisons;
mod cost;

use harness::{Arguments, Bound, Goal};

use crate::part::{Part, Told};

pub(crate) const PART: Part = Part {
    name: "whole",
    about: "what profiling a run costs, and whether runs compare as they should",
    measure,
    be: cost::be,
};

fn measure(arguments: &Arguments) -> Result<Told, String> {
    let mut told = Told::default();
    for section in [cost::measure, comparisons::same, comparisons::slowed] {
        // One that fails must not take the others with it.
        match section(arguments) {
            Ok(found) => {
                told.page += &found.page;
                told.goals.extend(found.goals);
            }
            Err(message) => {
                told.page += &format!("not measured: {message}\n");
                told.goals.push(missing(message));
            }
        }
        told.page += "\n";
    }
    Ok(told)
}

fn missing(message: String) -> Goal {
    let what = "a section of this part".to_owned();
    Goal { case: PART.name, what, unit: "section", bound: Bound::AtLeast(1.0), measured: Err(message) }
}
