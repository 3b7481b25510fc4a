//! Runs the commands that documents show, so that a document cannot drift from the program.
//!
//! In README.md and docs/*.md, a fenced `sh` block right after the line `<!-- run -->` is executed by bash, which
//! stops at the first command that fails. The blocks of one document run in order, in a scratch copy of the
//! repository with the built `calor` first on the PATH, so they may write files and later ones may read them.

use std::path::Path;
use std::process::Command;

use anyhow::Context as _;

use crate::repository;

const MARK: &str = "<!-- run -->";

/// The commands of one fenced block.
#[derive(Debug, PartialEq, Eq)]
struct Block {
    /// Where its fence stands in the document, from 1.
    line: usize,
    script: String,
}

/// Runs all documents and returns how many blocks failed.
pub(crate) fn run(root: &Path, target: &Path) -> anyhow::Result<usize> {
    let paths = repository::paths(root)?;
    let mut n_failed = 0;
    for document in paths.iter().filter(|path| is_document(path)) {
        let text = std::fs::read_to_string(root.join(document))
            .with_context(|| format!("cannot read {document}"))?;
        let blocks = blocks(&text).with_context(|| format!("cannot run the commands of {document}"))?;
        if blocks.is_empty() {
            continue;
        }
        let scratch = target.join("readme").join(document.replace('/', "-"));
        copy_files(root, &paths, &scratch)?;
        for block in &blocks {
            n_failed += usize::from(!run_block(document, block, &scratch, target)?);
        }
    }
    Ok(n_failed)
}

fn is_document(path: &str) -> bool {
    path == "README.md"
        || path.strip_prefix("docs/").is_some_and(|rest| rest.ends_with(".md") && !rest.contains('/'))
}

fn blocks(text: &str) -> anyhow::Result<Vec<Block>> {
    let mut blocks = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((mark, _)) = lines.find(|(_, line)| line.trim() == MARK) {
        let Some((fence, _)) = lines.next().filter(|(_, line)| line.trim() == "```sh") else {
            anyhow::bail!("line {}: `{MARK}` is not followed by a line with ```sh", mark + 1);
        };
        let mut script = String::new();
        loop {
            match lines.next() {
                Some((_, line)) if line.trim() == "```" => break,
                Some((_, line)) => {
                    script.push_str(line);
                    script.push('\n');
                }
                None => anyhow::bail!("line {}: the block is not closed", fence + 1),
            }
        }
        blocks.push(Block { line: fence + 1, script });
    }
    Ok(blocks)
}

/// A fresh copy of the repository's files, without what is ignored.
fn copy_files(root: &Path, paths: &[String], scratch: &Path) -> anyhow::Result<()> {
    if scratch.exists() {
        std::fs::remove_dir_all(scratch).with_context(|| format!("cannot empty {}", scratch.display()))?;
    }
    for path in paths.iter().filter(|path| root.join(path).is_file()) {
        let to = scratch.join(path);
        let folder = to.parent().unwrap_or(scratch);
        std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
        std::fs::copy(root.join(path), &to)
            .with_context(|| format!("cannot copy {path} to {}", to.display()))?;
    }
    Ok(())
}

/// Whether the block ran to its end. Its output is shown only when it did not.
fn run_block(document: &str, block: &Block, scratch: &Path, target: &Path) -> anyhow::Result<bool> {
    let search_path = std::env::var_os("PATH").unwrap_or_default();
    let search_path =
        std::env::join_paths([target.join("debug")].into_iter().chain(std::env::split_paths(&search_path)))
            .context("the target folder cannot be put on the PATH")?;
    let output = Command::new("bash")
        .args(["-euo", "pipefail", "-c", &block.script])
        .current_dir(scratch)
        .env("PATH", search_path)
        .env("CARGO_TARGET_DIR", target)
        .output()
        .context("cannot start bash, which runs the commands of the documents")?;
    let is_fine = output.status.success();
    println!("{document}:{}: {}", block.line, if is_fine { "ran" } else { "failed" });
    if !is_fine {
        let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        println!("{}{}{}ended with {}", block.script, said[0], said[1], output.status);
    }
    Ok(is_fine)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_marked_blocks_are_taken_with_their_lines() {
        let text = "# Title\n```sh\nrm -r x\n```\n\n<!-- run -->\n```sh\ncalor demo\nls\n```\nend\n";
        let expect = Block { line: 7, script: "calor demo\nls\n".to_owned() };
        assert_eq!(blocks(text).unwrap(), [expect]);
    }

    #[track_caller]
    fn check_error(text: &str, expect: &str) {
        let error = blocks(text).unwrap_err().to_string();
        assert!(error.starts_with(expect), "{error}");
    }

    #[test]
    fn a_mark_without_a_block_is_an_error() {
        check_error("a\n<!-- run -->\ntext\n", "line 2: `<!-- run -->` is not followed by");
        check_error("<!-- run -->\n```sh\nls\n", "line 2: the block is not closed");
    }

    #[test]
    fn a_block_stops_at_its_first_failing_command() {
        let scratch = std::env::temp_dir().join(format!("calor-xtask-readme-{}", std::process::id()));
        std::fs::create_dir_all(&scratch).unwrap();
        let check = |script: &str| {
            let block = Block { line: 1, script: script.to_owned() };
            run_block("README.md", &block, &scratch, &scratch).unwrap()
        };
        assert!(check("echo a > file\ncat file"));
        assert!(check("test -f file"), "a later block sees the files of an earlier one");
        assert!(!check("false\ntrue"));
        assert!(!check("false | true"));
        std::fs::remove_dir_all(&scratch).unwrap();
    }

    #[test]
    fn the_readme_and_the_pages_of_docs_are_documents() {
        assert!(is_document("README.md"));
        assert!(is_document("docs/formats.md"));
        assert!(!is_document("docs/pictures/flame.svg"));
        assert!(!is_document("crates/calor/README.md"));
    }
}
