//! What the page's script reads: columns, not objects, which a browser reads in a fraction of the time. What they mean
//! stands in `web/modules/flame/data.js`, where they are typed.

use std::collections::BTreeMap;

use calor_analysis::{FlameColumns, FlameLeftOut, FlameLeftOutRow};
use serde::Serialize;

use crate::flame::ColourScheme;
use crate::flame::markup::{frame_name, frame_short_name, shown};
use crate::flame::value;

#[derive(Serialize)]
struct Data<'c> {
    /// Texts of modules and files.
    strings: Vec<String>,
    kinds: Vec<&'static str>,
    /// What frames are called, sorted.
    names: Vec<String>,
    /// What stands in frames whose names are long, by their numbers.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    short: BTreeMap<usize, String>,
    frames: Frames,
    paths: Paths<'c>,
    metrics: Vec<Metric<'c>>,
    /// By the word of a scheme, the place of each frame in its palette.
    colours: BTreeMap<&'static str, Vec<usize>>,
    palettes: BTreeMap<&'static str, Palette>,
}

/// Columns of frames: places among the texts, -1 where there is none.
#[derive(Serialize)]
struct Frames {
    kind: Vec<i64>,
    module: Vec<i64>,
    file: Vec<i64>,
    line: Vec<u32>,
}

#[derive(Serialize)]
struct Paths<'c> {
    frame: &'c [u32],
    /// How many rows before it its caller stands.
    back: Vec<u32>,
}

#[derive(Serialize)]
struct Metric<'c> {
    id: &'c str,
    name: &'c str,
    unit: &'static str,
    path: &'c [u32],
    thread: &'c [u32],
    value: &'c [u64],
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<LeftOut>,
}

/// What weighs on paths that are not on the page.
#[derive(Serialize)]
struct LeftOut {
    /// The path that they are below.
    path: Vec<u32>,
    thread: Vec<u32>,
    /// The frame that they end with, twice its number and one more where others are in between; -1 if unknown.
    end: Vec<i64>,
    value: Vec<u64>,
    names: Names,
}

/// Names that are on such paths: how much is on all paths that hold them, and on those that end with them.
#[derive(Serialize)]
struct Names {
    frame: Vec<u32>,
    total: Vec<u64>,
    #[serde(rename = "self")]
    self_value: Vec<u64>,
}

#[derive(Serialize)]
struct Palette {
    light: Vec<String>,
    dark: Vec<String>,
}

/// The columns as JSON that can stand inside a script element.
pub(super) fn json(columns: &FlameColumns<'_>) -> Result<String, serde_json::Error> {
    let frames = &columns.frames;
    let (mut strings, mut kinds) = (Texts::default(), Texts::default());
    let data = Data {
        names: frames.iter().map(frame_name).collect(),
        short: (0..)
            .zip(frames)
            .filter_map(|(place, frame)| Some((place, frame_short_name(frame)?)))
            .collect(),
        frames: Frames {
            kind: frames.iter().map(|frame| kinds.place(frame.kind.word())).collect(),
            module: frames.iter().map(|frame| strings.place_or_none(frame.module)).collect(),
            file: frames.iter().map(|frame| strings.place_or_none(frame.file)).collect(),
            line: frames.iter().map(|frame| frame.line.unwrap_or(0)).collect(),
        },
        paths: Paths {
            frame: &columns.frame,
            back: (0..).zip(&columns.parent).map(|(path, caller): (u32, _)| path - caller).collect(),
        },
        metrics: columns.metrics.iter().map(metric).collect(),
        colours: ColourScheme::ALL
            .map(|scheme| (scheme.word(), frames.iter().map(|frame| scheme.place(frame)).collect()))
            .into(),
        palettes: ColourScheme::ALL.map(|scheme| (scheme.word(), palette(scheme))).into(),
        strings: strings.order.iter().map(|text| shown(text)).collect(),
        kinds: kinds.order,
    };
    // Inside texts only, so the meaning stays the same; `</script>` and `<!--` cannot appear.
    Ok(serde_json::to_string(&data)?.replace('<', "\\u003c"))
}

/// Texts by the order of their first use.
#[derive(Default)]
struct Texts<'t> {
    order: Vec<&'t str>,
    places: BTreeMap<&'t str, i64>,
}

impl<'t> Texts<'t> {
    fn place(&mut self, text: &'t str) -> i64 {
        *self.places.entry(text).or_insert_with(|| {
            self.order.push(text);
            self.order.len() as i64 - 1
        })
    }

    fn place_or_none(&mut self, text: Option<&'t str>) -> i64 {
        text.map_or(-1, |text| self.place(text))
    }
}

fn metric(column: &calor_analysis::FlameColumn) -> Metric<'_> {
    Metric {
        id: &column.id,
        name: &column.name,
        unit: value::word(column.unit),
        path: &column.path,
        thread: &column.thread,
        value: &column.self_value,
        left_out: (!column.left_out.rows.is_empty()).then(|| left_out(&column.left_out)),
    }
}

fn left_out(left_out: &FlameLeftOut) -> LeftOut {
    let FlameLeftOut { rows, names } = left_out;
    let end = |row: &FlameLeftOutRow| row.end.map_or(-1, |end| 2 * i64::from(end) + i64::from(row.has_gap));
    LeftOut {
        path: rows.iter().map(|row| row.path).collect(),
        thread: rows.iter().map(|row| row.thread).collect(),
        end: rows.iter().map(end).collect(),
        value: rows.iter().map(|row| row.value).collect(),
        names: Names {
            frame: names.iter().map(|name| name.frame).collect(),
            total: names.iter().map(|name| name.total).collect(),
            self_value: names.iter().map(|name| name.self_value).collect(),
        },
    }
}

fn palette(scheme: ColourScheme) -> Palette {
    let (light, dark) = scheme.palette().into_iter().map(|shade| (shade.light, shade.dark)).unzip();
    Palette { light, dark }
}
