//! The outermost message, taken apart without looking inside: samples come before the tables they point into,
//! so they are stepped over here and read once the tables are known.

use prost::Message;

use super::message::field;
use super::wire::{Piece, invalid};
use crate::Error;

/// The fields of the outermost message. Numbers that are names are indexes into the strings.
pub(super) struct File<'a> {
    whole: Piece<'a>,
    pub(super) sample_types: Vec<Piece<'a>>,
    pub(super) mappings: Vec<Piece<'a>>,
    pub(super) locations: Vec<Piece<'a>>,
    pub(super) functions: Vec<Piece<'a>>,
    pub(super) strings: Vec<&'a [u8]>,
    pub(super) drop_frames: i64,
    pub(super) keep_frames: i64,
    pub(super) time_nanos: i64,
    pub(super) duration_nanos: i64,
    pub(super) period_type: Option<Piece<'a>>,
    pub(super) period: i64,
    pub(super) comments: Vec<i64>,
    pub(super) default_sample_type: i64,
    pub(super) doc_url: i64,
}

impl<'a> File<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Result<Self, Error> {
        let mut file = Self {
            whole: Piece::new(bytes),
            sample_types: Vec::new(),
            mappings: Vec::new(),
            locations: Vec::new(),
            functions: Vec::new(),
            strings: Vec::new(),
            drop_frames: 0,
            keep_frames: 0,
            time_nanos: 0,
            duration_nanos: 0,
            period_type: None,
            period: 0,
            comments: Vec::new(),
            default_sample_type: 0,
            doc_url: 0,
        };
        let mut fields = file.whole.fields();
        while let Some(field) = fields.next()? {
            match field.number {
                field::SAMPLE_TYPE => file.sample_types.push(field.as_bytes("a sample type")?),
                field::MAPPING => file.mappings.push(field.as_bytes("a mapping")?),
                field::LOCATION => file.locations.push(field.as_bytes("a location")?),
                field::FUNCTION => file.functions.push(field.as_bytes("a function")?),
                field::STRING_TABLE => file.strings.push(field.as_bytes("a string")?.bytes),
                field::DROP_FRAMES => file.drop_frames = field.as_number("frames to drop")? as i64,
                field::KEEP_FRAMES => file.keep_frames = field.as_number("frames to keep")? as i64,
                field::TIME_NANOS => file.time_nanos = field.as_number("the time")? as i64,
                field::DURATION_NANOS => file.duration_nanos = field.as_number("the duration")? as i64,
                field::PERIOD_TYPE => file.period_type = Some(field.as_bytes("the period's type")?),
                field::PERIOD => file.period = field.as_number("the period")? as i64,
                field::COMMENT => field.value.each_number(|index| file.comments.push(index as i64))?,
                field::DEFAULT_SAMPLE_TYPE => {
                    file.default_sample_type = field.as_number("the default sample type")? as i64;
                }
                field::DOC_URL => file.doc_url = field.as_number("the address of the documentation")? as i64,
                _ => {}
            }
        }
        if file.sample_types.is_empty() {
            let found = format!("none in {} bytes", bytes.len());
            return Err(invalid("a sample type that says what the values are", found, bytes.len()));
        }
        Ok(file)
    }

    /// Hands over one sample after the other.
    pub(super) fn for_each_sample(
        &self,
        mut each: impl FnMut(Piece<'a>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut fields = self.whole.fields();
        while let Some(field) = fields.next()? {
            if field.number == field::SAMPLE {
                each(field.as_bytes("a sample")?)?;
            }
        }
        Ok(())
    }

    /// How many bytes there are: what is made of them has to stay in proportion.
    pub(super) fn n_bytes(&self) -> usize {
        self.whole.bytes.len()
    }
}

/// A message that is small enough to be decoded as a whole.
pub(super) fn decode<M: Message + Default>(piece: Piece<'_>, what: &str) -> Result<M, Error> {
    M::decode(piece.bytes).map_err(|error| invalid(what, format!("other content ({error})"), piece.offset))
}
