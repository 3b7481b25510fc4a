//! What the attribute expands to, in place of the real crate: each scope is a line in a list.

#![allow(dead_code, reason = "not every test asks for everything")]

use std::cell::RefCell;
use std::future::Future;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

thread_local! {
    static LINES: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
    static PLACES: RefCell<Vec<(&'static str, u32)>> = const { RefCell::new(Vec::new()) };
}

/// Runs `work` and returns its result with the lines it left behind.
pub fn lines_of<T>(work: impl FnOnce() -> T) -> (T, Vec<String>) {
    LINES.take();
    let value = work();
    (value, LINES.take())
}

pub fn line(text: impl Into<String>) {
    LINES.with_borrow_mut(|lines| lines.push(text.into()));
}

/// The line in the source that `name` says it is at.
pub fn line_of(name: &str) -> Option<u32> {
    PLACES.with_borrow(|places| places.iter().find(|(known, _)| *known == name).map(|&(_, line)| line))
}

pub fn note_place(name: &'static str, line: u32) {
    PLACES.with_borrow_mut(|places| places.push((name, line)));
}

pub struct Guard(pub &'static str);

impl Guard {
    pub fn open(name: &'static str) -> Self {
        line(format!("open {name}"));
        Self(name)
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        line(format!("close {}", self.0));
    }
}

pub struct Site(pub &'static str);

pub struct Scoped<F> {
    site: &'static Site,
    future: Pin<Box<F>>,
}

impl<F: Future> Scoped<F> {
    pub fn new(site: &'static Site, future: F) -> Self {
        Self { site, future: Box::pin(future) }
    }
}

impl<F: Future> Future for Scoped<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        line(format!("poll {}", self.site.0));
        self.future.as_mut().poll(context)
    }
}

/// Polls a future until it is ready.
pub fn wait<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return value;
        }
    }
}

macro_rules! scope {
    ($name:literal) => {
        let _guard = $crate::fake::Guard::open($name);
        $crate::fake::note_place($name, line!());
    };
}
macro_rules! site {
    ($name:literal) => {{
        static SITE: $crate::fake::Site = $crate::fake::Site($name);
        $crate::fake::note_place($name, line!());
        &SITE
    }};
}
pub(crate) use {scope, site};
