//! The list of tensors that a file of safetensors begins with: it tells what a file is before all of it is read, since files of
//! other models may be larger than memory.

use std::fmt::Display;
use std::io::Read;
use std::path::Path;

use serde_json::{Map, Value};

use crate::{Error, input};

/// The embeddings of tokens, which every model of this kind has.
pub(super) const TOKENS: &str = "wte.weight";

/// What to give.
pub(super) const INSTEAD: &str = "give the model.safetensors of a GPT-2 model, as https://huggingface.co/openai-community/gpt2 has it, or leave --weights out";

/// The most bytes that the format allows the list to have.
const MOST: u64 = 100_000_000;
/// Before the list is its length.
const LENGTH: u64 = 8;

/// How large a file is, and what is in it.
pub(super) struct Summary {
    pub(super) file_bytes: u64,
    /// Numbers of all its tensors.
    pub(super) numbers: u64,
}

/// Refuses a file that is none of safetensors, or not of a model like GPT-2, by its first bytes.
pub(super) fn check(path: &Path) -> Result<Summary, Error> {
    let unread = |cause| input::unread(path, &cause, INSTEAD);
    let file = input::open(path, INSTEAD)?;
    let size = file.metadata().map_err(unread)?.len();
    let mut length = Vec::new();
    (&file).take(LENGTH).read_to_end(&mut length).map_err(unread)?;
    let length = <[u8; LENGTH as usize]>::try_from(length).map(u64::from_le_bytes);
    let length = length.ok().filter(|length| *length <= MOST && LENGTH + length <= size);
    let Some(length) = length else {
        return Err(other(path, &"it does not begin with a list of tensors"));
    };
    let mut list = Vec::new();
    (&file).take(length).read_to_end(&mut list).map_err(unread)?;
    let list: Map<String, Value> = serde_json::from_slice(&list).map_err(|cause| other(path, &cause))?;
    if list.keys().any(|name| name.trim_start_matches("transformer.") == TOKENS) {
        let shapes = list.values().filter_map(|tensor| tensor.get("shape")?.as_array());
        let numbers = shapes
            .map(|shape| shape.iter().map(|size| size.as_u64().unwrap_or(0)).fold(1, u64::saturating_mul));
        return Ok(Summary { file_bytes: size, numbers: numbers.fold(0, u64::saturating_add) });
    }
    let names = list.keys().map(String::as_str).filter(|name| *name != "__metadata__");
    Err(lacks(path, names.collect(), TOKENS))
}

/// That a file is none of safetensors.
pub(super) fn other(path: &Path, cause: &dyn Display) -> Error {
    let advice = "give one with the tensors of a GPT-2 model";
    refused(path, format!("is no file of safetensors ({cause}): {advice}"))
}

/// That a tensor is missing.
pub(super) fn lacks(path: &Path, mut names: Vec<&str>, name: &str) -> Error {
    names.sort_unstable();
    let some: Vec<&str> = names.iter().copied().take(3).collect();
    let found = match names.len() {
        0 => "it has none".to_owned(),
        n => format!("it has {n}, such as {}", some.join(", ")),
    };
    let advice = "give a file of GPT-2 as Hugging Face publishes it";
    refused(path, format!("has no tensor {name}, which a GPT-2 model has; {found}: {advice}"))
}

fn refused(path: &Path, problem: String) -> Error {
    Error::File { path: path.to_owned(), problem }
}
