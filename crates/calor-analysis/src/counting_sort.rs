//! Sorting by a small whole number. Rows of a profile are put in order by handle, and handles are dense: counting
//! how many rows each has is one pass, where comparing them would be many.

/// The items in order of their place, which is below `n_places`; items of one place keep their order.
pub(crate) fn by_place<T: Copy>(items: &[T], n_places: usize, place: impl Fn(&T) -> usize) -> Vec<T> {
    let Some(&some) = items.first() else { return Vec::new() };
    let mut starts = vec![0_usize; n_places + 1];
    items.iter().for_each(|item| starts[place(item) + 1] += 1);
    for place in 1..starts.len() {
        starts[place] += starts[place - 1];
    }
    let mut sorted = vec![some; items.len()];
    for item in items {
        let start = &mut starts[place(item)];
        sorted[*start] = *item;
        *start += 1;
    }
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_come_in_order_of_place_and_keep_theirs_inside_one() {
        let items = [(2, 'a'), (0, 'b'), (2, 'c'), (1, 'd'), (0, 'e')];
        let sorted = by_place(&items, 4, |item| item.0);
        assert_eq!(sorted, [(0, 'b'), (0, 'e'), (1, 'd'), (2, 'a'), (2, 'c')]);
        assert_eq!(by_place(&[0_usize; 0], 0, |item| *item), []);
    }
}
