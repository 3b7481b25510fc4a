//! Hot paths as a table for spreadsheets: the rows and their order are the report's, the columns those of the format.

use std::io::Write;

use calor_analysis::Grouping;

use crate::Error;
use crate::report::Report;

pub(crate) fn write(report: &Report<'_>, out: &mut impl Write) -> Result<(), Error> {
    if report.options.subtract_overhead {
        return Err(Error::NotInCsv { what: "subtract the cost of recording" });
    }
    if report.options.grouping == Grouping::Function {
        return Err(Error::NotInCsv { what: "add up the paths of a function" });
    }
    let chosen = report.answer.on_chosen_threads();
    calor_formats::csv::write_paths(&chosen, report.answer.listed_stacks(), out).map_err(
        |error| match error {
            calor_formats::Error::Write(error) => Error::Write(error),
            other => Error::Write(std::io::Error::other(other)),
        },
    )
}
