//! From signs and words to an expression: what binds stronger is taken together first, and each part says at once what it
//! is, so that a mistake is told where it stands.

use super::token::{Token, tokens};
use super::{Function, Kind, Node, Operator, Problem, Value};

/// Nobody writes longer ones by hand.
const MOST_LETTERS: usize = 4_096;
/// Nor such with more words and signs. An expression is worked out by recursion, so this bounds how deep that goes.
const MOST_PARTS: usize = 512;
/// Nor deeper ones.
const MOST_LEVELS: usize = 64;

/// The names that an expression may use.
#[derive(Clone, Debug)]
pub(in super::super) struct Scope<'n> {
    names: Vec<(&'n str, Kind)>,
}

impl<'n> Scope<'n> {
    pub(in super::super) fn new(names: &[(&'n str, Kind)]) -> Self {
        Self { names: names.to_vec() }
    }

    /// Where a name stands, and what it is.
    pub(in super::super) fn find(&self, name: &str) -> Option<(usize, Kind)> {
        let place = self.names.iter().position(|(known, _)| *known == name)?;
        Some((place, self.names[place].1))
    }

    /// What to say of a name that is none.
    pub(in super::super) fn unknown(&self, name: &str) -> String {
        let nearest = self.names.iter().map(|(known, _)| (distance(known, name), *known)).min();
        match nearest {
            Some((distance, known)) if distance <= 2 => {
                format!("there is no figure `{name}`; did you mean `{known}`?")
            }
            _ => {
                let names: Vec<&str> = self.names.iter().map(|(name, _)| *name).collect();
                format!("there is no figure `{name}`; there are {}", names.join(", "))
            }
        }
    }
}

/// How many letters have to be changed, put in or left out to make one word of another.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().take(64).collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (place, letter) in one.chars().take(64).enumerate() {
        let mut before = std::mem::replace(&mut row[0], place + 1);
        for (at, found) in other.iter().enumerate() {
            let changed = before + usize::from(*found != letter);
            before = row[at + 1];
            row[at + 1] = changed.min(row[at] + 1).min(before + 1);
        }
    }
    row[other.len()]
}

pub(super) fn parse(text: &str, scope: &Scope<'_>) -> Result<(Node, Kind), Problem> {
    let n_letters = text.chars().take(MOST_LETTERS + 1).count();
    if n_letters > MOST_LETTERS {
        let what = format!("an expression of more than {MOST_LETTERS} letters is too long");
        return Err(Problem { column: MOST_LETTERS, what });
    }
    let tokens = tokens(text)?;
    if let Some((_, column)) = tokens.get(MOST_PARTS) {
        let what = format!("an expression of more than {MOST_PARTS} words and signs is too long");
        return Err(Problem { column: *column, what });
    }
    let mut parser = Parser { tokens, at: 0, end: n_letters + 1, level: 0, scope };
    let part = parser.or()?;
    match parser.next() {
        None => Ok((part.node, part.kind)),
        Some((token, column)) => {
            Err(Problem { column, what: format!("expected the end or an operator, found {}", token.shown()) })
        }
    }
}

struct Parser<'s, 'n> {
    tokens: Vec<(Token, usize)>,
    at: usize,
    end: usize,
    level: usize,
    scope: &'s Scope<'n>,
}

struct Part {
    node: Node,
    kind: Kind,
}

type Read = Result<Part, Problem>;

impl Parser<'_, '_> {
    fn or(&mut self) -> Read {
        self.chain(&[("||", Operator::Or)], Self::and)
    }

    fn and(&mut self) -> Read {
        self.chain(&[("&&", Operator::And)], Self::comparison)
    }

    fn comparison(&mut self) -> Read {
        const SIGNS: [(&str, Operator); 6] = [
            ("==", Operator::Equal),
            ("!=", Operator::NotEqual),
            ("<=", Operator::LessOrEqual),
            (">=", Operator::GreaterOrEqual),
            ("<", Operator::Less),
            (">", Operator::Greater),
        ];
        self.chain(&SIGNS, Self::sum)
    }

    fn sum(&mut self) -> Read {
        self.chain(&[("+", Operator::Add), ("-", Operator::Subtract)], Self::product)
    }

    fn product(&mut self) -> Read {
        self.chain(&[("*", Operator::Multiply), ("/", Operator::Divide)], Self::single)
    }

    /// Parts with operators of one strength between them, taken together from the left.
    fn chain(&mut self, signs: &[(&str, Operator)], part: fn(&mut Self) -> Read) -> Read {
        let mut left = part(self)?;
        while let Some((operator, column)) = self.operator(signs) {
            let right = part(self)?;
            let kind = paired(operator, left.kind, right.kind, column)?;
            let node = Node::Pair(operator, Box::new(left.node), Box::new(right.node));
            left = Part { node, kind };
        }
        Ok(left)
    }

