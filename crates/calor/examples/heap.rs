//! A program that watches its own heap: it records itself, looks at its heap twice, says what grew and keeps a look.
//!
//! ```sh
//! cargo run --release -p calor --example heap
//! calor heap heap-recording.calor                    # the whole run
//! calor heap heap-look.calor --peak                  # the look that was kept
//! calor flame heap-recording.calor --metric allocated -o allocated.svg
//! ```

use std::collections::HashMap;

#[global_allocator]
static ALLOCATOR: calor::Alloc = calor::Alloc::system();

/// Answers that are never forgotten.
#[derive(Default)]
struct Cache {
    answers: HashMap<u64, Vec<f32>>,
}

impl Cache {
    #[calor::profile]
    fn answer(&mut self, question: u64) -> f32 {
        self.answers.entry(question).or_insert_with(|| vec![question as f32; 16 * 1024]).iter().sum()
    }
}

#[calor::profile]
fn tokenise(text: &str) -> usize {
    text.split(' ').map(str::to_owned).collect::<Vec<String>>().len()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    calor::start_recording("heap-recording.calor");
    let mut cache = Cache::default();
    let mut sum = 0.0;
    cache.answer(0);
    let before = calor::heap::snapshot()?;
    for question in 0..2_000 {
        sum += cache.answer(question % 500);
        sum += tokenise("the quick brown fox jumps over the lazy dog") as f32;
    }
    let after = calor::heap::snapshot()?;

    let change = calor::heap::diff(&before, &after);
    match change.interval() {
        Some([low, high]) => println!("the heap grew by {low} to {high} bytes, with 95 % certainty"),
        None => println!("the heap grew by {} bytes", change.delta_bytes()),
    }
    for row in change.changes.iter().take(3) {
        println!("  {:+} bytes in {}", row.delta_bytes(), after.path_names(row.stack).join(" > "));
    }
    let peak = calor::heap::peak()?;
    println!("{} bytes at the peak{}", peak.bytes, if peak.is_exact { "" } else { ", about" });
    calor::save(&after, "heap-look.calor")?;
    println!("answers: {sum}; see `calor heap heap-recording.calor` and `calor heap heap-look.calor`");
    Ok(())
}
