//! The attribute on `impl`, `trait` and `mod` blocks, and what it leaves alone there.

#![deny(warnings)]
#![allow(missing_docs, unreachable_pub, dead_code, unused_qualifications, unused_braces, unsafe_code)]

mod fake;

use calor_macros::{profile, profile_off, skip};
use fake::{lines_of, wait};

#[track_caller]
fn check<T>(work: impl FnOnce() -> T, expect: &[&str]) -> T {
    let (value, lines) = lines_of(work);
    assert_eq!(lines, expect);
    value
}

pub struct Tree<T, const N: usize>([T; N]);

#[profile(crate = crate::fake)]
impl<T: Default + Copy, const N: usize> Tree<T, { N }>
where
    [T; N]: Sized,
{
    const EMPTY: bool = 1 > 2;

    /// A const fn is not measured.
    const fn size(&self) -> usize {
        N
    }

    fn new() -> Self {
        Self([T::default(); N])
    }

    #[skip]
    fn skipped(&self) {}

    #[rustfmt::skip]
    fn formatted_by_hand(&mut self) { self.0[0] = T::default(); }

    #[profile("renamed")]
    fn named(self) -> T {
        self.0[0]
    }

    async fn load(&self) -> Result<T, std::num::ParseIntError> {
        "3".parse::<u8>()?;
        Ok(self.0[0])
    }
}

#[test]
fn methods_are_named_after_their_type() {
    let mut tree = check(Tree::<u8, 2>::new, &["open Tree::new", "close Tree::new"]);
    check(|| tree.formatted_by_hand(), &["open Tree::formatted_by_hand", "close Tree::formatted_by_hand"]);
    assert_eq!(check(|| wait(tree.load()), &["poll Tree::load"]), Ok(0));
    check(|| tree.named(), &["open renamed", "close renamed"]);
}

#[test]
fn const_and_skipped_methods_are_left_alone() {
    const SIZE: usize = Tree([0_u8; 3]).size();
    let tree = Tree([0_u8; 2]);
    assert_eq!(SIZE, 3);
    check(|| (tree.size(), tree.skipped()), &[]);
}

trait Walk {
    fn walk(&self) -> u8;
}

macro_rules! implement {
    ($walk:path, $type:ty) => {
        #[profile(crate = $crate::fake)]
        impl $walk for $type {
            fn walk(&self) -> u8 {
                1
            }
        }
    };
}
implement!(Walk, u32);

#[profile(crate = crate::fake)]
impl<'a> Walk for dyn Fn() -> u8 + Send + 'a {
    fn walk(&self) -> u8 {
        self()
    }
}

#[profile(crate = crate::fake)]
impl<T: Fn() -> u8> Walk for self::Tree<T, 1> {
    fn walk(&self) -> u8 {
        self.0[0]()
    }
}

#[profile(crate = crate::fake)]
impl Walk for (u8, u8) {
    fn walk(&self) -> u8 {
        self.0
    }
}

#[test]
fn a_type_of_any_form_has_a_name() {
    check(|| 3_u32.walk(), &["open u32::walk", "close u32::walk"]);
    let function: &(dyn Fn() -> u8 + Send) = &|| 2;
    check(|| function.walk(), &["open Fn::walk", "close Fn::walk"]);
    check(|| Tree([|| 2]).walk(), &["open Tree::walk", "close Tree::walk"]);
    check(|| (1, 2).walk(), &["open (u8, u8)::walk", "close (u8, u8)::walk"]);
}

#[profile(crate = crate::fake)]
mod stage {
    //! Everything an item-level walk meets.
    #![allow(clippy::items_after_test_module)]

    use super::{profile, skip};
    use std::{cell::Cell, fmt};

    pub static CALLBACK: fn(u8) -> u8 = double;
    pub const LIMIT: usize = { 3 + 4 };
    pub type Pair<T> = (T, T);

    pub struct Unit;
    pub struct Tuple<T>(pub Pair<T>)
    where
        T: Fn() -> u8;
    #[derive(Debug)]
    pub struct Fields<const N: usize = { 1 + 1 }> {
        pub x: [u8; N],
    }
    pub enum Either {
        Left { x: u8 },
        Right(Cell<u8>),
    }

    macro_rules! twice {
        ($e:expr) => {
            $e + $e
        };
    }

    thread_local! {
        static COUNT: Cell<u8> = const { Cell::new(0) };
    }

    unsafe extern "C" {
        safe fn abs(x: i32) -> i32;
    }

    pub fn double(x: u8) -> u8 {
        let _ = abs(-1);
        twice!(x)
    }

    impl fmt::Display for Unit {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("unit")
        }
    }

    pub trait Shape {
        fn area(&self) -> u8;
        fn twice(&self) -> u8 {
            self.area() * 2
        }
    }

    #[calor_macros::skip]
    pub fn of_another_crate() {}

    #[profile("own", crate = crate::fake)]
    pub fn own() {}

    #[skip]
    impl Shape for Unit {
        fn area(&self) -> u8 {
            3
        }
    }

    pub mod inner {
        pub unsafe fn deep() {}
    }
}

#[test]
fn every_function_of_a_module_is_measured_once() {
    use stage::Shape;
    assert_eq!(check(|| stage::double(4), &["open double", "close double"]), 8);
    // Only #[calor::skip], by that path or imported, keeps a function out.
    check(stage::of_another_crate, &["open of_another_crate", "close of_another_crate"]);
    assert_eq!(check(|| stage::Unit.to_string(), &["open Unit::fmt", "close Unit::fmt"]), "unit");
    check(stage::own, &["open own", "close own"]);
    check(|| stage::Unit.twice(), &["open Shape::twice", "close Shape::twice"]);
}

struct Off;

#[profile_off(crate = crate::nowhere)]
impl Off {
    #[profile_off("named")]
    fn method(&self) -> u8 {
        1
    }
    #[skip]
    fn skipped(&self) -> u8 {
        2
    }
}

#[profile_off]
async fn off() -> u8 {
    3
}

#[test]
fn compiled_out_an_item_stays_as_it_was() {
    assert_eq!(check(|| Off.method() + Off.skipped() + wait(off()), &[]), 6);
    // A wrapped future would be larger than the state of an empty one.
    assert_eq!(size_of_val(&off()), 1);
}

const LINE: u32 = line!();
#[profile(crate = crate::fake)]
impl Off {
    fn third_line_below() {}

    async fn fifth_line_below() {}
}

#[test]
fn a_scope_is_at_the_line_of_its_function() {
    Off::third_line_below();
    wait(Off::fifth_line_below());
    assert_eq!(fake::line_of("Off::third_line_below"), Some(LINE + 3));
    assert_eq!(fake::line_of("Off::fifth_line_below"), Some(LINE + 5));
}
