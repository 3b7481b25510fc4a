//! Names of labels that are too near to a figure: `byts = n` would become a label, with statistics of its own for each `n`,
//! and nobody would hear of it. So the compiler refuses a name that is one slip of the pen away from a figure.

/// What the compiler says.
macro_rules! refusal {
    ($figure:literal) => {
        concat!(
            "this label is one letter away from `",
            $figure,
            "`: write `",
            $figure,
            "`, or choose another name; one that has to be so is given to `calor::Site::labelled`"
        )
    };
}
/// The names that are no labels, with what the compiler says of a name beside them.
const FIGURES: [(&str, &str); 5] = [
    ("elements", refusal!("elements")),
    ("bytes", refusal!("bytes")),
    ("flops", refusal!("flops")),
    ("backend", refusal!("backend")),
    ("time_one_in", refusal!("time_one_in")),
];

/// Refuses a name that is one letter away from a figure; the macros have the compiler ask.
#[doc(hidden)]
pub const fn check_label(name: &str) {
    let mut at = 0;
    while at < FIGURES.len() {
        let (figure, refusal) = FIGURES[at];
        assert!(!is_a_slip(name.as_bytes(), figure.as_bytes()), "{}", refusal);
        at += 1;
    }
}

/// Whether one letter was left out, put in, or taken for another, or two that follow each other changed places.
const fn is_a_slip(name: &[u8], figure: &[u8]) -> bool {
    let (longer, shorter) = if name.len() > figure.len() { (name, figure) } else { (figure, name) };
    let same_before = same(longer, shorter, true);
    let same_after = same(longer, shorter, false);
    match longer.len() - shorter.len() {
        0 if same_before == longer.len() => false,
        0 if same_before + same_after + 1 == longer.len() => true,
        0 => {
            same_before + same_after + 2 == longer.len()
                && longer[same_before] == shorter[same_before + 1]
                && longer[same_before + 1] == shorter[same_before]
        }
        1 => same_before + same_after >= shorter.len(),
        _ => false,
    }
}

/// How many letters two names have in common at their beginning, or at their end.
const fn same(longer: &[u8], shorter: &[u8], is_at_beginning: bool) -> usize {
    let mut n = 0;
    while n < shorter.len() {
        let (a, b) = match is_at_beginning {
            true => (longer[n], shorter[n]),
            false => (longer[longer.len() - 1 - n], shorter[shorter.len() - 1 - n]),
        };
        if a != b {
            break;
        }
        n += 1;
    }
    n
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_slip_is_a_slip_and_two_are_another_word() {
        for (name, figure) in [
            ("byts", "bytes"),
            ("byte", "bytes"),
            ("bytees", "bytes"),
            ("bites", "bytes"),
            ("btyes", "bytes"),
            ("flosp", "flops"),
            ("bakend", "backend"),
            ("Elements", "elements"),
            ("time_one_i", "time_one_in"),
        ] {
            assert!(is_a_slip(name.as_bytes(), figure.as_bytes()), "{name}");
        }
        for name in ["n", "bytes_in", "level", "codec", "role", "threads", "b", "lops_f", "ends", "setyb"] {
            check_label(name);
        }
        assert!(!is_a_slip(b"bytes", b"bytes"), "it is the figure");
    }
}
