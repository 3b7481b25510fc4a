//! Colours of frames. They follow from names alone, so that a function has its colour in every picture of every
//! run. Each palette is a list with a shade for light and one for dark pages; frames hold places in it.

use calor_analysis::{FlameFrame, FlameKind};
use calor_model::FrameKind;

/// What the colour of a frame tells.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum ColourScheme {
    /// Nothing but whether it is Python: warm colours that set neighbours apart, and cool ones for Python.
    #[default]
    Hot,
    /// The module.
    Module,
    /// The kind of frame.
    Kind,
}

/// A colour as `#rrggbb` on a light and on a dark page.
pub(super) struct Shade {
    pub(super) light: String,
    pub(super) dark: String,
}

/// Behind them is one for what is not code, the root and threads, and then as many for Python.
const N_HOT: usize = 20;
/// Place 0 is for frames without a module; the others are hues in two strengths.
const N_MODULES: usize = 73;
/// In the order of [`kind_place`].
const KIND_HUES: [(f64, f64); 9] = [
    (30.0, 8.0),
    (30.0, 18.0),
    (24.0, 85.0),
    (45.0, 85.0),
    (4.0, 70.0),
    (285.0, 45.0),
    (212.0, 65.0),
    (140.0, 45.0),
    (30.0, 8.0),
];

impl ColourScheme {
    /// All schemes, in the order they are listed to people.
    pub const ALL: [Self; 3] = [Self::Hot, Self::Module, Self::Kind];

    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Hot => "hot",
            Self::Module => "module",
            Self::Kind => "kind",
        }
    }

    /// What the classes of its colours begin with: pictures of different schemes may stand on one page.
    pub(super) fn letter(self) -> char {
        match self {
            Self::Hot => 'h',
            Self::Module => 'm',
            Self::Kind => 'k',
        }
    }

    /// What the colour of a frame stands for in words, where it stands for something.
    pub(super) fn meaning<'f>(self, frame: &FlameFrame<'f>) -> Option<&'f str> {
        match (self, frame.kind) {
            (Self::Hot, _) | (_, FlameKind::All | FlameKind::Thread) => None,
            (Self::Module, _) => Some(frame.module.unwrap_or("no module")),
            (Self::Kind, kind) => Some(kind.word()),
        }
    }

    pub(super) fn palette(self) -> Vec<Shade> {
        match self {
            Self::Hot => (0..N_HOT).map(hot).chain([shade(30.0, 18.0)]).chain((0..N_HOT).map(cool)).collect(),
            Self::Module => (0..N_MODULES)
                .map(|place| match place {
                    0 => shade(30.0, 8.0),
                    _ if place % 2 == 0 => shade((place / 2 * 10) as f64, 72.0),
                    _ => Shade {
                        light: hex((place / 2 * 10 + 5) as f64, 45.0, 66.0),
                        dark: hex((place / 2 * 10 + 5) as f64, 35.0, 44.0),
                    },
                })
                .collect(),
            Self::Kind => KIND_HUES.iter().map(|(hue, saturation)| shade(*hue, *saturation)).collect(),
        }
    }

    /// The place of a frame's colour in the palette.
    pub(super) fn place(self, frame: &FlameFrame<'_>) -> usize {
        match (self, frame.kind) {
            (Self::Kind, kind) => kind_place(kind),
            (Self::Module, _) => match frame.module {
                Some(module) => 1 + place_of(module, N_MODULES - 1),
                None => 0,
            },
            (Self::Hot, FlameKind::All | FlameKind::Thread) => N_HOT,
            (Self::Hot, FlameKind::Code(FrameKind::Python)) => N_HOT + 1 + place_of(frame.name, N_HOT),
            (Self::Hot, _) => place_of(frame.name, N_HOT),
        }
    }
}

fn kind_place(kind: FlameKind) -> usize {
    match kind {
        FlameKind::All => 0,
        FlameKind::Thread => 1,
        FlameKind::Code(FrameKind::Scope) => 2,
        FlameKind::Code(FrameKind::Context) => 3,
        FlameKind::Code(FrameKind::Native) => 4,
        FlameKind::Code(FrameKind::Kernel) => 5,
        FlameKind::Code(FrameKind::Python) => 6,
        FlameKind::Code(FrameKind::Gpu) => 7,
        FlameKind::Code(_) => 8,
    }
}

/// From red to yellow, in two strengths.
fn hot(place: usize) -> Shade {
    let hue = 6.0 + 44.0 * (place % 10) as f64 / 9.0;
    let step = if place < 10 { 0.0 } else { 6.0 };
    Shade { light: hex(hue, 88.0, 66.0 + step), dark: hex(hue, 58.0, 33.0 + step) }
}

/// From green-blue to blue, in two strengths.
fn cool(place: usize) -> Shade {
    let hue = 190.0 + 35.0 * (place % 10) as f64 / 9.0;
    let step = if place < 10 { 0.0 } else { 6.0 };
    Shade { light: hex(hue, 62.0, 68.0 + step), dark: hex(hue, 45.0, 34.0 + step) }
}

fn shade(hue: f64, saturation: f64) -> Shade {
    Shade { light: hex(hue, saturation, 74.0), dark: hex(hue, saturation * 0.75, 35.0) }
}

fn hex(hue: f64, saturation: f64, lightness: f64) -> String {
    let (saturation, lightness) = (saturation / 100.0, lightness / 100.0);
    let channel = |offset: f64| {
        let k = (offset + hue / 30.0) % 12.0;
        let dip = (k - 3.0).min(9.0 - k).clamp(-1.0, 1.0);
        ((lightness - saturation * lightness.min(1.0 - lightness) * dip) * 255.0).round() as u8
    };
    format!("#{:02x}{:02x}{:02x}", channel(0.0), channel(8.0), channel(4.0))
}

/// One of `n_places`, from the name alone: FNV-1a, finished so that names that differ in their last letter are
/// far apart. Part of the look: it stays.
fn place_of(name: &str, n_places: usize) -> usize {
    let mut hash = 0x811c_9dc5_u32;
    for byte in name.bytes() {
        hash = (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    }
    hash ^= hash >> 15;
    hash = hash.wrapping_mul(0x2c1b_3c6d);
    hash ^= hash >> 13;
    ((u64::from(hash) * n_places as u64) >> 32) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_keeps_its_colour() {
        let frame = FlameFrame {
            name: "gemm",
            kind: FlameKind::Code(FrameKind::Native),
            tid: None,
            module: Some("libblas.so"),
            file: None,
            line: None,
        };
        let places = ColourScheme::ALL.map(|scheme| scheme.place(&frame));
        assert_eq!(places, [7, 9, 4]);
        let python = FlameFrame { kind: FlameKind::Code(FrameKind::Python), ..frame };
        assert_eq!(ColourScheme::ALL.map(|scheme| scheme.place(&python)), [28, 9, 6]);
        for scheme in ColourScheme::ALL {
            assert!(scheme.place(&frame) < scheme.palette().len());
        }
        assert_eq!(hex(120.0, 100.0, 50.0), "#00ff00");
    }
}
