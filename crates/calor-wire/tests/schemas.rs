//! The schemas that are made from the types.

use calor_machine::MachineFile;
use calor_wire::schemas;
use serde_json::Value;

/// What readers of schemas have to know of JSON Schema, and no more.
const KEYWORDS: [&str; 15] = [
    "$defs",
    "$ref",
    "$schema",
    "additionalProperties",
    "anyOf",
    "const",
    "description",
    "enum",
    "items",
    "maxItems",
    "minItems",
    "minimum",
    "properties",
    "required",
    "title",
];

/// Calls `visit` with each schema inside `schema`, and its place.
fn each(schema: &Value, place: &str, visit: &mut dyn FnMut(&Value, &str)) {
    visit(schema, place);
    for map in ["properties", "$defs"] {
        for (name, inner) in schema[map].as_object().into_iter().flatten() {
            each(inner, &format!("{place}.{name}"), visit);
        }
    }
    for (at, inner) in schema["anyOf"].as_array().into_iter().flatten().enumerate() {
        each(inner, &format!("{place}({at})"), visit);
    }
    for list in ["items", "additionalProperties"] {
        if let Some(inner) = schema.get(list) {
            each(inner, &format!("{place}[]"), visit);
        }
    }
}

#[test]
fn every_schema_begins_alike_and_says_what_it_is_about() {
    for page in schemas::<MachineFile>() {
        let schema = page.value();
        assert_eq!(schema["properties"]["schema"]["const"], format!("calor/{}", page.name));
        for field in ["schema", "calor", "warnings"] {
            let required = schema["required"].as_array().expect("a list");
            assert!(required.iter().any(|name| name == field), "{}: {field}", page.name);
        }
        let about = schema["description"].as_str().expect("a text");
        assert!(about.ends_with(". More fields may be added; these stay."), "{}: {about}", page.name);
    }
}

#[test]
fn schemas_use_few_words_of_json_schema_and_describe_every_value() {
    for page in schemas::<MachineFile>() {
        each(&page.value(), page.name, &mut |schema, place| {
            let schema = schema.as_object().unwrap_or_else(|| panic!("{place}: {schema} is no object"));
            for word in schema.keys().filter(|word| *word != "type") {
                assert!(KEYWORDS.contains(&word.as_str()), "{place}: {word}");
            }
        });
    }
}

#[test]
fn a_field_that_may_be_absent_is_not_null_instead() {
    for page in schemas::<MachineFile>() {
        each(&page.value(), page.name, &mut |schema, place| {
            let required = schema["required"].as_array();
            let is_required = |name: &str| required.is_some_and(|names| names.iter().any(|it| it == name));
            let optional = schema["properties"].as_object().into_iter().flatten();
            for (name, field) in optional.filter(|(name, _)| !is_required(name)) {
                let is_marked = ["unexplained", "explained", "smallest_detectable"].contains(&name.as_str());
                let types = field["type"].as_array();
                let has_null = types.is_some_and(|types| types.iter().any(|it| it == "null"));
                assert!(is_marked || !has_null, "{place}.{name} may be absent and null");
            }
        });
    }
}
