//! The lines of a file of folded stacks as a tree of names. Lines share their beginnings with those before and
//! behind them, so they are put in order level by level and never held as texts.

use std::io::{self, Write};

use calor_model::{FrameId, StackId, StackTable};

use super::name;
use crate::Weights;

/// What is to be written.
pub(super) struct Lines {
    /// What frames are called in a line, sorted, each once.
    names: Vec<Vec<u8>>,
    /// The beginnings of lines. Their frames are places in `names`, so that paths which differ in what a line
    /// does not show, such as the module, are one.
    paths: StackTable,
    /// What stands at the end of the line of each path; 0 for one that only leads to others.
    values: Vec<u64>,
}

/// A path that is being written.
struct Open {
    path: usize,
    /// How long the line is in front of its name.
    n_bytes_before: usize,
}

impl Lines {
    pub(super) fn new(weights: &Weights<'_>) -> io::Result<Self> {
        let mut named = Vec::with_capacity(weights.frames.len());
        for (id, frame) in weights.frames.iter() {
            let mut name = Vec::new();
            name::write(frame, &weights.strings, &mut name)?;
            named.push((name, id));
        }
        named.sort_unstable();
        let mut names: Vec<Vec<u8>> = Vec::with_capacity(named.len());
        let mut name_of = vec![FrameId::from_index(0); named.len()];
        for (name, frame) in named {
            if names.last() != Some(&name) {
                names.push(name);
            }
            name_of[frame.index()] = FrameId::from_index(names.len() - 1);
        }
        let mut paths = StackTable::default();
        paths.reserve(weights.stacks.len());
        let mut path_of: Vec<StackId> = Vec::with_capacity(weights.stacks.len());
        for (_, stack) in weights.stacks.iter() {
            let parent = stack.parent.map(|parent| path_of[parent.index()]);
            path_of.push(paths.intern(parent, name_of[stack.frame.index()]));
        }
        let mut values = vec![0_u64; paths.len()];
        for row in &weights.rows {
            let value = &mut values[path_of[row.stack.index()].index()];
            *value = value.saturating_add(row.value);
        }
        Ok(Self { names, paths, values })
    }

    /// Writes all lines, a path before those that begin with it.
    pub(super) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let (ends, callees) = self.callees();
        let mut line: Vec<u8> = Vec::new();
        // Those that are still to be written, the next one last.
        let open = |path: &u32, n_bytes_before| Open { path: *path as usize, n_bytes_before };
        let mut waiting: Vec<Open> =
            callees[..ends[0] as usize].iter().rev().map(|path| open(path, 0)).collect();
        while let Some(Open { path, n_bytes_before }) = waiting.pop() {
            let row = self.paths.get(StackId::from_index(path));
            line.truncate(n_bytes_before);
            if row.parent.is_some() {
                line.push(b';');
            }
            line.extend_from_slice(&self.names[row.frame.index()]);
            if self.values[path] > 0 {
                out.write_all(&line)?;
                writeln!(out, " {}", self.values[path])?;
            }
            let own = &callees[ends[path] as usize..ends[path + 1] as usize];
            waiting.extend(own.iter().rev().map(|callee| open(callee, line.len())));
        }
        Ok(())
    }

    /// The paths of one name, then for each path those that are one name longer: each list sorted by that name,
    /// and where each of the lists ends.
    fn callees(&self) -> (Vec<u32>, Vec<u32>) {
        let list = |parent: Option<StackId>| parent.map_or(0, |parent| parent.index() + 1);
        // Where each list begins, one place further on; filling the lists moves that to where it ends.
        let mut ends = vec![0_u32; self.paths.len() + 2];
        self.paths.iter().for_each(|(_, path)| ends[list(path.parent) + 1] += 1);
        for index in 1..ends.len() {
            ends[index] += ends[index - 1];
        }
        let mut callees = vec![0_u32; self.paths.len()];
        for (id, path) in self.paths.iter() {
            let end = &mut ends[list(path.parent)];
            callees[*end as usize] = id.index() as u32;
            *end += 1;
        }
        let name = |path: &u32| self.paths.get(StackId::from_index(*path as usize)).frame;
        let mut start = 0;
        for &end in &ends {
            callees[start..end as usize].sort_unstable_by_key(name);
            start = end as usize;
        }
        (ends, callees)
    }
}
