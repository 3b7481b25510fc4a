//! Checks a value against a JSON Schema: the few keywords that our schemas use, and no other, so that none is written
//! that nobody checks. Fields that a schema does not describe are problems here, although readers must bear them: a
//! field that is printed is a promise, and a promise is written down.

use serde_json::Value;

/// Words that describe and do not restrict.
const PROSE: [&str; 5] = ["$schema", "$defs", "title", "description", "properties"];

/// What is wrong with `value`, each with its place.
pub(crate) fn problems(schema: &Value, value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    Checker { root: schema, found: &mut found }.check(schema, value, "$");
    found
}

struct Checker<'a> {
    root: &'a Value,
    found: &'a mut Vec<String>,
}

impl Checker<'_> {
    fn check(&mut self, schema: &Value, value: &Value, place: &str) {
        let keywords = schema.as_object().unwrap_or_else(|| panic!("a schema is an object, at {place}"));
        for (keyword, wanted) in keywords {
            match keyword.as_str() {
                word if PROSE.contains(&word) => {}
                "$ref" => {
                    let pointer =
                        wanted.as_str().and_then(|text| text.strip_prefix('#')).expect("a local one");
                    let root = self.root;
                    let meant = root.pointer(pointer).unwrap_or_else(|| panic!("nothing at {pointer}"));
                    self.check(meant, value, place);
                }
                "anyOf" => self.check_choices(wanted, value, place),
                "const" if wanted == value => {}
                "const" => self.tell(place, &format!("expected {wanted}, found {value}")),
                "enum" if wanted.as_array().is_some_and(|words| words.contains(value)) => {}
                "enum" => self.tell(place, &format!("expected one of {wanted}, found {value}")),
                "type" if is_of_type(wanted, value) => {}
                "type" => self.tell(place, &format!("expected {}, found {value}", words(wanted))),
                "minimum" if value.as_f64() >= wanted.as_f64() || !value.is_number() => {}
                "minimum" => self.tell(place, &format!("expected at least {wanted}, found {value}")),
                "minItems" | "maxItems" => {
                    let (n, bound) = (value.as_array().map(Vec::len), wanted.as_u64().map(|n| n as usize));
                    let is_within = |(n, bound): (usize, usize)| {
                        if keyword == "minItems" { n >= bound } else { n <= bound }
                    };
                    if !n.zip(bound).is_none_or(is_within) {
                        self.tell(place, &format!("expected {keyword} {wanted}, found {value}"));
                    }
                }
                "required" => self.check_required(wanted, value, place),
                "items" => {
                    for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                        self.check(wanted, item, &format!("{place}[{index}]"));
                    }
                }
                "additionalProperties" => {}
                other => panic!("the checker does not know `{other}`, at {place}"),
            }
        }
        if keywords.contains_key("properties") || keywords.contains_key("additionalProperties") {
            self.check_fields(schema, value, place);
        }
    }

    fn check_choices(&mut self, choices: &Value, value: &Value, place: &str) {
        let choices = choices.as_array().expect("choices are a list");
        let outcomes = choices.iter().map(|choice| {
            let mut found = Vec::new();
            Checker { root: self.root, found: &mut found }.check(choice, value, place);
            found
        });
        let outcomes: Vec<Vec<String>> = outcomes.collect();
        if !outcomes.iter().any(Vec::is_empty) {
            self.tell(place, &format!("fits none of the choices: {outcomes:?}"));
        }
    }

    fn check_required(&mut self, names: &Value, value: &Value, place: &str) {
        let Some(fields) = value.as_object() else { return };
        for name in names.as_array().into_iter().flatten().filter_map(Value::as_str) {
            if !fields.contains_key(name) {
                self.tell(&format!("{place}.{name}"), "required but missing");
            }
        }
    }

    fn check_fields(&mut self, schema: &Value, value: &Value, place: &str) {
        for (name, inner) in value.as_object().into_iter().flatten() {
            let place = format!("{place}.{name}");
            match schema["properties"].get(name).or_else(|| schema.get("additionalProperties")) {
                Some(described) => self.check(described, inner, &place),
                None => self.tell(&place, "not described"),
            }
        }
    }

    fn tell(&mut self, place: &str, what: &str) {
        self.found.push(format!("{place}: {what}"));
    }
}

fn is_of_type(wanted: &Value, value: &Value) -> bool {
    match wanted {
        Value::Array(choices) => choices.iter().any(|choice| is_of_type(choice, value)),
        _ => match wanted.as_str().expect("a type is a word") {
            "object" => value.is_object(),
            "array" => value.is_array(),
            "string" => value.is_string(),
            "boolean" => value.is_boolean(),
            "null" => value.is_null(),
            "number" => value.is_number(),
            "integer" => value.is_i64() || value.is_u64(),
            other => panic!("there is no type `{other}`"),
        },
    }
}

fn words(types: &Value) -> String {
    match types {
        Value::Array(choices) => choices.iter().map(words).collect::<Vec<_>>().join(" or "),
        _ => types.as_str().unwrap_or_default().to_owned(),
    }
}
