use calor_model::{CodeKey, CodeLine, FrameKind, FunctionCode, demangle, simplify};
use proptest::prelude::*;

use crate::content::{content, sample_lines, samples, totals};
use crate::generated::profile;

#[track_caller]
fn check(name: &str, expected: &str) {
    assert_eq!(simplify(name), expected);
}

#[test]
fn mangled_rust_names_are_demangled() {
    assert_eq!(demangle("_ZN4core3ptr5drop_17h0123456789abcdefE"), "core::ptr::drop_");
    assert_eq!(demangle("_RNvC6_123foo3bar"), "123foo::bar");
}

#[test]
fn code_keeps_the_names_of_its_frames() {
    let mut profile = samples(&[("app::run::<u8>", 3)]);
    let (name, inner) = (profile.strings.intern("app::run::<u8>"), profile.strings.intern("app::add::<u8>"));
    let line = CodeLine { offset: 0, function: Some(inner), file: None, line: None };
    let code = FunctionCode { lines: vec![line], ..FunctionCode::default() };
    profile.code.add(CodeKey { name, module: None, build: name, start: 16 }, code, &profile.strings);
    let renamed = profile.simplify_names();
    let (key, code) = renamed.code.iter().next().expect("it goes along");
    let text = |id| renamed.strings.get(id);
    assert_eq!((text(key.name), text(key.build)), ("app::run", "app::run::<u8>"));
    assert_eq!(code.lines[0].function.map(text), Some("app::add"));
    assert!(sample_lines(&renamed)[0].starts_with("app::run "));
}

#[test]
fn names_of_other_languages_stay() {
    for name in [
        "_ZN3foo3barEv",
        "_ZN3foo3barE",
        "std::vector<int>::push_back(int const&)",
        "std::operator<< <char>",
        "void kernel<float>(float*)",
        "Foo::~Foo",
        "<unknown>",
        "a < b",
        "memcpy@plt",
        "",
    ] {
        check(name, name);
    }
}

#[test]
fn hashes_go() {
    check("app::run::h0123456789abcdef", "app::run");
    check("app::run::<u8>::h0123456789abcdef", "app::run");
    check("app::h0123456789abcdef::<T>", "app");
    check("app::run::hello", "app::run::hello");
}

#[test]
fn generic_arguments_go() {
    check("alloc::vec::Vec<T,A>::push", "alloc::vec::Vec::push");
    check("core::iter::map::<fn(u8) -> u16, [u8; 4]>", "core::iter::map");
    check("a::B<c::D<e::F>>::g::<h::I>", "a::B::g");
}

#[test]
fn a_method_is_named_by_its_type_or_else_by_its_trait() {
    check("<alloc::vec::Vec<T> as core::ops::Drop>::drop", "alloc::vec::Vec::drop");
    check("<alloc::vec::Vec<u8>>::push", "alloc::vec::Vec::push");
    check("<&T as core::fmt::Debug>::fmt", "core::fmt::Debug::fmt");
    check("<&mut app::Reader as std::io::Read>::read", "app::Reader::read");
    check("<[T] as core::slice::Sort<T>>::sort", "core::slice::Sort::sort");
    check("<dyn app::Layer as app::Forward>::forward", "app::Layer::forward");
    check("<<a::B as c::D>::E as f::G>::h", "a::B::E::h");
    check("core::slice::<impl [T]>::len", "core::slice::len");
    check("alloc::vec::<impl core::clone::Clone for alloc::vec::Vec<T>>::clone", "alloc::vec::Vec::clone");
}

#[test]
fn closures_are_readable() {
    check("app::main::{{closure}}", "app::main::{closure}");
    check("app::main::{closure#2}::{closure#0}::<T>", "app::main::{closure}::{closure}");
    check("<app::Pool as app::Run>::go::{{closure}}::h0123456789abcdef", "app::Pool::go::{closure}");
    check(
        "core::ops::function::FnOnce::call_once{{vtable.shim}}",
        "core::ops::function::FnOnce::call_once{{vtable.shim}}",
    );
}

#[test]
fn frames_that_become_equal_become_one() {
    let profile = samples(&[("main;a::f::<u8>", 1), ("main;a::f::<u16>", 2)]);
    assert_eq!(sample_lines(&profile.simplify_names()), ["main;a::f 3"]);
}

#[test]
fn names_that_scopes_were_given_stay() {
    let mut profile = calor_model::Profile::default();
    let thread = profile.intern_thread(1, 1, "main");
    let stack = profile.intern_named_path(&["Vec<u8>::push"], FrameKind::Scope).expect("a path has frames");
    let key = calor_model::ScopeKey { stack, thread, labels: calor_model::LabelTable::none() };
    profile.scopes.row_mut(key).calls = 1;
    let simple = profile.simplify_names();
    assert_eq!(
        simple.scopes.iter().map(|(key, _)| simple.stack_name(key.stack)).collect::<Vec<_>>(),
        ["Vec<u8>::push"]
    );
}

proptest! {
    #[test]
    fn simplifying_a_name_twice_is_simplifying_it_once(
        name in "(<|>|::|a|Bc| as | for |impl |T|&|\\[|\\]|\\(|\\)|\\{\\{closure\\}\\}|\\{c#1\\}|::h0123456789abcdef|->|é|#|\\{|\\}){0,14}",
    ) {
        let once = simplify(&name).into_owned();
        prop_assert_eq!(simplify(&once), once.as_str());
    }

    #[test]
    fn any_text_is_a_name(name in ".*") {
        let once = simplify(&name).into_owned();
        prop_assert_eq!(simplify(&once), once.as_str());
    }

    #[test]
    fn simplifying_a_profile_loses_nothing_and_is_idempotent(a in profile()) {
        let simple = a.simplify_names();
        assert_eq!(totals(&a), totals(&simple));
        content(&simple).assert_same(&content(&simple.simplify_names()));
        let demangled = a.demangle_names();
        content(&demangled).assert_same(&content(&demangled.demangle_names()));
        let natives = simple.frames.iter().filter(|(_, frame)| frame.kind == FrameKind::Native);
        for name in natives.map(|(_, frame)| simple.strings.get(frame.name)) {
            prop_assert!(["alpha", "beta", "core::ptr::drop_"].contains(&name), "{} is not simple", name);
        }
    }
}
