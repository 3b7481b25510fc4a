//! What users write in the conditions and gains of their rules: numbers, texts in quotes, names of figures, `+ - * /`,
//! comparisons, `&& || !`, and a few functions. Types are checked when a rule is read, so that an expression that was read
//! can only fail to have a value where a figure was not recorded.

mod parser;
mod token;

pub(super) use parser::Scope;

/// What a value is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Number,
    Text,
    Truth,
}

impl Kind {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Number => "a number",
            Self::Text => "a text",
            Self::Truth => "true or false",
        }
    }
}

/// A value.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Value {
    Number(f64),
    Text(String),
    Truth(bool),
}

/// What is wrong with a text, and in which column of it, from 1 on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Problem {
    pub(super) column: usize,
    pub(super) what: String,
}

/// An expression whose types fit.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Expression {
    root: Node,
    kind: Kind,
}

#[derive(Clone, PartialEq, Debug)]
enum Node {
    Value(Value),
    /// A name, by its place among those of the scope.
    Name(usize),
    Not(Box<Node>),
    Negative(Box<Node>),
    Pair(Operator, Box<Node>, Box<Node>),
    Call(Function, Vec<Node>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    And,
    Or,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Function {
    Min,
    Max,
    Ln,
    Contains,
    StartsWith,
    EndsWith,
}

impl Expression {
    /// Reads an expression that has to be of a kind, over the names of a scope.
    pub(super) fn parse(text: &str, kind: Kind, scope: &Scope<'_>) -> Result<Self, Problem> {
        let (root, found) = parser::parse(text, scope)?;
        if found != kind {
            let what = format!("expected {}, found {}", kind.word(), found.word());
            return Err(Problem { column: 1, what });
        }
        Ok(Self { root, kind })
    }

    /// Its value, where `values` are those of the scope's names; `None` where a figure that counts is not known.
    fn value(&self, values: &[Option<Value>]) -> Option<Value> {
        self.root.value(values)
    }

    /// The value of a number.
    pub(super) fn number(&self, values: &[Option<Value>]) -> Option<f64> {
        match self.value(values)? {
            Value::Number(number) => Some(number),
            _ => None,
        }
    }

    /// Whether a condition holds. One that is not known does not.
    pub(super) fn holds(&self, values: &[Option<Value>]) -> bool {
        self.value(values) == Some(Value::Truth(true))
    }
}

impl Node {
    fn value(&self, values: &[Option<Value>]) -> Option<Value> {
        match self {
            Self::Value(value) => Some(value.clone()),
            Self::Name(place) => values.get(*place).cloned().flatten(),
            Self::Not(of) => Some(Value::Truth(!of.truth(values)?)),
            Self::Negative(of) => Some(Value::Number(-of.number(values)?)),
            Self::Pair(operator, left, right) => pair(*operator, left, right, values),
            Self::Call(function, arguments) => call(*function, arguments, values),
        }
    }

    fn number(&self, values: &[Option<Value>]) -> Option<f64> {
        match self.value(values)? {
            Value::Number(number) => Some(number),
            _ => None,
        }
    }

    fn truth(&self, values: &[Option<Value>]) -> Option<bool> {
        match self.value(values)? {
            Value::Truth(truth) => Some(truth),
            _ => None,
        }
    }

    fn text(&self, values: &[Option<Value>]) -> Option<String> {
        match self.value(values)? {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }
}

fn pair(operator: Operator, left: &Node, right: &Node, values: &[Option<Value>]) -> Option<Value> {
    let numbers = || Some((left.number(values)?, right.number(values)?));
    let number = |of: fn(f64, f64) -> f64| numbers().map(|(left, right)| Value::Number(of(left, right)));
    let truth = |of: fn(&f64, &f64) -> bool| numbers().map(|(left, right)| Value::Truth(of(&left, &right)));
    match operator {
        Operator::Add => number(|left, right| left + right),
        Operator::Subtract => number(|left, right| left - right),
        Operator::Multiply => number(|left, right| left * right),
        Operator::Divide => number(|left, right| left / right),
        Operator::Less => truth(f64::lt),
        Operator::LessOrEqual => truth(f64::le),
        Operator::Greater => truth(f64::gt),
        Operator::GreaterOrEqual => truth(f64::ge),
        Operator::Equal => Some(Value::Truth(left.value(values)? == right.value(values)?)),
        Operator::NotEqual => Some(Value::Truth(left.value(values)? != right.value(values)?)),
        // What decides alone need not know the other.
        Operator::And => match (left.truth(values), right.truth(values)) {
            (Some(false), _) | (_, Some(false)) => Some(Value::Truth(false)),
            (left, right) => Some(Value::Truth(left? && right?)),
        },
        Operator::Or => match (left.truth(values), right.truth(values)) {
            (Some(true), _) | (_, Some(true)) => Some(Value::Truth(true)),
            (left, right) => Some(Value::Truth(left? || right?)),
        },
    }
}

fn call(function: Function, arguments: &[Node], values: &[Option<Value>]) -> Option<Value> {
    let numbers = || arguments.iter().map(|argument| argument.number(values)).collect::<Option<Vec<f64>>>();
    let texts = |of: fn(&str, &str) -> bool| match arguments {
        [text, part] => Some(Value::Truth(of(&text.text(values)?, &part.text(values)?))),
        _ => None,
    };
    match function {
        Function::Min => Some(Value::Number(numbers()?.into_iter().reduce(f64::min)?)),
        Function::Max => Some(Value::Number(numbers()?.into_iter().reduce(f64::max)?)),
        Function::Ln => Some(Value::Number(numbers()?.first()?.ln())),
        Function::Contains => texts(|text, part| text.contains(part)),
        Function::StartsWith => texts(|text, part| text.starts_with(part)),
        Function::EndsWith => texts(|text, part| text.ends_with(part)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NAMES: [(&str, Kind); 4] =
        [("calls", Kind::Number), ("name", Kind::Text), ("hot", Kind::Truth), ("flops", Kind::Number)];

    fn values() -> Vec<Option<Value>> {
        vec![
            Some(Value::Number(40.0)),
            Some(Value::Text("parse_row".to_owned())),
            Some(Value::Truth(true)),
            None,
        ]
    }

    fn value(text: &str) -> Option<Value> {
        let (root, _) =
            parser::parse(text, &Scope::new(&NAMES)).unwrap_or_else(|problem| panic!("{text}: {problem:?}"));
        root.value(&values())
    }

    #[test]
    fn expressions_have_the_values_that_their_signs_say() {
        for (text, expected) in [
            ("1 + 2 * 3", 7.0),
            ("(1 + 2) * 3", 9.0),
            ("10 - 2 - 3", 5.0),
            ("8 / 2 / 2", 2.0),
            ("-calls + 1", -39.0),
            ("min(3, calls, 5)", 3.0),
            ("max(3, calls)", 40.0),
            ("ln(1)", 0.0),
            ("1.5e3", 1500.0),
            ("1_000", 1000.0),
        ] {
            assert_eq!(value(text), Some(Value::Number(expected)), "{text}");
        }
        for text in [
            "calls >= 40 && name == 'parse_row'",
            "!(calls < 40) || 1 > 2",
            "hot",
            "contains(name, 'row') && starts_with(name, 'parse') && ends_with(name, \"_row\")",
            "name != 'x' && calls != 41",
            "1 < 2 && 2 <= 2 && true",
        ] {
            assert_eq!(value(text), Some(Value::Truth(true)), "{text}");
        }
    }

    #[test]
    fn what_is_not_known_makes_only_what_depends_on_it_unknown() {
        assert_eq!(value("flops / calls > 1"), None);
        assert_eq!(value("flops > 1 && calls > 99"), Some(Value::Truth(false)));
        assert_eq!(value("flops > 1 || calls > 9"), Some(Value::Truth(true)));
        assert_eq!(value("max(flops, 1)"), None);
    }

    #[test]
    fn mistakes_are_told_with_their_column() {
        let problem = |text: &str| {
            let problem = Expression::parse(text, Kind::Truth, &Scope::new(&NAMES)).unwrap_err();
            (problem.column, problem.what)
        };
        for (text, column, part) in [
            ("", 1, "found the end"),
            ("calls >", 8, "found the end"),
            ("calls > 3 )", 11, "found `)`"),
            ("calls > cals", 9, "no figure `cals`; did you mean `calls`?"),
            ("calls > 'x'", 7, "a number"),
            ("calls + 1", 1, "expected true or false, found a number"),
            ("name > 3", 6, "a text"),
            ("hot && 3", 5, "true or false"),
            ("!calls", 1, "true or false"),
            ("-name > 1", 1, "a number"),
            ("name == 3", 6, "cannot be equal"),
            ("min() > 1", 1, "`min` takes"),
            ("ln(1, 2) > 1", 1, "`ln` takes one number"),
            ("contains(name, 3)", 1, "`contains` takes two texts"),
            ("calls & 3 > 1", 7, "`&&`"),
            ("calls = 3", 7, "`==`"),
            ("name == 'open", 9, "no end"),
            ("calls > 1.2.3", 9, "`1.2.3` is no number"),
            ("calls > 3 #", 11, "`#`"),
            ("foo(1) > 1", 1, "no function `foo`"),
        ] {
            let (found, what) = problem(text);
            assert!(found == column && what.contains(part), "{text}: column {found}: {what}");
        }
    }

    #[test]
    fn deep_and_long_texts_are_refused_and_not_followed() {
        let refused =
            |text: String| Expression::parse(&text, Kind::Truth, &Scope::new(&NAMES)).unwrap_err().what;
        assert!(refused("(".repeat(200)).contains("deep"));
        assert!(refused("!".repeat(200)).contains("deep"));
        assert!(refused("1+".repeat(10_000)).contains("long"));
        assert!(refused("1+".repeat(1_000)).contains("long"));
        let long = format!("{}1 > 0", "1+".repeat(250));
        assert!(Expression::parse(&long, Kind::Truth, &Scope::new(&NAMES)).unwrap().holds(&values()));
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "[ -~\\n\u{e9}\u{1F600}]{0,60}") {
            let _ = Expression::parse(&text, Kind::Truth, &Scope::new(&NAMES));
        }

        #[test]
        fn no_order_of_its_own_signs_makes_it_panic(
            parts in prop::collection::vec(
                prop::sample::select(vec![
                    "(", ")", "+", "-", "*", "/", "<", ">=", "==", "!=", "&&", "||", "!", ",", "min", "ln", "contains",
                    "calls", "name", "hot", "flops", "1", "2.5", "'x'", "\"", "'", "&", "=", "true",
                ]),
                0..24,
            )
        ) {
            if let Ok(expression) = Expression::parse(&parts.join(" "), Kind::Truth, &Scope::new(&NAMES)) {
                expression.holds(&values());
            }
        }
    }
}
