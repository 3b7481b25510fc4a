//! A Rust program that allocates where work goes from thread to thread. Prints for each function that allocated: its
//! name, bytes, blocks.

use std::hint::black_box;

use rayon::prelude::*;

#[inline(never)]
fn in_spawned(size: usize) -> Vec<u8> {
    black_box(Vec::with_capacity(size))
}

#[inline(never)]
fn in_rayon(size: usize) -> Vec<u8> {
    black_box(Vec::with_capacity(size))
}

#[inline(never)]
fn in_tokio(size: usize) -> Vec<u8> {
    black_box(Vec::with_capacity(size))
}

fn spawned() {
    for _ in 0..20 {
        let threads: Vec<_> = (0..8).map(|_| std::thread::spawn(|| in_spawned(1000))).collect();
        threads.into_iter().for_each(|thread| drop(thread.join()));
    }
    println!("parallel::in_spawned {} {}", 160 * 1000, 160);
}

fn pool() {
    let all: usize = (0..100_000_usize).into_par_iter().map(|turn| in_rayon(1 + turn % 50).capacity()).sum();
    println!("parallel::in_rayon {all} 100000");
}

fn tasks() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(4).build();
    let sum = runtime.map(|runtime| {
        runtime.block_on(async {
            let task = |turn| async move {
                let kept = in_tokio(1 + turn % 70);
                tokio::task::yield_now().await;
                kept.capacity()
            };
            let tasks: Vec<_> = (0..5000_usize).map(|turn| tokio::spawn(task(turn))).collect();
            let mut sum = 0;
            for task in tasks {
                sum += task.await.unwrap_or_default();
            }
            sum
        })
    });
    println!("parallel::in_tokio {} 5000", sum.unwrap_or_default());
}

fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("spawned") => spawned(),
        Some("rayon") => pool(),
        Some("tokio") => tasks(),
        _ => std::process::exit(2),
    }
}
