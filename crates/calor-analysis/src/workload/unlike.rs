//! Sides that ran different models, or the same ones with more or longer texts: neither is a version of the other.

use std::collections::{BTreeMap, BTreeSet};

use calor_model::{Profile, Warning};

use super::models::{ModelRun, SIZES, models};
use crate::quantity::{count, counted};

/// Why sides are not two versions of one thing, with what each did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unlike {
    /// They ran different models.
    Models([String; 2]),
    /// Their inferences with the same models read or wrote other numbers of tokens.
    Lengths([String; 2]),
}

impl Unlike {
    /// What tells the sides apart; `None` where they did the same, or did not run models.
    pub(crate) fn of(sides: [&[&Profile]; 2]) -> Option<Self> {
        let sides = sides.map(|side| {
            let of_side = side.iter().flat_map(|profile| models(profile));
            // Scopes of any program may have a label `model`; only those with the phases of inferences are known to be such.
            of_side.filter(|model| model.prefill.is_some() || model.decode.is_some()).collect::<Vec<_>>()
        });
        other_models(&sides).map(Self::Models).or_else(|| other_lengths(&sides).map(Self::Lengths))
    }

    /// How much longer one side takes is no regression.
    pub(crate) fn remark(&self) -> Warning {
        match self {
            Self::Models([before, after]) => Warning::new(
                "other_models",
                format!(
                    "{before} before and {after} after are different models and not two versions of one, so nothing here is a \
                     regression; `calor compare --models A B` tells how time grows with their size"
                ),
            ),
            Self::Lengths([before, after]) => Warning::new(
                "other_work",
                format!(
                    "inferences had to do different work, {before} before and {after} after, so nothing here is a regression: record \
                     both with the same --tokens and --prompt"
                ),
            ),
        }
    }
}

/// The models of the sides, where they are of different ones.
fn other_models(sides: &[Vec<ModelRun>; 2]) -> Option<[String; 2]> {
    let [before, after] =
        sides.each_ref().map(|side| side.iter().map(Model::of).collect::<BTreeSet<Model>>());
    if before.is_empty() || after.is_empty() || are_same([&before, &after]) {
        return None;
    }
    let sides = [before, after];
    let [former, latter] = sides.each_ref().map(|side| listed(side, |model| model.name.clone()));
    // Models of one name are told by their sizes.
    Some(match former != latter {
        true => [former, latter],
        false => sides.each_ref().map(|side| listed(side, Model::in_words)),
    })
}

/// What inferences of the same models read and wrote, where that is not the same.
fn other_lengths(sides: &[Vec<ModelRun>; 2]) -> Option<[String; 2]> {
    // Older runs do not tell their prompts.
    let has_prompts = sides.iter().flatten().all(|model| model.prompt_tokens.is_some());
    // As they were found to be the same.
    let is_sized = sides.iter().flatten().all(|model| model.size("parameters").is_some());
    let by_model = |side: &Vec<ModelRun>| {
        let mut lengths: BTreeMap<(String, Option<u64>), BTreeSet<String>> = BTreeMap::new();
        for model in side.iter().filter(|model| model.inferences > 0 && model.tokens > 0) {
            let key = match model.size("parameters").filter(|_| is_sized) {
                None => (model.name.clone(), None),
                parameters => (String::new(), parameters),
            };
            lengths.entry(key).or_default().insert(length(model, has_prompts));
        }
        lengths
    };
    let lengths = sides.each_ref().map(by_model);
    if lengths.iter().any(BTreeMap::is_empty) || lengths[0] == lengths[1] {
        return None;
    }
    Some(sides.each_ref().map(|side| {
        let lengths: BTreeSet<String> = side.iter().map(|model| length(model, has_prompts)).collect();
        let each = |model: &ModelRun| format!("{} ({})", length(model, has_prompts), model.name);
        match lengths.len() {
            1 => lengths.into_iter().collect(),
            _ => side.iter().map(each).collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join(", "),
        }
    }))
}

/// What one inference does. Runs that were merged may have inferences of several lengths.
fn length(model: &ModelRun, has_prompts: bool) -> String {
    let each = |tokens: u64| (tokens + model.inferences / 2) / model.inferences.max(1);
    let tokens = counted(each(model.tokens), "token");
    match model.prompt_tokens.filter(|_| has_prompts) {
        Some(prompt) => format!("{tokens} after a prompt of {}", count(each(prompt))),
        None => tokens,
    }
}

/// Whether both sides are of the same models: by sizes where all of them tell these, since weights of one architecture may be
/// files of other names and `custom` may be of any size; by names otherwise.
fn are_same(sides: [&BTreeSet<Model>; 2]) -> bool {
    let is_sized = sides.iter().all(|side| side.iter().all(|model| !model.sizes.is_empty()));
    let [before, after] = sides.map(|side| {
        let key = |model: &Model| match is_sized {
            true => (String::new(), model.sizes.clone()),
            false => (model.name.clone(), BTreeMap::new()),
        };
        side.iter().map(key).collect::<BTreeSet<_>>()
    });
    before == after
}

fn listed(side: &BTreeSet<Model>, name: impl Fn(&Model) -> String) -> String {
    side.iter().map(name).collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join(", ")
}

/// What tells a model from others.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Model {
    name: String,
    sizes: BTreeMap<&'static str, u64>,
}

impl Model {
    fn of(run: &ModelRun) -> Self {
        let sizes = SIZES.into_iter().filter_map(|size| Some((size, run.size(size)?))).collect();
        Self { name: run.name.clone(), sizes }
    }

    /// Its name and sizes.
    fn in_words(&self) -> String {
        let sizes = self.sizes.iter().map(|(name, value)| format!("{name} {}", count(*value)));
        format!("{} ({})", self.name, sizes.collect::<Vec<_>>().join(", "))
    }
}
