//! Names beside dots, where there is room for them: a name that would lie over another is left out, and told by the pointer.

/// The width of a letter of the labels, 12 px of the system's font in semibold, and the height of a line.
const LETTER: f64 = 7.4;
const LINE: f64 = 14.0;
/// From a dot's edge to its name.
const GAP: f64 = 5.0;

/// A rectangle that is taken: left, top, right, bottom.
pub(super) type Taken = [f64; 4];

/// Where a name stands.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Place {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) anchor: &'static str,
}

/// The place for a name beside a dot: right of it, left, above or below, the first that is free and inside `room`. It is then
/// taken. `None` where there is none.
pub(super) fn place(name: &str, dot: [f64; 3], room: Taken, taken: &mut Vec<Taken>) -> Option<Place> {
    let [x, y, radius] = dot;
    let width = name.chars().count() as f64 * LETTER;
    let away = radius + GAP;
    let beside = |anchor, left: f64, base: f64| {
        let at = match anchor {
            "start" => left,
            "end" => left + width,
            _ => left + width / 2.0,
        };
        (Place { x: at, y: base, anchor }, [left, base - LINE + 3.0, left + width, base + 3.0])
    };
    let choices = [
        beside("start", x + away, y + 4.0),
        beside("end", x - away - width, y + 4.0),
        beside("middle", x - width / 2.0, y - away),
        beside("middle", x - width / 2.0, y + away + 9.0),
    ];
    let is_free = |area: &Taken| {
        let is_inside = area[0] >= room[0] && area[1] >= room[1] && area[2] <= room[2] && area[3] <= room[3];
        is_inside && !taken.iter().any(|other| overlaps(area, other))
    };
    let (place, area) = choices.into_iter().find(|(_, area)| is_free(area))?;
    taken.push(area);
    Some(place)
}

fn overlaps(a: &Taken, b: &Taken) -> bool {
    a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_go_around_what_is_taken_and_stay_inside() {
        let room = [0.0, 0.0, 200.0, 100.0];
        let mut taken = Vec::new();
        let anchor = |place: Option<Place>| place.map(|place| place.anchor);
        assert_eq!(anchor(place("right", [60.0, 50.0, 12.0], room, &mut taken)), Some("start"));
        assert_eq!(anchor(place("again", [60.0, 50.0, 12.0], room, &mut taken)), Some("end"));
        assert_eq!(anchor(place("above", [60.0, 50.0, 12.0], room, &mut taken)), Some("middle"));
        assert_eq!(anchor(place("below", [60.0, 50.0, 12.0], room, &mut taken)), Some("middle"));
        assert_eq!(anchor(place("never", [60.0, 50.0, 12.0], room, &mut taken)), None);
        assert_eq!(anchor(place("at the edge", [195.0, 20.0, 4.0], room, &mut taken)), Some("end"));
    }
}
