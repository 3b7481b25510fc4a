//! One function under the attribute, in all the ways a function can be written.

#![deny(warnings)]
#![allow(missing_docs, unreachable_pub, unsafe_code)]

mod fake;

use calor_macros::profile;
use fake::{line, lines_of, wait};

#[track_caller]
fn check<T>(work: impl FnOnce() -> T, expect: &[&str]) -> T {
    let (value, lines) = lines_of(work);
    assert_eq!(lines, expect);
    value
}

#[test]
fn the_scope_lives_as_long_as_the_body() {
    #[profile(crate = crate::fake)]
    fn work() {
        line("work");
    }
    check(work, &["open work", "work", "close work"]);
}

#[test]
fn a_name_can_be_given_in_two_ways() {
    #[profile("first", crate = crate::fake)]
    fn one() {}
    #[profile(crate = crate::fake, name = r#"a "quoted" name"#,)]
    fn two() {}
    check(one, &["open first", "close first"]);
    check(two, &["open a \"quoted\" name", "close a \"quoted\" name"]);
}

#[test]
fn early_returns_and_question_marks_close_the_scope() {
    #[profile(crate = crate::fake)]
    fn parse(text: &str) -> Result<u32, std::num::ParseIntError> {
        if text.is_empty() {
            return Ok(0);
        }
        Ok(text.parse::<u32>()? + 1)
    }
    assert_eq!(check(|| parse(""), &["open parse", "close parse"]), Ok(0));
    assert_eq!(check(|| parse("4"), &["open parse", "close parse"]), Ok(5));
    assert!(check(|| parse("x"), &["open parse", "close parse"]).is_err());
}

struct Matrix<const N: usize>([f32; N]);

/// Signatures in which braces, arrows and angle brackets do not mean the body.
mod signatures {
    use super::*;

    /// Documented.
    #[profile(crate = crate::fake)]
    #[must_use]
    #[inline(never)]
    pub(in crate::signatures) unsafe extern "C" fn qualified(x: u32) -> u32 {
        x
    }

    #[profile(crate = crate::fake)]
    fn const_argument<const N: usize>(m: Matrix<{ 1 + 1 }>) -> Matrix<{ 1 + 1 }>
    where
        Matrix<{ 2 * 2 }>: Sized,
    {
        Matrix([m.0[0] + N as f32, m.0[1]])
    }

    #[profile(crate = crate::fake)]
    fn arrows<'a, F: Fn(&'a str) -> Vec<Option<u8>>, G>(
        text: &'a str,
        f: F,
        g: G,
    ) -> impl Fn() -> usize + use<'a, F, G>
    where
        G: Fn() -> usize,
    {
        let n = f(text).len();
        move || n + g()
    }

    #[profile(crate = crate::fake)]
    fn patterns((a, [b, ..]): (u32, [u32; 3]), Matrix([c]): Matrix<1>, mut d: u32) -> u32 {
        d += a + b;
        d + c as u32
    }

    #[profile(crate = crate::fake)]
    fn inner_attributes() -> u32 {
        //! A comment that belongs to the function.
        #![allow(unused_variables)]
        let unused = 1;
        2
    }

    #[profile(crate = crate::fake)]
    fn r#loop() {}

    #[test]
    fn a_signature_is_kept_as_written() {
        // SAFETY: the function has no requirements.
        let value = check(|| unsafe { qualified(3) }, &["open qualified", "close qualified"]);
        assert_eq!(value, 3);
        let matrix = check(
            || const_argument::<4>(Matrix([1.0, 2.0])),
            &["open const_argument", "close const_argument"],
        );
        assert_eq!(matrix.0, [5.0, 2.0]);
        let count =
            check(|| arrows("ab", |text| vec![None; text.len()], || 40), &["open arrows", "close arrows"]);
        assert_eq!(count(), 42);
        let sum = check(|| patterns((1, [2, 3, 4]), Matrix([5.0]), 6), &["open patterns", "close patterns"]);
        assert_eq!(sum, 14);
        assert_eq!(check(inner_attributes, &["open inner_attributes", "close inner_attributes"]), 2);
        check(r#loop, &["open loop", "close loop"]);
    }
}

