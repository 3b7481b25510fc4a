//! samply, which writes a profile of addresses and the names of their functions beside it.

use std::collections::HashMap;
use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::process::Command;

use flate2::read::GzDecoder;
use harness::sampled::{Recorded, Tool};
use harness::watched::{Program, first_line, tried};
use serde_json::Value;

const FILE: &str = "samply.json.gz";
const NAMES: &str = "samply.json.syms.json";

pub(super) const TOOL: Tool =
    Tool { name: "samply", version, record, read: Some(read), files: &[FILE, NAMES] };

fn version() -> Result<String, String> {
    let hint = "`cargo install --locked samply` installs it";
    let version = first_line(Command::new("samply").arg("--version"), hint)?;
    let scratch = std::env::temp_dir().join(format!("calor-samply-{}.json", std::process::id()));
    let tried = tried(Command::new("samply").args(["record", "--save-only", "-o"]).arg(&scratch).arg("true"));
    // It may have refused before it made the file.
    let _ = fs::remove_file(&scratch);
    tried.map(|()| version)
}

fn record(program: &Program, rate: u32, folder: &Path) -> Command {
    let mut command = Command::new("samply");
    command.args(["record", "--save-only", "--unstable-presymbolicate", "--rate", &rate.to_string(), "-o"]);
    command.arg(folder.join(FILE)).arg("--");
    program.append_to(command)
}

fn read(folder: &Path) -> Result<Recorded, String> {
    let open = |name: &str| fs::File::open(folder.join(name)).map_err(|error| format!("no {name}: {error}"));
    let mut text = String::new();
    GzDecoder::new(open(FILE)?)
        .read_to_string(&mut text)
        .map_err(|error| format!("cannot unpack {FILE}: {error}"))?;
    let profile = serde_json::from_str(&text).map_err(|error| format!("cannot read {FILE}: {error}"))?;
    let names =
        serde_json::from_reader(open(NAMES)?).map_err(|error| format!("cannot read {NAMES}: {error}"))?;
    Ok(recorded(&profile, &names))
}

/// The samples of all threads. What is not where this version of samply has it is missing in the result, where it
/// shows as stacks without a root.
fn recorded(profile: &Value, names: &Value) -> Recorded {
    let names = functions(names);
    let mut recorded = Recorded::default();
    for thread in rows(&profile["threads"]) {
        for (at, stack) in rows(&thread["samples"]["stack"]).iter().enumerate() {
            let weight = thread["samples"]["weight"][at].as_u64().unwrap_or(1);
            let mut frames = Vec::new();
            let mut next = index(stack);
            while let Some(row) = next {
                frames.extend(frame_functions(profile, thread, row, &names));
                next = index(&thread["stackTable"]["prefix"][row]);
            }
            frames.reverse();
            recorded.n_samples += weight;
            recorded.stacks.push((frames, weight));
        }
    }
    recorded
}

/// The functions at a row of the stack table: several where the compiler put one inside another.
fn frame_functions(
    profile: &Value,
    thread: &Value,
    row: usize,
    names: &HashMap<(&str, u64), Vec<String>>,
) -> Vec<String> {
    let found = || {
        let frame = index(&thread["stackTable"]["frame"][row])?;
        let address = thread["frameTable"]["address"][frame].as_u64()?;
        let function = index(&thread["frameTable"]["func"][frame])?;
        let resource = index(&thread["funcTable"]["resource"][function])?;
        let library = index(&thread["resourceTable"]["lib"][resource])?;
        let file = profile["libs"][library]["debugName"].as_str()?;
        names.get(&(file, address)).cloned()
    };
    found().unwrap_or_else(|| vec!["[unknown]".to_owned()])
}

/// Names by the name of their file, which always has one but not always an id, and their address in it.
fn functions(names: &Value) -> HashMap<(&str, u64), Vec<String>> {
    let text = |at: &Value| index(at).and_then(|at| names["string_table"][at].as_str()).map(str::to_owned);
    let mut functions = HashMap::new();
    for library in rows(&names["data"]) {
        let Some(file) = library["debug_name"].as_str() else { continue };
        for known in rows(&library["known_addresses"]) {
            let (Some(address), Some(symbol)) = (known[0].as_u64(), index(&known[1])) else { continue };
            let symbol = &library["symbol_table"][symbol];
            let inlined = rows(&symbol["frames"]).iter().filter_map(|frame| text(&frame["function"]));
            functions.insert((file, address), text(&symbol["symbol"]).into_iter().chain(inlined).collect());
        }
    }
    functions
}

fn rows(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn index(value: &Value) -> Option<usize> {
    usize::try_from(value.as_u64()?).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn addresses_get_the_names_that_stand_beside_the_profile() {
        let profile = json!({
            "libs": [{ "debugName": "abc" }],
            "threads": [{
                "samples": { "stack": [1, null], "weight": [3, 1] },
                "stackTable": { "prefix": [null, 0], "frame": [0, 1] },
                "frameTable": { "address": [16, 32], "func": [0, 0] },
                "funcTable": { "resource": [0] },
                "resourceTable": { "lib": [0] },
            }],
        });
        let names = json!({
            "string_table": ["main", "stage_a"],
            "data": [{
                "debug_name": "abc",
                "symbol_table": [{ "symbol": 0 }, { "symbol": 1 }],
                "known_addresses": [[16, 0], [32, 1]],
            }],
        });
        let recorded = recorded(&profile, &names);
        assert_eq!(recorded.n_samples, 4);
        assert_eq!(recorded.stacks[0], (vec!["main".to_owned(), "stage_a".to_owned()], 3));
        assert_eq!(recorded.rooted_share(), Some(0.75));
    }
}
