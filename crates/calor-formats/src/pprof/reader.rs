//! Reads a file: first the tables, then one sample after the other straight into the tables of the profile, so
//! that no more is held than the file and the profile.

use calor_model::{Profile, Warning};

use super::columns::Columns;
use super::file::File;
use super::labels::Labels;
use super::paths::Paths;
use super::places::Places;
use super::rows::Rows;
use super::run;
use super::texts::Texts;
use super::wire::{Piece, invalid};
use crate::{Error, Format, compressed, imported};

/// Reads a profile, gzip around it or not.
///
/// What the format has and a profile has not (regular expressions of frames to drop, build ids, comments, the
/// period) becomes labels of the run. What could not be read as it was meant is told by warnings.
///
/// # Errors
/// When the bytes are no such message, or point to what is not there.
pub fn read(bytes: &[u8]) -> Result<Profile, Error> {
    let unpacked = compressed::unpack(bytes)?;
    let mut file = File::new(&unpacked.bytes)?;
    let mut texts = Texts::new(std::mem::take(&mut file.strings));
    let mut profile = Profile::default();
    let mut facts = run::read(&file, &texts)?;
    let mut places = Places::read(&file, &mut texts, &mut profile, &mut facts.run.labels)?;
    let columns = Columns::read(&file, &texts, &mut profile)?;
    let mut rows = Rows::new(columns, facts.heap_mode);
    let mut labels = Labels::default();
    let mut paths = Paths::new(file.n_bytes());
    let mut sample = Sample::default();
    file.for_each_sample(|piece| {
        sample.decode(piece)?;
        if sample.values.len() != rows.columns.len() {
            let expected = format!("a sample of {} values, one for each sample type", rows.columns.len());
            return Err(invalid(expected, format!("{} values", sample.values.len()), piece.offset));
        }
        let stack = paths.stack(&sample.locations, piece.offset, &mut places, &mut profile)?;
        let tags = labels.tags(&sample.labels, &mut texts, &mut profile)?;
        let amounts = rows.columns.amounts(&sample.values);
        rows.add(stack, tags, amounts, &mut profile);
        Ok(())
    })?;
    rows.finish(&mut profile);
    places.warn(&mut profile);
    labels.warn(&mut profile);
    if paths.n_without() > 0 {
        let message = "samples have no call path; they are shown as (unknown)";
        profile.warn(Warning::counted("stacks_missing", message, paths.n_without()));
    }
    imported::finish(&mut profile, &unpacked.bytes, facts.run);
    imported::refuse_useless(&profile, Format::Pprof)?;
    Ok(profile)
}

/// A sample as it stands in the file; its lists are used again for the next one.
#[derive(Default)]
struct Sample<'a> {
    locations: Vec<u64>,
    values: Vec<i64>,
    labels: Vec<Piece<'a>>,
}

impl<'a> Sample<'a> {
    fn decode(&mut self, piece: Piece<'a>) -> Result<(), Error> {
        self.locations.clear();
        self.values.clear();
        self.labels.clear();
        let mut fields = piece.fields();
        while let Some(field) = fields.next()? {
            match field.number {
                1 => field.value.each_number(|id| self.locations.push(id))?,
                2 => field.value.each_number(|value| self.values.push(value as i64))?,
                3 => self.labels.push(field.as_bytes("a label")?),
                _ => {}
            }
        }
        Ok(())
    }
}
