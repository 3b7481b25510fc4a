//! Memory for packed parts that begins with a line of the cache: vectors that are as long as a line would otherwise be read
//! from two lines each.

/// Bytes of a line, and of the widest vectors.
const LINE: usize = 64;

/// Room for some numbers.
pub(super) struct Room<T> {
    memory: Vec<T>,
    length: usize,
}

impl<T: Copy + Default> Room<T> {
    pub(super) fn new(length: usize) -> Self {
        Self { memory: vec![T::default(); length + LINE / size_of::<T>()], length }
    }

    pub(super) fn numbers(&mut self) -> &mut [T] {
        // What cannot be aligned is used as it is: it is slower and no less right.
        let begin = self.memory.as_ptr().align_offset(LINE).min(self.memory.len() - self.length);
        &mut self.memory[begin..][..self.length]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_begins_with_a_line_and_has_its_length() {
        for length in [1, 7, 64, 1_000] {
            let (mut single, mut double) = (Room::<f32>::new(length), Room::<f64>::new(length));
            assert_eq!((single.numbers().len(), double.numbers().len()), (length, length));
            assert_eq!(single.numbers().as_ptr() as usize % LINE, 0);
            assert_eq!(double.numbers().as_ptr() as usize % LINE, 0);
        }
    }
}
