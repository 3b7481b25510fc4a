//! Names of compiled functions short enough for a list. Compilers write whole types, arguments and parameters into
//! them; a reader knows the function by its path. The whole name stands where there is room: in hints and in JSON.

use std::borrow::Cow;

use calor_model::{FrameKind, simplify};

/// The name of a frame as lists show it.
#[must_use]
pub fn short_name(kind: FrameKind, name: &str) -> Cow<'_, str> {
    if name.trim().is_empty() {
        return Cow::Borrowed("(no name)");
    }
    if kind != FrameKind::Native {
        return Cow::Borrowed(name);
    }
    // What the C library calls its own copies of functions that others may replace.
    let name = name.strip_prefix("__GI_").unwrap_or(name);
    match simplify(name) {
        Cow::Borrowed(name) if name.contains(['(', '<']) && !is_go(name) => {
            cpp_name(name).map_or(Cow::Borrowed(name), Cow::Owned)
        }
        simple => simple,
    }
}

/// Whether a name is one of Go's. Those have brackets in the middle of the path: the type of a method that is called through a pointer,
/// as in `encoding/json.(*decodeState).object`, and what a generic function is made for, as in `slices.Sort[go.shape.func(int) bool]`.
/// The functions that Go makes for types itself are named by the types, as in `type:.eq.struct { f func() }`.
fn is_go(name: &str) -> bool {
    let before_types = name.find(['(', '<', '[']).map_or(name, |at| &name[..at]);
    let is_generic = name[before_types.len()..].starts_with('[') && before_types.contains('.');
    name.contains(".(*") || name.starts_with("type:.") || is_generic && !before_types.contains("::")
}

/// A C++ name without template arguments, parameters, return type and what follows them; `None` for what does not read
/// as one.
fn cpp_name(name: &str) -> Option<String> {
    let mut short = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(letter) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix("(anonymous namespace)") {
            short.push_str("(anonymous)");
            rest = after;
        } else if let Some(after) = rest.strip_prefix("operator")
            && !ends_in_word(&short)
            && !after.starts_with(|next: char| next.is_alphanumeric() || next == '_')
        {
            let (symbol, after) = operator_symbol(after);
            short.push_str("operator");
            short.push_str(symbol);
            // A blank parts an operator from its template arguments.
            rest = after.strip_prefix(' ').filter(|after| after.starts_with('<')).unwrap_or(after);
        } else if letter == '<' {
            rest = &rest[closing(rest, '<', '>')?..];
        } else if letter == '(' {
            rest = &rest[closing(rest, '(', ')')?..];
            // Behind the parameters only a function inside this one is part of the path.
            if !rest.starts_with("::") && short != "decltype" {
                break;
            }
        } else if letter == '{' {
            let end = closing(rest, '{', '}')?;
            let inside = &rest[1..end - 1];
            short.push('{');
            short.push_str(inside.split(['(', '#']).next().unwrap_or(inside));
            short.push('}');
            rest = &rest[end..];
        } else if letter == ' ' {
            // What stood before was a return type.
            short.clear();
            rest = &rest[1..];
        } else {
            short.push(letter);
            rest = &rest[letter.len_utf8()..];
        }
    }
    (!short.is_empty() && short.len() < name.len()).then_some(short)
}

fn ends_in_word(text: &str) -> bool {
    text.ends_with(|last: char| last.is_alphanumeric() || last == '_')
}

/// The symbol of an operator, or the type that one converts to, and what follows.
fn operator_symbol(rest: &str) -> (&str, &str) {
    let end = if rest.starts_with("()") { 2 } else { rest.find('(').unwrap_or(rest.len()) };
    let end = match rest.strip_prefix("<<").or(rest.strip_prefix("<=>")) {
        _ if rest.starts_with(' ') => end,
        Some(after) => rest.len() - after.len(),
        // Template arguments follow the symbol directly.
        None => rest[1.min(rest.len())..end].find('<').map_or(end, |at| at + 1),
    };
    rest.split_at(end)
}

/// The place behind the bracket that closes the one at the beginning. Arrows and the like close nothing.
fn closing(text: &str, open: char, close: char) -> Option<usize> {
    let mut depth = 0_usize;
    let mut previous = ' ';
    for (at, letter) in text.char_indices() {
        if letter == open {
            depth += 1;
        } else if letter == close && !(close == '>' && previous == '-') {
            depth = depth.checked_sub(1)?;
            if depth == 0 {
                return Some(at + letter.len_utf8());
            }
        }
        previous = letter;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compiled_names_are_shortened_to_the_path_of_the_function() {
        for (name, expected) in [
            ("main", "main"),
            ("__GI___libc_read", "__libc_read"),
            ("<u64>::wrapping_mul", "u64::wrapping_mul"),
            ("<alloc::boxed::Box<dyn FnOnce()> as FnOnce<()>>::call_once", "alloc::boxed::Box::call_once"),
            ("std::vector<int, std::allocator<int> >::push_back(int&&)", "std::vector::push_back"),
            (
                "void at::native::add_kernel<float>(at::TensorIterator&, float) const",
                "at::native::add_kernel",
            ),
            ("(anonymous namespace)::parse(char const*)", "(anonymous)::parse"),
            ("run(int)::{lambda(int)#1}::operator()(int) const", "run::{lambda}::operator()"),
            ("std::ostream& operator<< <char>(std::ostream&, char)", "operator<<"),
            ("Matrix<double>::operator*=(double)", "Matrix::operator*="),
            ("Flag::operator bool() const", "Flag::operator bool"),
            ("gemm(float*, int) [clone .isra.0]", "gemm"),
            ("broken<int", "broken<int"),
            ("", "(no name)"),
        ] {
            assert_eq!(short_name(FrameKind::Native, name), expected, "{name}");
        }
    }

    #[test]
    fn names_of_go_keep_their_end() {
        for name in [
            "encoding/json.(*decodeState).object",
            "encoding/json.(*decodeState).object.func1",
            "net/http.(*conn).serve",
            "net/http.(*http2serverConn).processFrame-fm",
            "github.com/jackc/pgx/v5.(*Conn).Query",
            "main.main.func1.2",
            "main.(*Tree[go.shape.int]).Insert",
            "main.Map[go.shape.int]",
            "main.Map[go.shape.int,go.shape.func(int) string].func1",
            "main.Send[go.shape.chan<- int]",
            "slices.SortFunc[go.shape.[]main.Row,go.shape.struct { main.id int; main.less func(int) bool }]",
            "go.(*struct { sync.Mutex; main.table map[string]int }).Lock",
            "type:.eq.struct { runtime.gList; main.less func(int) bool }",
            "runtime.mallocgc",
        ] {
            assert_eq!(short_name(FrameKind::Native, name), name);
        }
    }

    #[test]
    fn names_of_cpp_that_look_a_little_like_those_of_go_are_shortened_all_the_same() {
        for (name, expected) in [
            (
                "std::__cxx11::basic_string<char>::str[abi:cxx11](int) const",
                "std::__cxx11::basic_string::str[abi:cxx11]",
            ),
            ("Row::operator[](unsigned long)", "Row::operator[]"),
            ("print(char const*, ...)", "print"),
            ("call(void (*)(int))", "call"),
            ("sort(int*) [clone .part.0]", "sort"),
        ] {
            assert_eq!(short_name(FrameKind::Native, name), expected);
        }
    }

    #[test]
    fn names_that_people_chose_stay() {
        for kind in [FrameKind::Scope, FrameKind::Python, FrameKind::Kernel] {
            assert_eq!(short_name(kind, "load<T>(all)"), "load<T>(all)");
        }
    }
}
