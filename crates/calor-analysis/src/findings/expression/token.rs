//! The signs and words of an expression, each with its column.

use super::Problem;

/// A sign or a word.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Token {
    Number(f64),
    Text(String),
    Word(String),
    Sign(&'static str),
}

impl Token {
    /// As it is told in messages.
    pub(super) fn shown(&self) -> String {
        match self {
            Self::Number(number) => format!("`{number}`"),
            Self::Text(text) => format!("the text '{text}'"),
            Self::Word(word) => format!("`{word}`"),
            Self::Sign(sign) => format!("`{sign}`"),
        }
    }
}

/// The longer signs first: `<=` is not `<` and `=`.
const SIGNS: [&str; 16] =
    ["&&", "||", "==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "/", "!", "(", ")", ","];

/// Takes a text apart.
pub(super) fn tokens(text: &str) -> Result<Vec<(Token, usize)>, Problem> {
    let letters: Vec<char> = text.chars().collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(&letter) = letters.get(at) {
        let column = at + 1;
        if letter.is_whitespace() {
            at += 1;
            continue;
        }
        let taken = |is_part: &dyn Fn(char) -> bool| {
            letters[at..].iter().copied().take_while(|letter| is_part(*letter)).collect::<String>()
        };
        let (token, length) = if letter.is_ascii_digit() || letter == '.' {
            number(&letters[at..], column)?
        } else if letter.is_alphabetic() || letter == '_' {
            let word = taken(&|letter| letter.is_alphanumeric() || letter == '_');
            let length = word.chars().count();
            (Token::Word(word), length)
        } else if letter == '\'' || letter == '"' {
            let Some(end) = letters[at + 1..].iter().position(|end| *end == letter) else {
                return Err(Problem { column, what: format!("a text that begins with {letter} has no end") });
            };
            (Token::Text(letters[at + 1..at + 1 + end].iter().collect()), end + 2)
        } else {
            sign(&letters[at..], column)?
        };
        tokens.push((token, column));
        at += length;
    }
    Ok(tokens)
}

fn number(letters: &[char], column: usize) -> Result<(Token, usize), Problem> {
    let mut length = 0;
    while let Some(&letter) = letters.get(length) {
        // The sign of an exponent belongs to the number.
        let is_sign = matches!(letter, '+' | '-') && length > 0 && matches!(letters[length - 1], 'e' | 'E');
        if !(letter.is_ascii_alphanumeric() || matches!(letter, '.' | '_') || is_sign) {
            break;
        }
        length += 1;
    }
    let shown: String = letters[..length].iter().collect();
    match shown.replace('_', "").parse() {
        Ok(number) => Ok((Token::Number(number), length)),
        Err(_) => Err(Problem { column, what: format!("`{shown}` is no number") }),
    }
}

fn sign(letters: &[char], column: usize) -> Result<(Token, usize), Problem> {
    let begins =
        |sign: &&&str| sign.chars().enumerate().all(|(place, letter)| letters.get(place) == Some(&letter));
    match (SIGNS.iter().find(begins), letters[0]) {
        (Some(sign), _) => Ok((Token::Sign(sign), sign.len())),
        (None, '&') => Err(Problem { column, what: "found `&`: and is written `&&`".to_owned() }),
        (None, '|') => Err(Problem { column, what: "found `|`: or is written `||`".to_owned() }),
        (None, '=') => Err(Problem { column, what: "found `=`: equal is written `==`".to_owned() }),
        (None, other) => Err(Problem { column, what: format!("found `{other}`, which means nothing here") }),
    }
}
