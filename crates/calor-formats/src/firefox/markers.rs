//! Spans and marks of a thread as markers: the picture of when things happened.

use std::borrow::Cow;

use calor_model::{Profile, Span, Track};
use serde::Serialize;
use serde_json::{Value, json};

use super::tables::Tables;
use super::{category, millis};

const SPAN: &str = "Span";
const MARK: &str = "Mark";

/// The format's numbers for what happened at an instant and what took time.
const INSTANT: u8 = 0;
const INTERVAL: u8 = 1;

#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Markers {
    length: usize,
    category: Vec<usize>,
    data: Vec<Data>,
    end_time: Vec<Option<f64>>,
    name: Vec<usize>,
    phase: Vec<u8>,
    start_time: Vec<f64>,
}

#[derive(Serialize)]
struct Data {
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<String>,
}

/// How markers are to be shown.
pub(super) fn schema() -> Value {
    json!([
        {
            "name": SPAN,
            "display": ["marker-chart", "marker-table", "timeline-overview"],
            "chartLabel": "{marker.name}",
            "tooltipLabel": "{marker.name}",
            "tableLabel": "{marker.name}",
            "description": "A scope from its beginning to its end",
            "fields": [],
        },
        {
            "name": MARK,
            "display": ["marker-chart", "marker-table", "timeline-overview"],
            "tableLabel": "{marker.name} {marker.data.details}",
            "description": "Something that happened at an instant",
            "fields": [{ "key": "details", "label": "Details", "format": "string", "searchable": true }],
        },
    ])
}

pub(super) fn columns<'w>(profile: &'w Profile, track: &'w Track, tables: &mut Tables<'w>) -> Markers {
    let mut markers = Markers::default();
    let order = |span: &Span| (span.start_nanos, std::cmp::Reverse(span.duration_nanos), span.stack);
    let mut spans = Cow::Borrowed(&track.spans);
    if !spans.is_sorted_by_key(order) {
        spans.to_mut().sort_by_key(order);
    }
    for span in spans.iter() {
        let frame = profile.frames.get(profile.stacks.get(span.stack).frame);
        let end = span.start_nanos.saturating_add(span.duration_nanos);
        markers.category.push(category::of(frame.kind));
        markers.data.push(Data { kind: SPAN, details: None });
        markers.start_time.push(millis(span.start_nanos));
        markers.end_time.push(Some(millis(end)));
        markers.name.push(tables.string(profile.strings.get(frame.name)));
        markers.phase.push(INTERVAL);
    }
    for mark in &track.marks {
        let text = |id| profile.strings.get(id);
        let details = mark.details.iter().map(|&(key, value)| format!("{}: {}", text(key), text(value)));
        markers.category.push(0);
        markers.data.push(Data { kind: MARK, details: Some(details.collect::<Vec<_>>().join(", ")) });
        markers.start_time.push(millis(mark.at_nanos));
        markers.end_time.push(None);
        markers.name.push(tables.string(text(mark.name)));
        markers.phase.push(INSTANT);
    }
    markers.length = markers.name.len();
    markers
}
