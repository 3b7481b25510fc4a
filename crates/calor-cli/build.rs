//! Puts the pages about rules into the command, so that `calor findings --explain` has them wherever it is installed. Without
//! the folder of documents, as in a package of this crate alone, there are none, and the command says where they are.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

const FOLDER: &str = "../../docs/rules";

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={FOLDER}");
    let here = env::var_os("CARGO_MANIFEST_DIR").expect("cargo tells the folder of the crate");
    let out = env::var_os("OUT_DIR").expect("cargo tells where to write");
    let mut list =
        String::from("/// The pages by rule, in order.\npub(super) const PAGES: &[(&str, &str)] = &[\n");
    for page in pages(&Path::new(&here).join(FOLDER))? {
        let id = page.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        writeln!(list, "    ({id:?}, include_str!({:?})),", page.display().to_string())
            .expect("a string takes all");
    }
    list.push_str("];\n");
    fs::write(Path::new(&out).join("rule_pages.rs"), list)
}

fn pages(folder: &Path) -> io::Result<Vec<PathBuf>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let all = fs::read_dir(folder.canonicalize()?)?.map(|entry| entry.map(|entry| entry.path()));
    let mut pages = all.collect::<io::Result<Vec<PathBuf>>>()?;
    pages.retain(|page| page.extension().is_some_and(|ending| ending == "md"));
    pages.sort();
    Ok(pages)
}
