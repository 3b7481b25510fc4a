//! The JSON Schemas of all pages, made from the types.

use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, ReplaceBoolSchemas};
use schemars::{JsonSchema, Schema as Generated};
use serde_json::{Value, json};

use crate::ab::Ab;
use crate::annotation::Annotation;
use crate::baseline::Baselines;
use crate::bench::Bench;
use crate::check::Check;
use crate::compare::Compare;
use crate::confirm::Confirmation;
use crate::doctor::Doctor;
use crate::findings::Findings;
use crate::forecast::Forecast;
use crate::heap::{HeapDifference, HeapReport};
use crate::history::History;
use crate::roofline::Roofline;
use crate::stat::Stat;
use crate::store::Store;
use crate::verify::Verification;
use crate::verify_score::Score;
use crate::what_if::WhatIf;
use crate::{Envelope, Schema};

/// The mark of a field that is absent in some pages and null in others. It is taken off again.
const ABSENT_OR_NULL: &str = "x-absent-or-null";

/// A kind of page, and who prints it.
pub struct PageSchema {
    /// Such as `report/1`.
    pub name: &'static str,
    /// The command line that prints it.
    pub command: &'static str,
    make: fn() -> Generated,
}

/// All kinds of pages; `Machine` is the file that `calor-machine` writes and reads again.
#[must_use]
pub fn schemas<Machine: JsonSchema>() -> Vec<PageSchema> {
    vec![
        page::<Annotation<'_>>("calor annotate FILE FUNCTION --format json"),
        page::<Doctor<'_>>("calor doctor --format json"),
        PageSchema {
            name: "machine/1",
            command: "calor machine --format json",
            make: || named("calor/machine/1", root::<Machine>()),
        },
        page::<Roofline<'_>>("calor roofline FILE --format json"),
        page::<Stat<'_>>("calor stat --format json -- CMD"),
        page::<Ab<'_>>("calor ab --format json 'CMD A' 'CMD B'"),
        page::<Bench<'_>>("calor bench WORKLOAD --format json"),
        page::<HeapReport<'_>>("calor heap FILE --format json"),
        page::<HeapDifference<'_>>("calor heap --diff A B --format json"),
        page::<Findings<'_>>("calor findings FILE --format json"),
        page::<Verification<'_>>("calor verify FINDING --format json 'BEFORE' 'AFTER'"),
        page::<Score<'_>>("calor verify --score --format json"),
        page::<Compare<'_>>("calor compare A B --format json"),
        page::<WhatIf<'_>>("calor whatif FILE --format json"),
        page::<Confirmation<'_>>("calor whatif FILE --confirm --format json -- CMD"),
        page::<Forecast<'_>>("calor forecast FILES --at n=4x --format json"),
        page::<Check>("calor check --format json --baseline NAME -- CMD"),
        page::<History<'_>>("calor history --format json"),
        page::<Store<'_>>("calor store ls --format json"),
        page::<Baselines<'_>>("calor baseline list --format json"),
    ]
}

impl PageSchema {
    /// The schema.
    #[must_use]
    pub fn value(&self) -> Value {
        let mut schema = (self.make)();
        let about = schema.get("description").and_then(Value::as_str).unwrap_or_default();
        let about = format!("{about} More fields may be added; these stay.");
        schema.insert("description".to_owned(), about.into());
        schema.insert("title".to_owned(), self.command.into());
        schema.to_value()
    }
}

fn page<T: Schema + JsonSchema>(command: &'static str) -> PageSchema {
    PageSchema { name: T::NAME.trim_start_matches("calor/"), command, make: enveloped::<T> }
}

/// The description is that of the body: that of the envelope is the same for all.
fn enveloped<T: Schema + JsonSchema>() -> Generated {
    let mut schema = named(T::NAME, root::<Envelope<'_, T>>());
    let about = root::<T>().remove("description").unwrap_or_default();
    schema.insert("description".to_owned(), about);
    schema
}

fn named(name: &str, mut schema: Generated) -> Generated {
    schema
        .pointer_mut("/properties/schema")
        .expect("every page has it")
        .clone_from(&json!({ "const": name }));
    schema
}

fn root<T: JsonSchema>() -> Generated {
    let settings = SchemaSettings::draft2020_12()
        .for_serialize()
        .with_transform(ReplaceBoolSchemas::default())
        .with_transform(RecursiveTransform(plain));
    settings.into_generator().into_root_schema_for::<T>()
}

/// Takes off what is Rust's and no promise, and the null of fields that are absent instead.
fn plain(schema: &mut Generated) {
    for word in ["format", "maximum", "default"] {
        schema.remove(word);
    }
    if let Some(Value::String(about)) = schema.get_mut("description") {
        *about = about.split_whitespace().collect::<Vec<_>>().join(" ");
    }
    let required = schema.get("required").cloned().unwrap_or_default();
    let is_required = |name: &str| required.as_array().is_some_and(|names| names.iter().any(|it| it == name));
    for (name, field) in schema.get_mut("properties").and_then(Value::as_object_mut).into_iter().flatten() {
        let is_marked = field.as_object_mut().is_some_and(|field| field.remove(ABSENT_OR_NULL).is_some());
        if !is_marked && !is_required(name) {
            without_null(field);
        }
    }
}

fn without_null(field: &mut Value) {
    let Some(field) = field.as_object_mut() else { return };
    if let Some(Value::Array(types)) = field.get_mut("type") {
        types.retain(|name| name != "null");
        if let [one] = &types[..] {
            let one = one.clone();
            field.insert("type".to_owned(), one);
        }
    }
    if let Some(Value::Array(words)) = field.get_mut("enum") {
        words.retain(|word| !word.is_null());
    }
    if let Some(Value::Array(choices)) = field.get_mut("anyOf") {
        choices.retain(|choice| choice["type"] != "null");
        if let [Value::Object(one)] = &choices[..] {
            let one = one.clone();
            field.remove("anyOf");
            field.extend(one);
        }
    }
}
