//! Saving a run: its profile and its row of the catalogue in one change.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use calor_model::{Profile, Run};
use rusqlite::{OptionalExtension, Transaction, params};

use crate::digest::Digest;
use crate::{Encoded, Error, Machine, Note, Revision, SavedId, Store, Totals, content, encoded, sums};

/// What became of a save.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Saved {
    /// What the run is called from now on.
    pub id: SavedId,
    /// Whether it was not in the store before. The same profile saved again stays one run, with the labels and settings
    /// of both saves.
    pub is_new: bool,
    /// How large the profile is on the disk.
    pub bytes: u64,
}

impl Store {
    /// Saves a profile. When this returns, it is on the disk; when it fails, everything is as it was.
    ///
    /// # Errors
    /// When the profile cannot be encoded or the store not be written.
    pub fn save(&mut self, profile: &Profile, note: &Note) -> Result<Saved, Error> {
        self.save_bytes(profile, &encoded::encode(profile)?, note)
    }

    /// Saves a profile by the bytes that are there.
    ///
    /// # Errors
    /// When the store cannot be written; everything is then as it was.
    pub fn save_encoded(&mut self, encoded: &Encoded, note: &Note) -> Result<Saved, Error> {
        self.save_bytes(encoded.profile(), encoded.bytes(), note)
    }

    fn save_bytes(&mut self, profile: &Profile, bytes: &[u8], note: &Note) -> Result<Saved, Error> {
        let digest = Digest::of(bytes);
        let entry = Entry::of(profile, note);
        let wrong = self.wrong("save the run");
        let change = self.change("save the run")?;
        let (id, is_new) = entry.write(&change, digest, bytes, profile).map_err(&wrong)?;
        change.commit().map_err(&wrong)?;
        Ok(Saved { id, is_new, bytes: bytes.len() as u64 })
    }
}

/// Now, in nanoseconds since 1970.
pub(crate) fn now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_nanos()).unwrap_or(u64::MAX)
}

/// A number as SQLite has it.
pub(crate) fn number(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// What the catalogue is told of a run.
struct Entry {
    saved_at: u64,
    started_at: Option<u64>,
    name: String,
    command: Option<String>,
    recorders: String,
    revision: Revision,
    machine: Option<Machine>,
    totals: Totals,
    n_runs: usize,
    labels: BTreeMap<String, String>,
    settings: BTreeMap<String, String>,
}

impl Entry {
    fn of(profile: &Profile, note: &Note) -> Self {
        let runs = &profile.runs;
        let recorders: BTreeSet<_> = runs.iter().flat_map(|run| &run.recorders).collect();
        let recorders: Vec<&str> = recorders.into_iter().map(|recorder| recorder.word()).collect();
        let started = runs.iter().map(|run| run.started_at_unix_nanos).filter(|nanos| *nanos > 0);
        let command = same(runs, |run| run.command.as_ref());
        let mut labels = shared_labels(runs);
        labels.extend(note.labels.clone());
        Self {
            saved_at: note.saved_at_unix_nanos.unwrap_or_else(now),
            started_at: started.min(),
            name: note.name.clone().unwrap_or_else(|| program(command.as_deref().unwrap_or_default())),
            command,
            recorders: recorders.join(" "),
            revision: revision(same(runs, |run| run.commit.as_ref()), &note.revision),
            machine: same(runs, |run| Some(&run.host)).as_ref().and_then(Machine::of),
            totals: Totals::of(profile),
            n_runs: runs.len(),
            labels,
            settings: note.settings.clone(),
        }
    }

    fn write(
        &self,
        change: &Transaction<'_>,
        digest: Digest,
        bytes: &[u8],
        profile: &Profile,
    ) -> rusqlite::Result<(SavedId, bool)> {
        let known = change
            .query_row("SELECT number, id FROM run WHERE digest = ?1", [&digest.to_bytes()[..]], |row| {
                Ok((row.get(0)?, SavedId::from_store(row.get(1)?)))
            })
            .optional()?;
        if let Some((run, id)) = known {
            self.write_pairs(change, run)?;
            return Ok((id, false));
        }
        let id = free_id(change, digest)?;
        let run = self.write_row(change, &id, digest, bytes.len())?;
        content::write(change, &content::RUN, run, bytes)?;
        sums::write(change, run, profile)?;
        self.write_pairs(change, run)?;
        Ok((id, true))
    }

    fn write_row(
        &self,
        change: &Transaction<'_>,
        id: &SavedId,
        digest: Digest,
        n_bytes: usize,
    ) -> rusqlite::Result<i64> {
        let machine = self.machine.as_ref().map(|machine| machine_number(change, machine)).transpose()?;
        let Totals { duration_nanos, cpu_nanos, samples, scopes, allocated_bytes, peak_bytes, warnings } =
            self.totals;
        change.execute(
            "INSERT INTO run (id, digest, bytes, saved_at, started_at, duration, cpu, name, command, recorders,
                              commit_hash, branch, is_dirty, machine, n_runs, n_samples, n_scopes, allocated_bytes,
                              peak_bytes, n_warnings)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20)",
            params![
                id.as_str(),
                &digest.to_bytes()[..],
                n_bytes as i64,
                number(self.saved_at),
                self.started_at.map(number),
                duration_nanos.map(number),
                cpu_nanos.map(number),
                self.name,
                self.command,
                self.recorders,
                self.revision.commit,
                self.revision.branch,
                self.revision.is_dirty,
                machine,
                self.n_runs as i64,
                samples.map(number),
                scopes.map(number),
                allocated_bytes.map(number),
                peak_bytes.map(number),
                number(warnings),
            ],
        )?;
        Ok(change.last_insert_rowid())
    }

    fn write_pairs(&self, change: &Transaction<'_>, run: i64) -> rusqlite::Result<()> {
        for (table, pairs) in [("label", &self.labels), ("setting", &self.settings)] {
            let sql = format!("INSERT OR REPLACE INTO {table} (run, key, value) VALUES (?1, ?2, ?3)");
            let mut insert = change.prepare(&sql)?;
            for (key, value) in pairs {
                insert.execute(params![run, key, value])?;
            }
        }
        Ok(())
    }
}

