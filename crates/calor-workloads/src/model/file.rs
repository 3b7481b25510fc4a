//! Weights from a file of safetensors with the names of GPT-2, as Hugging Face publishes them. Such files tell every size but
//! the number of heads.

use std::fs;
use std::path::Path;

use candle_core::{DType, Device, Tensor};
use safetensors::SafeTensors;

use super::weights::{Kind, Wanted, Weights};
use super::{Config, header};
use crate::{Error, Unwatched, Watch, input};

/// What every GPT-2 has of a position in a head.
const HEAD_WIDTH: usize = 64;

impl Weights {
    /// Reads a file, with the sizes that it tells. Matrices, which GPT-2 keeps as inputs × outputs, are turned around
    /// once. Without a number of heads each is 64 wide, as in every GPT-2.
    ///
    /// # Errors
    /// When the file cannot be read, is none of safetensors, lacks a tensor or has one of another shape.
    pub fn read(path: &Path, heads: Option<usize>) -> Result<(Config, Self), Error> {
        Self::read_watched(path, heads, &Unwatched)
    }

    /// What reading it takes: the file, and its numbers with 32 bits each.
    ///
    /// # Errors
    /// When the file cannot be read or is none of safetensors.
    pub fn needed_bytes(path: &Path) -> Result<u64, Error> {
        let header::Summary { file_bytes, numbers } = header::check(path)?;
        Ok(file_bytes.saturating_add(numbers.saturating_mul(4)))
    }

    /// The same as [`read`](Self::read) while somebody waits, who may ask for the end.
    ///
    /// # Errors
    /// The same, and when the end was asked for.
    pub fn read_watched(
        path: &Path,
        heads: Option<usize>,
        watch: &dyn Watch,
    ) -> Result<(Config, Self), Error> {
        calor::scope!("weights");
        header::check(path)?;
        let content = fs::read(path).map_err(|cause| input::unread(path, &cause, header::INSTEAD))?;
        let tensors = SafeTensors::deserialize(&content).map_err(|cause| header::other(path, &cause))?;
        let file = File { tensors: &tensors, path };
        let config = file.config(heads)?;
        config.check()?;
        let weights = Self::collect(&config, &mut |wanted| match watch.is_stopped() {
            true => Err(Error::Stopped),
            false => file.tensor(&wanted),
        })?;
        // Putting them into one piece takes room of its own.
        drop(content);
        Ok((config, weights.packed(&config)?))
    }
}

struct File<'a> {
    tensors: &'a SafeTensors<'a>,
    path: &'a Path,
}

impl File<'_> {
    fn config(&self, heads: Option<usize>) -> Result<Config, Error> {
        let [vocabulary, width] = self.matrix(header::TOKENS)?;
        let [context, _] = self.matrix("wpe.weight")?;
        let layers = (0..).take_while(|index| self.view(&format!("h.{index}.ln_1.weight")).is_some()).count();
        if layers == 0 {
            return Err(self.lacks("h.0.ln_1.weight"));
        }
        let heads = match heads {
            Some(heads) => heads,
            None if width.is_multiple_of(HEAD_WIDTH) => width / HEAD_WIDTH,
            None => {
                let problem = "does not tell how many heads share its width";
                return Err(self.refused(format!("{problem} of {width}: say so with --heads")));
            }
        };
        Ok(Config { width, layers, heads, context, vocabulary })
    }

    fn matrix(&self, name: &str) -> Result<[usize; 2], Error> {
        let view = self.view(name).ok_or_else(|| self.lacks(name))?;
        <[usize; 2]>::try_from(view.shape()).map_err(|_| self.misshapen(name, view.shape(), "rows x width"))
    }

    fn tensor(&self, wanted: &Wanted) -> Result<Tensor, Error> {
        let name = wanted.name.as_str();
        let view = self.view(name).ok_or_else(|| self.lacks(name))?;
        let is_turned = matches!(wanted.kind, Kind::Matrix | Kind::ResidualMatrix);
        let mut expected = wanted.shape.clone();
        if is_turned {
            expected.reverse();
        }
        if view.shape() != expected {
            return Err(self.misshapen(name, view.shape(), &shape(&expected)));
        }
        let dtype = DType::try_from(view.dtype()).ok().filter(|dtype| dtype.is_float()).ok_or_else(|| {
            self.problem(name, &format!("holds {:?}, and weights are floats", view.dtype()))
        })?;
        let tensor =
            Tensor::from_raw_buffer(view.data(), dtype, view.shape(), &Device::Cpu)?.to_dtype(DType::F32)?;
        Ok(if is_turned { tensor.t()?.contiguous()? } else { tensor })
    }

    /// A tensor, with or without the prefix that whole models have before those of their transformer.
    fn view(&self, name: &str) -> Option<safetensors::tensor::TensorView<'_>> {
        self.tensors.tensor(name).or_else(|_| self.tensors.tensor(&format!("transformer.{name}"))).ok()
    }

    fn lacks(&self, name: &str) -> Error {
        header::lacks(self.path, self.tensors.names(), name)
    }

    fn misshapen(&self, name: &str, found: &[usize], expected: &str) -> Error {
        self.problem(
            name,
            &format!("is {}, and a GPT-2 model of its sizes has {expected} there", shape(found)),
        )
    }

    fn problem(&self, name: &str, what: &str) -> Error {
        self.refused(format!("its tensor {name} {what}"))
    }

    fn refused(&self, problem: String) -> Error {
        Error::File { path: self.path.to_owned(), problem }
    }
}

