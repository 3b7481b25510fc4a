//! How long reading a Chrome trace takes and what it keeps, for the record of the format's page:
//! `cargo run --release -p calor-formats --features all --example chrome_speed -- trace.json`

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("give a trace")?;
    let bytes = std::fs::read(path)?;
    for _ in 0..5 {
        let start = std::time::Instant::now();
        let profile = calor_formats::chrome::read(&bytes)?;
        let seconds = start.elapsed().as_secs_f64();
        let megabytes = bytes.len() as f64 / 1e6;
        println!(
            "{megabytes:.0} MB in {seconds:.3} s ({:.0} MB/s): {} spans, {} paths, {} warnings",
            megabytes / seconds,
            profile.timeline.n_spans(),
            profile.stacks.len(),
            profile.warnings.len()
        );
    }
    Ok(())
}
