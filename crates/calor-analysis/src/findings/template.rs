//! Texts of users' rules with figures in braces: `{name} is called {calls} times`. A share or another part is told in
//! percent where `%` stands behind it: `{share:%}`. Braces themselves are doubled; but code, which is full of them, is taken
//! as it stands where what they hold is no figure.

use super::expression::{Problem, Scope, Value};

/// A text whose figures are known to exist.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Template {
    parts: Vec<Part>,
}

#[derive(Clone, PartialEq, Debug)]
enum Part {
    Words(String),
    Figure { place: usize, is_percent: bool },
}

impl Template {
    pub(super) fn parse(text: &str, scope: &Scope<'_>) -> Result<Self, Problem> {
        let mut parts = Vec::new();
        let mut words = String::new();
        let mut letters = text.chars().enumerate().peekable();
        while let Some((at, letter)) = letters.next() {
            match letter {
                '{' | '}' if letters.next_if(|(_, next)| *next == letter).is_some() => words.push(letter),
                '{' => {
                    let mut inside = String::new();
                    let end = letters.by_ref().find_map(|(_, letter)| match letter {
                        '}' => Some(()),
                        other => {
                            inside.push(other);
                            None
                        }
                    });
                    let column = at + 1;
                    if end.is_none() {
                        let what = "`{` has no `}`: write a brace that is meant as one twice".to_owned();
                        return Err(Problem { column, what });
                    }
                    parts.push(Part::Words(std::mem::take(&mut words)));
                    parts.push(figure(&inside, column, scope)?);
                }
                '}' => {
                    let what = "`}` without `{`: write a brace that is meant as one twice".to_owned();
                    return Err(Problem { column: at + 1, what });
                }
                other => words.push(other),
            }
        }
        parts.push(Part::Words(words));
        Ok(Self { parts })
    }

    /// Code: braces that do not hold the name of a figure are part of it.
    pub(super) fn code(text: &str, scope: &Scope<'_>) -> Self {
        let (mut parts, mut words, mut rest) = (Vec::new(), String::new(), text);
        while let Some((before, behind)) = rest.split_once('{') {
            words.push_str(before);
            let found = behind
                .split_once('}')
                .and_then(|(inside, rest)| Some((figure(inside, 0, scope).ok()?, rest)));
            match found {
                Some((figure, behind)) => {
                    parts.extend([Part::Words(std::mem::take(&mut words)), figure]);
                    rest = behind;
                }
                None => {
                    words.push('{');
                    rest = behind;
                }
            }
        }
        parts.push(Part::Words(words + rest));
        Self { parts }
    }

    /// The text with its figures.
    pub(super) fn filled(&self, values: &[Option<Value>]) -> String {
        let part = |part: &Part| match part {
            Part::Words(words) => words.clone(),
            Part::Figure { place, is_percent } => match values.get(*place).and_then(Option::as_ref) {
                None => "(not known)".to_owned(),
                Some(Value::Text(text)) => text.clone(),
                Some(Value::Truth(truth)) => truth.to_string(),
                Some(Value::Number(number)) if *is_percent => format!("{} %", shown(100.0 * number)),
                Some(Value::Number(number)) => shown(*number),
            },
        };
        self.parts.iter().map(part).collect()
    }
}

fn figure(inside: &str, column: usize, scope: &Scope<'_>) -> Result<Part, Problem> {
    let (name, is_percent) = match inside.split_once(':') {
        None => (inside, false),
        Some((name, "%")) => (name, true),
        Some((_, other)) => {
            let what = format!("expected `%` or nothing behind `:`, found `{other}`");
            return Err(Problem { column, what });
        }
    };
    match scope.find(name.trim()) {
        Some((place, _)) => Ok(Part::Figure { place, is_percent }),
        None => Err(Problem { column, what: scope.unknown(name.trim()) }),
    }
}

/// Whole numbers as they are, others with three digits that count.
fn shown(number: f64) -> String {
    match number.abs() {
        whole if whole.fract() == 0.0 && whole < 1e15 => format!("{number:.0}"),
        large if large >= 100.0 => format!("{number:.0}"),
        middle if middle >= 10.0 => format!("{number:.1}"),
        middle if middle >= 1.0 => format!("{number:.2}"),
        _ => format!("{number:.3}"),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::findings::expression::Kind;

    const NAMES: [(&str, Kind); 3] = [("calls", Kind::Number), ("name", Kind::Text), ("flops", Kind::Number)];

    fn filled(text: &str) -> Result<String, (usize, String)> {
        let values = [Some(Value::Number(0.4217)), Some(Value::Text("parse".to_owned())), None];
        let template = Template::parse(text, &Scope::new(&NAMES));
        template.map(|template| template.filled(&values)).map_err(|problem| (problem.column, problem.what))
    }

    #[test]
    fn figures_are_filled_in() {
        let told = filled("{name}: {calls} or {calls:%} of {flops}, {{so}} it is").unwrap();
        assert_eq!(told, "parse: 0.422 or 42.2 % of (not known), {so} it is");
        assert_eq!(filled("").unwrap(), "");
        assert_eq!([3.0, 123.4, 12.34, 1.234].map(shown), ["3", "123", "12.3", "1.23"]);
    }

    #[test]
    fn mistakes_are_told_with_their_column() {
        for (text, column, part) in [
            ("a {cals}", 3, "did you mean `calls`?"),
            ("a {calls", 3, "has no `}`"),
            ("a } b", 3, "without"),
            ("{calls:ms}", 1, "expected `%`"),
        ] {
            let (found, what) = filled(text).unwrap_err();
            assert!(found == column && what.contains(part), "{text}: {found}: {what}");
        }
    }

    #[test]
    fn code_keeps_its_braces_but_for_figures() {
        let values = [Some(Value::Number(3.0)), Some(Value::Text("parse".to_owned())), None];
        let filled = |text: &str| Template::code(text, &Scope::new(&NAMES)).filled(&values);
        for code in ["for id in ids { query(id) }", "if a { if b { c() }}", "{", "}", "{{}}", "{cals}", ""] {
            assert_eq!(filled(code), code);
        }
        assert_eq!(filled("for _ in 0..{calls} { {name}() }"), "for _ in 0..3 { parse() }");
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "[{}:%a-z \u{e9}]{0,40}") {
            let _ = filled(&text);
            let _ = Template::code(&text, &Scope::new(&NAMES)).filled(&[]);
        }
    }
}