fn shape(sizes: &[usize]) -> String {
    sizes.iter().map(ToString::to_string).collect::<Vec<_>>().join(" x ")
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::path::PathBuf;

    use super::*;

    const TINY: Config = Config { width: 12, layers: 2, heads: 3, context: 5, vocabulary: 40 };

    /// The tensors of a model as Hugging Face keeps them.
    fn published(prefix: &str) -> HashMap<String, Tensor> {
        let weights = Weights::seeded(&TINY, 9).expect("the sizes fit");
        let mut all = HashMap::new();
        for (name, tensor) in weights.named() {
            let is_matrix = tensor.rank() == 2 && name.starts_with("h.");
            let kept = if is_matrix { tensor.t().and_then(|t| t.contiguous()) } else { Ok(tensor.clone()) };
            all.insert(format!("{prefix}{name}"), kept.expect("it is in memory"));
        }
        all
    }

    fn written(name: &str, tensors: &HashMap<String, Tensor>) -> PathBuf {
        let path = std::env::temp_dir().join(format!("calor-weights-{}-{name}", std::process::id()));
        candle_core::safetensors::save(tensors, &path).expect("the folder is writable");
        path
    }

    fn read(
        name: &str,
        tensors: &HashMap<String, Tensor>,
        heads: Option<usize>,
    ) -> Result<(Config, Weights), Error> {
        let path = written(name, tensors);
        let found = Weights::read(&path, heads);
        fs::remove_file(path).expect("it was written");
        found
    }

    fn refused(name: &str, tensors: &HashMap<String, Tensor>) -> String {
        read(name, tensors, Some(3)).expect_err("it is not whole").to_string()
    }

    #[test]
    fn a_file_gives_the_weights_and_sizes_it_was_made_from_with_or_without_a_prefix() {
        let expected = Weights::seeded(&TINY, 9).expect("the sizes fit");
        for prefix in ["", "transformer."] {
            let (config, weights) =
                read(&format!("whole{}", prefix.len()), &published(prefix), Some(3)).expect("it is whole");
            assert_eq!(config, TINY);
            for ((name, found), (_, expected)) in weights.named().into_iter().zip(expected.named()) {
                let values =
                    |tensor: &Tensor| tensor.flatten_all().and_then(|t| t.to_vec1::<f32>()).expect("floats");
                assert_eq!(found.dims(), expected.dims(), "{name}");
                assert!(found.is_contiguous(), "{name}");
                assert_eq!(values(found), values(expected), "{name}");
            }
        }
    }

    #[test]
    fn halves_are_read_too() {
        let mut tensors = published("");
        for tensor in tensors.values_mut() {
            *tensor = tensor.to_dtype(DType::F16).expect("floats");
        }
        let (_, weights) = read("halves", &tensors, Some(3)).expect("it is whole");
        assert_eq!(weights.tokens.dtype(), DType::F32);
    }

    #[test]
    fn what_is_missing_or_misshapen_is_named() {
        let mut tensors = published("");
        tensors.remove("h.1.mlp.c_fc.bias");
        let message = refused("missing", &tensors);
        assert!(message.contains("has no tensor h.1.mlp.c_fc.bias"), "{message}");

        let mut tensors = published("");
        let turned =
            tensors["h.0.attn.c_attn.weight"].t().and_then(|t| t.contiguous()).expect("it is in memory");
        tensors.insert("h.0.attn.c_attn.weight".to_owned(), turned);
        let message = refused("turned", &tensors);
        assert!(message.contains("h.0.attn.c_attn.weight") && message.contains("is 36 x 12"), "{message}");
        assert!(message.contains("12 x 36"), "{message}");

        let other = HashMap::from([("embed.weight".to_owned(), tensors["wte.weight"].clone())]);
        let message = refused("other", &other);
        assert!(
            message.contains("has no tensor wte.weight") && message.contains("embed.weight"),
            "{message}"
        );
        let message = read("heads", &published(""), None).expect_err("12 is no multiple of 64").to_string();
        assert!(message.contains("--heads"), "{message}");
    }

    #[test]
    fn other_files_are_refused() {
        let path = std::env::temp_dir().join(format!("calor-weights-{}-text", std::process::id()));
        fs::write(&path, "these are no tensors").expect("the folder is writable");
        let message = Weights::read(&path, None).expect_err("it is a text").to_string();
        assert!(message.contains("is no file of safetensors"), "{message}");
        fs::remove_file(&path).expect("it was written");
        // Larger than any memory, and nothing but holes: it is refused before it is read.
        let holes = fs::File::create(&path).and_then(|file| file.set_len(1 << 42));
        if holes.is_ok() {
            let message = Weights::read(&path, None).expect_err("it has no tensors").to_string();
            assert!(message.contains("is no file of safetensors"), "{message}");
        }
        fs::remove_file(&path).expect("it was written");
        let message = Weights::read(&path, None).expect_err("it is gone").to_string();
        assert!(message.contains("no such file: give the model.safetensors"), "{message}");
    }
}
