//! The heap of a made-up server as profiles, for looking at pages about it.
//!
//! ```text
//! cargo run -p calor-report --example heap -- exact.calor sampled.calor
//! ```

use std::error::Error;

use calor_model::HeapMode;

#[path = "../tests/heap_sketch/mod.rs"]
mod heap_sketch;

fn main() -> Result<(), Box<dyn Error>> {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    let [exact, sampled] = &paths[..] else {
        return Err("expected two files to write: an exact heap and a sampled one".into());
    };
    for (path, mode) in [(exact, HeapMode::Exact), (sampled, HeapMode::Sampled)] {
        let mut bytes = Vec::new();
        calor_formats::native::write(&heap_sketch::server(mode), &mut bytes)?;
        std::fs::write(path, bytes)?;
    }
    Ok(())
}
