//! The code that an entry stands for: one range, or a list of them.

use std::ops::Range;

use gimli::{Attribute, AttributeValue, RangeListsOffset};

use super::{Reader, UnitRef};

/// An entry's attributes about its code, gathered as they come.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct CodeRanges {
    low: Option<u64>,
    high: Option<u64>,
    size: Option<u64>,
    list: Option<RangeListsOffset>,
}

impl CodeRanges {
    /// Takes the attribute if it is about code.
    pub(super) fn take<'a>(
        &mut self,
        unit: UnitRef<'a, '_>,
        attribute: &Attribute<Reader<'a>>,
    ) -> gimli::Result<()> {
        match (attribute.name(), attribute.value()) {
            (gimli::DW_AT_low_pc, value) => self.low = address(unit, value)?,
            (gimli::DW_AT_high_pc, AttributeValue::Udata(size)) => self.size = Some(size),
            (gimli::DW_AT_high_pc, value) => self.high = address(unit, value)?,
            (gimli::DW_AT_ranges, value) => self.list = ranges_offset(unit, value)?,
            _ => {}
        }
        Ok(())
    }

    /// Whether it says anything about code.
    pub(super) fn is_any(&self) -> bool {
        self.low.is_some() || self.list.is_some()
    }

    /// Calls `each` for every range that has code in it and was not dropped by the linker.
    pub(super) fn each(
        &self,
        unit: UnitRef<'_, '_>,
        code: &[Range<u64>],
        mut each: impl FnMut(Range<u64>),
    ) -> gimli::Result<()> {
        let mut take = |range: Range<u64>| {
            if range.start < range.end && is_code(code, range.start) {
                each(range);
            }
        };
        if let Some(offset) = self.list {
            let mut ranges = unit.ranges(offset)?;
            while let Some(range) = ranges.next()? {
                take(range.begin..range.end);
            }
        } else if let Some(low) = self.low {
            let high = self.high.or(self.size.and_then(|size| low.checked_add(size)));
            take(low..high.unwrap_or(low));
        }
        Ok(())
    }
}

pub(super) fn is_code(code: &[Range<u64>], address: u64) -> bool {
    code.iter().any(|range| range.contains(&address))
}

fn address<'a>(unit: UnitRef<'a, '_>, value: AttributeValue<Reader<'a>>) -> gimli::Result<Option<u64>> {
    match value {
        AttributeValue::Addr(address) => Ok(Some(address)),
        AttributeValue::DebugAddrIndex(index) => unit.address(index).map(Some),
        _ => Ok(None),
    }
}

fn ranges_offset<'a>(
    unit: UnitRef<'a, '_>,
    value: AttributeValue<Reader<'a>>,
) -> gimli::Result<Option<RangeListsOffset>> {
    match value {
        AttributeValue::RangeListsRef(offset) => Ok(Some(unit.ranges_offset_from_raw(offset))),
        AttributeValue::DebugRngListsIndex(index) => unit.ranges_offset(index).map(Some),
        _ => Ok(None),
    }
}
