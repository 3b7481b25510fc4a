//! A Rust program whose every call path counts its own blocks: functions that call each other in an order made from a
//! seed, and allocate in the ways that the language has. The book of it is kept without allocating. Prints for each path
//! that allocated: the function, the way to it, bytes and blocks allocated, bytes and blocks freed.

use std::hint::black_box;
use std::sync::{Mutex, MutexGuard, PoisonError};

const SITES: [&str; 5] = ["site_capacity", "site_zeroed", "site_grown", "site_box", "site_aligned"];
const ROUTES: [&str; 6] = ["route_a", "route_b", "route_c", "route_d", "route_e", "route_f"];
const KEPT: usize = 100;

#[repr(align(256))]
struct Wide([u8; 512]);

enum Block {
    Bytes(Vec<u8>),
    Numbers(Box<[usize; 40]>),
    Wide(Box<Wide>),
}

impl Block {
    fn size(&self) -> usize {
        match self {
            Block::Bytes(bytes) => bytes.capacity(),
            Block::Numbers(_) => size_of::<[usize; 40]>(),
            Block::Wide(wide) => wide.0.len(),
        }
    }
}

struct Kept {
    block: Block,
    place: (usize, usize),
}

struct Book {
    state: u64,
    /// Bytes and blocks allocated, bytes and blocks freed.
    sums: [[[usize; 4]; SITES.len()]; ROUTES.len()],
    kept: [Option<Kept>; KEPT],
}

static BOOK: Mutex<Book> = Mutex::new(Book {
    state: 0x9e37_79b9_7f4a_7c15,
    sums: [[[0; 4]; SITES.len()]; ROUTES.len()],
    kept: [const { None }; KEPT],
});

fn book() -> MutexGuard<'static, Book> {
    BOOK.lock().unwrap_or_else(PoisonError::into_inner)
}

fn draw(below: usize) -> usize {
    let mut book = book();
    book.state ^= book.state << 13;
    book.state ^= book.state >> 7;
    book.state ^= book.state << 17;
    (book.state >> 11) as usize % below
}

fn count((route, site): (usize, usize), what: usize, size: usize) {
    let sums = &mut book().sums[route][site];
    sums[what] += size;
    sums[what + 1] += 1;
}

const ALLOCATED: usize = 0;
const FREED: usize = 2;

/// Keeps a block in the place of another.
fn keep(block: Block, place: (usize, usize)) {
    count(place, ALLOCATED, block.size());
    let at = draw(KEPT);
    let old = book().kept[at].replace(Kept { block, place });
    if let Some(old) = old {
        count(old.place, FREED, old.block.size());
    }
}

#[inline(never)]
fn site_capacity(route: usize) {
    keep(Block::Bytes(black_box(Vec::with_capacity(1 + draw(3000)))), (route, 0));
}

#[inline(never)]
fn site_zeroed(route: usize) {
    keep(Block::Bytes(black_box(vec![0; 1 + draw(3000)])), (route, 1));
}

#[inline(never)]
fn site_grown(route: usize) {
    let small = 1 + draw(500);
    let mut bytes = black_box(Vec::with_capacity(small));
    bytes.push(1);
    bytes.reserve_exact(small + draw(5000));
    count((route, 2), ALLOCATED, small);
    count((route, 2), FREED, small);
    keep(Block::Bytes(black_box(bytes)), (route, 2));
}

#[inline(never)]
fn site_box(route: usize) {
    keep(Block::Numbers(black_box(Box::new([route; 40]))), (route, 3));
}

#[inline(never)]
fn site_aligned(route: usize) {
    keep(Block::Wide(black_box(Box::new(Wide([1; 512])))), (route, 4));
}

const WAYS: [fn(usize); SITES.len()] = [site_capacity, site_zeroed, site_grown, site_box, site_aligned];

macro_rules! routes {
    ($($route:ident = $number:literal)*) => {
        $(
            #[inline(never)]
            fn $route(depth: usize) {
                if depth > 0 {
                    turn(depth - 1);
                }
                WAYS[draw(WAYS.len())]($number);
                black_box(depth);
            }
        )*

        #[inline(never)]
        fn turn(depth: usize) {
            let routes: [fn(usize); ROUTES.len()] = [$($route),*];
            routes[draw(routes.len())](depth);
            black_box(depth);
        }
    };
}

routes! { route_a = 0 route_b = 1 route_c = 2 route_d = 3 route_e = 4 route_f = 5 }

fn main() {
    for _ in 0..20_000 {
        turn(draw(12));
    }
    let sums = book().sums;
    for (route, sums) in ROUTES.iter().zip(sums) {
        for (site, [allocated, blocks, freed, gone]) in SITES.iter().zip(sums) {
            println!("paths::{site} paths::{route} {allocated} {blocks} {freed} {gone}");
        }
    }
}