    fn single(&mut self) -> Read {
        let Some((token, column)) = self.next() else { return Err(self.ended()) };
        match token {
            Token::Number(number) => {
                Ok(Part { node: Node::Value(Value::Number(number)), kind: Kind::Number })
            }
            Token::Text(text) => Ok(Part { node: Node::Value(Value::Text(text)), kind: Kind::Text }),
            Token::Word(word) if self.takes("(") => self.call(&word, column),
            Token::Word(word) if word == "true" || word == "false" => {
                Ok(Part { node: Node::Value(Value::Truth(word == "true")), kind: Kind::Truth })
            }
            Token::Word(word) => match self.scope.find(&word) {
                Some((place, kind)) => Ok(Part { node: Node::Name(place), kind }),
                None => Err(Problem { column, what: self.scope.unknown(&word) }),
            },
            Token::Sign("(") => {
                let inner = self.deeper(column, Self::or)?;
                self.closes()?;
                Ok(inner)
            }
            Token::Sign("!") => {
                let of = self.deeper(column, Self::single)?;
                is(&of, Kind::Truth, column)?;
                Ok(Part { node: Node::Not(Box::new(of.node)), kind: Kind::Truth })
            }
            Token::Sign("-") => {
                let of = self.deeper(column, Self::single)?;
                is(&of, Kind::Number, column)?;
                Ok(Part { node: Node::Negative(Box::new(of.node)), kind: Kind::Number })
            }
            Token::Sign(_) => {
                let what = format!("expected a number, a text, a name or `(`, found {}", token.shown());
                Err(Problem { column, what })
            }
        }
    }

    fn call(&mut self, name: &str, column: usize) -> Read {
        let mut arguments = Vec::new();
        while !self.takes(")") {
            if !arguments.is_empty() {
                self.expects(",")?;
            }
            arguments.push(self.deeper(column, Self::or)?);
        }
        let is_all = |kind: Kind| arguments.iter().all(|argument| argument.kind == kind);
        let (function, kind, fits, takes) = match name {
            "min" => (Function::Min, Kind::Number, !arguments.is_empty() && is_all(Kind::Number), "numbers"),
            "max" => (Function::Max, Kind::Number, !arguments.is_empty() && is_all(Kind::Number), "numbers"),
            "ln" => (Function::Ln, Kind::Number, arguments.len() == 1 && is_all(Kind::Number), "one number"),
            _ => {
                let function = match name {
                    "contains" => Function::Contains,
                    "starts_with" => Function::StartsWith,
                    "ends_with" => Function::EndsWith,
                    _ => {
                        let what = format!(
                            "there is no function `{name}`; there are min, max, ln, contains, starts_with, ends_with"
                        );
                        return Err(Problem { column, what });
                    }
                };
                (function, Kind::Truth, arguments.len() == 2 && is_all(Kind::Text), "two texts")
            }
        };
        if !fits {
            return Err(Problem { column, what: format!("`{name}` takes {takes}") });
        }
        let arguments = arguments.into_iter().map(|argument| argument.node).collect();
        Ok(Part { node: Node::Call(function, arguments), kind })
    }

    fn deeper(&mut self, column: usize, part: fn(&mut Self) -> Read) -> Read {
        if self.level == MOST_LEVELS {
            return Err(Problem { column, what: format!("more than {MOST_LEVELS} levels are too deep") });
        }
        self.level += 1;
        let read = part(self);
        self.level -= 1;
        read
    }

    fn next(&mut self) -> Option<(Token, usize)> {
        let token = self.tokens.get(self.at).cloned()?;
        self.at += 1;
        Some(token)
    }

    fn operator(&mut self, signs: &[(&str, Operator)]) -> Option<(Operator, usize)> {
        let (token, column) = self.tokens.get(self.at)?;
        let (_, operator) =
            signs.iter().find(|(sign, _)| matches!(token, Token::Sign(found) if found == sign))?;
        self.at += 1;
        Some((*operator, *column))
    }

    /// Whether a sign is next, which is taken then.
    fn takes(&mut self, sign: &str) -> bool {
        let is_next = matches!(self.tokens.get(self.at), Some((Token::Sign(found), _)) if *found == sign);
        self.at += usize::from(is_next);
        is_next
    }

    fn closes(&mut self) -> Result<(), Problem> {
        self.expects(")")
    }

    fn expects(&mut self, sign: &str) -> Result<(), Problem> {
        if self.takes(sign) {
            return Ok(());
        }
        match self.tokens.get(self.at) {
            None => Err(Problem { column: self.end, what: format!("expected `{sign}`, found the end") }),
            Some((token, column)) => {
                Err(Problem { column: *column, what: format!("expected `{sign}`, found {}", token.shown()) })
            }
        }
    }

    fn ended(&self) -> Problem {
        Problem {
            column: self.end,
            what: "expected a number, a text, a name or `(`, found the end".to_owned(),
        }
    }
}

fn is(part: &Part, kind: Kind, column: usize) -> Result<(), Problem> {
    if part.kind == kind {
        return Ok(());
    }
    Err(Problem { column, what: format!("expected {}, found {}", kind.word(), part.kind.word()) })
}

/// What two parts are together.
fn paired(operator: Operator, left: Kind, right: Kind, column: usize) -> Result<Kind, Problem> {
    let (wanted, result) = match operator {
        Operator::Add | Operator::Subtract | Operator::Multiply | Operator::Divide => {
            (Kind::Number, Kind::Number)
        }
        Operator::And | Operator::Or => (Kind::Truth, Kind::Truth),
        Operator::Equal | Operator::NotEqual => {
            let what = || format!("{} and {} cannot be equal", left.word(), right.word());
            return if left == right { Ok(Kind::Truth) } else { Err(Problem { column, what: what() }) };
        }
        _ => (Kind::Number, Kind::Truth),
    };
    match [left, right].into_iter().find(|kind| *kind != wanted) {
        None => Ok(result),
        Some(other) => {
            let what = format!("expected {} on both sides, found {}", wanted.word(), other.word());
            Err(Problem { column, what })
        }
    }
}