/// The first id of a content that no other content has.
fn free_id(change: &Transaction<'_>, digest: Digest) -> rusqlite::Result<SavedId> {
    let mut is_taken = change.prepare("SELECT 1 FROM run WHERE id = ?1")?;
    let mut attempt = 0;
    loop {
        let id = SavedId::of(digest, attempt);
        if !is_taken.exists([id.as_str()])? {
            return Ok(id);
        }
        attempt += 1;
    }
}

fn machine_number(change: &Transaction<'_>, machine: &Machine) -> rusqlite::Result<i64> {
    let Machine { name, os, kernel, arch, cpu, cores, memory_bytes } = machine;
    let memory_bytes = memory_bytes.map(number);
    let fingerprint = machine.fingerprint();
    let known = change
        .query_row(
            "SELECT number FROM machine WHERE fingerprint = ?1 AND name = ?2 AND memory_bytes IS ?3",
            params![fingerprint, name, memory_bytes],
            |row| row.get(0),
        )
        .optional()?;
    if let Some(number) = known {
        return Ok(number);
    }
    change.execute(
        "INSERT INTO machine (fingerprint, name, os, kernel, arch, cpu, cores, memory_bytes)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        params![fingerprint, name, os, kernel, arch, cpu, cores, memory_bytes],
    )?;
    Ok(change.last_insert_rowid())
}

/// What all runs of a profile agree on.
fn same<T: Clone + PartialEq>(runs: &[Run], value: impl Fn(&Run) -> Option<&T>) -> Option<T> {
    let first = value(runs.first()?)?;
    runs.iter().all(|run| value(run) == Some(first)).then(|| first.clone())
}

fn shared_labels(runs: &[Run]) -> BTreeMap<String, String> {
    let Some((first, rest)) = runs.split_first() else { return BTreeMap::new() };
    let is_shared = |key: &String, value: &String| rest.iter().all(|run| run.labels.get(key) == Some(value));
    let labels = first.labels.iter().filter(|(key, value)| is_shared(key, value));
    labels.map(|(key, value)| (key.clone(), value.clone())).collect()
}

/// The commit that the profile names, with what is known of it. One that the profile does not name is that of the note.
fn revision(commit: Option<String>, noted: &Revision) -> Revision {
    match (commit, &noted.commit) {
        (None, _) => noted.clone(),
        // The profile may have the short form.
        (Some(commit), Some(full)) if commit.len() >= 7 && full.starts_with(&commit) => noted.clone(),
        (commit, _) => Revision { commit, ..Revision::default() },
    }
}

/// What a command line is called: its program, or the script that an interpreter runs.
fn program(command: &str) -> String {
    const INTERPRETERS: [&str; 8] = ["python", "pypy", "node", "ruby", "perl", "bash", "sh", "env"];
    let file_name = |word: &str| -> String {
        let word = word.trim_matches(['\'', '"']);
        Path::new(word)
            .file_name()
            .map_or_else(|| word.to_owned(), |name| name.to_string_lossy().into_owned())
    };
    let mut words = command.split_whitespace();
    let first = words.next().map(file_name).unwrap_or_default();
    let stem = first.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    if INTERPRETERS.contains(&stem)
        && let Some(script) = words.next().filter(|word| !word.starts_with('-'))
    {
        return file_name(script);
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_called_like_its_program_or_script() {
        for (command, expected) in [
            ("/usr/bin/train --epochs 1", "train"),
            ("./train", "train"),
            ("python3.11 src/train.py --x", "train.py"),
            ("python -m torch", "python"),
            ("'my program' x", "my"),
            ("", ""),
            ("/", "/"),
        ] {
            assert_eq!(program(command), expected, "{command}");
        }
    }

    #[test]
    fn the_commit_of_the_profile_wins_and_keeps_the_branch_only_if_it_is_the_same() {
        let noted = Revision {
            commit: Some("1234567890".to_owned()),
            branch: Some("main".to_owned()),
            is_dirty: Some(true),
        };
        assert_eq!(revision(None, &noted), noted);
        assert_eq!(revision(Some("1234567".to_owned()), &noted), noted);
        let other = revision(Some("abcdef0".to_owned()), &noted);
        assert_eq!(other, Revision { commit: Some("abcdef0".to_owned()), ..Revision::default() });
    }
}