#[test]
fn fragments_of_another_macro_are_understood() {
    macro_rules! define {
        ($(#[$meta:meta])* $vis:vis fn $name:ident() -> $output:ty $body:block) => {
            #[profile(crate = $crate::fake)] $(#[$meta])* $vis fn $name() -> $output $body
        };
        ($name:literal: $item:item) => { #[profile($name, crate = $crate::fake)] $item };
    }
    define! { #[inline] pub(crate) fn one() -> Vec<u8> { vec![1] } }
    define! { fn two() -> u8 { 2 } }
    define! { "third": async fn three() -> Result<u8, std::num::ParseIntError> { Ok("3".parse::<u8>()? + 1) } }
    assert_eq!(check(one, &["open one", "close one"]), [1]);
    assert_eq!(check(two, &["open two", "close two"]), 2);
    assert_eq!(check(|| wait(three()), &["poll third"]), Ok(4));
}

/// Pending the first time it is polled.
async fn yield_now() {
    let mut is_first = true;
    std::future::poll_fn(|context| {
        context.waker().wake_by_ref();
        match std::mem::take(&mut is_first) {
            true => std::task::Poll::Pending,
            false => std::task::Poll::Ready(()),
        }
    })
    .await;
}

#[test]
fn an_async_function_is_polled_inside_its_scope() {
    #[profile(crate = crate::fake)]
    async fn fetch<'a>(text: &'a str, mut tail: Vec<&'a str>) -> Vec<&'a str> {
        yield_now().await;
        line("resumed");
        tail.insert(0, text);
        tail
    }
    let lines = ["poll fetch", "poll fetch", "resumed"];
    assert_eq!(check(|| wait(fetch("a", vec!["b"])), &lines), ["a", "b"]);
}

#[test]
fn a_question_mark_in_an_async_function_knows_its_error() {
    #[profile(crate = crate::fake)]
    async fn parse(text: &str) -> Result<u32, Box<dyn std::error::Error>> {
        Ok(text.parse::<u32>()?)
    }
    assert!(check(|| wait(parse("x")), &["poll parse"]).is_err());
    assert_eq!(check(|| wait(parse("7")), &["poll parse"]).unwrap(), 7);
}

#[test]
fn an_async_function_may_return_unit_or_an_unnamed_type() {
    #[profile(crate = crate::fake)]
    async fn unit(done: bool) {
        if done {
            return;
        }
        line("not done");
    }
    #[profile(crate = crate::fake)]
    async fn unnamed() -> impl Iterator<Item = u8> {
        0..3
    }
    check(|| wait(unit(true)), &["poll unit"]);
    check(|| wait(unit(false)), &["poll unit", "not done"]);
    assert_eq!(check(|| wait(unnamed()).count(), &["poll unnamed"]), 3);
}

#[test]
fn an_async_function_may_never_return() {
    #[profile(crate = crate::fake)]
    async fn forever() -> ! {
        loop {
            line("turn");
            yield_now().await;
        }
    }
    let mut future = Box::pin(forever());
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    let lines = ["poll forever", "turn", "poll forever", "turn"];
    check(
        || {
            for _ in 0..2 {
                assert!(future.as_mut().poll(&mut context).is_pending());
            }
        },
        &lines,
    );
}

#[test]
fn an_async_method_may_borrow_its_receiver_and_ignore_arguments() {
    struct Counter(u32);
    impl Counter {
        #[profile(crate = crate::fake)]
        async unsafe fn add<const N: usize>(&mut self, (first, _): (u32, [u32; N]), _: &str) -> &mut u32
        where
            [u32; N]: Sized,
        {
            self.0 += first;
            &mut self.0
        }
    }
    let mut counter = Counter(1);
    // SAFETY: the function has no requirements.
    let value = check(|| wait(unsafe { counter.add((2, [3]), "") }), &["poll add"]);
    *value += 1;
    assert_eq!(counter.0, 4);
}

#[test]
fn an_unused_argument_lives_as_long_as_the_body() {
    #[profile(crate = crate::fake)]
    async fn hold(_guard: fake::Guard) {
        yield_now().await;
        line("work");
    }
    let lines = ["open held", "poll hold", "poll hold", "work", "close held"];
    check(|| wait(hold(fake::Guard::open("held"))), &lines);
}
