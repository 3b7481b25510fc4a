//! Converts a profile from any format to any other, so that what is written can be given to readers of others:
//! `cargo run -p calor-formats --features all --example convert -- profile.calor firefox out.json [metric]`

use calor_formats::{Format, Metric, WriteOptions};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [input, format, output, rest @ ..] = arguments.as_slice() else {
        return Err("give a profile, the word for a format, where to write to, and perhaps a metric".into());
    };
    let mut options = WriteOptions::default();
    options.metric = rest.first().map(|word| word.parse::<Metric>()).transpose()?;
    let profile = calor_formats::read(&std::fs::read(input)?)?;
    let out = std::fs::File::create(output)?;
    calor_formats::write(&profile, format.parse::<Format>()?, &options, out)?;
    Ok(())
}
