//! A history for spreadsheets: a row for each scope and run.

use calor_analysis::history::History;

use super::words;
use calor_wire::utc;

pub(super) fn page(history: &History) -> String {
    let unit = if history.metric.is_bytes() { "value_bytes" } else { "value_ns" };
    let mut page = format!("scope,place,of,at,run,commit,{unit},change,change_low,change_high\r\n");
    for series in &history.series {
        for (at, run) in history.runs.iter().enumerate() {
            let Some(value) = series.values[at] else { continue };
            let change = series.changes.iter().find(|change| change.at == at).map(|change| change.change);
            let part = |part: Option<f64>| part.map(|part| format!("{part:.6}")).unwrap_or_default();
            let fields = [
                series.scope.clone().unwrap_or_default(),
                series.place.clone().unwrap_or_default(),
                series.value.word().to_owned(),
                utc(run.at_unix_nanos).unwrap_or_default(),
                run.id.clone(),
                words::commit(run).unwrap_or_default(),
                format!("{value:.0}"),
                part(change.map(|change| change.effect)),
                part(change.map(|change| change.interval[0])),
                part(change.map(|change| change.interval[1])),
            ];
            page += &(fields.map(quoted).join(",") + "\r\n");
        }
    }
    page
}

fn quoted(field: String) -> String {
    match field.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", field.replace('"', "\"\"")),
        false => field,
    }
}
