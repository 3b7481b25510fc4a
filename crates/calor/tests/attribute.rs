//! `#[calor::profile]` on everything it may stand on.

mod support;

use support::{get, paths};

#[calor::profile]
fn plain(n: u32) -> u32 {
    if n > 5 {
        return 0;
    }
    n + 1
}

#[calor::profile("given name")]
fn named<T, const N: usize>(items: &[T; N]) -> Vec<T>
where
    T: Clone + Send,
{
    items.to_vec()
}

struct Model {
    weight: f32,
}

#[calor::profile]
impl Model {
    fn forward(&self, x: f32) -> f32 {
        self.activate(x * self.weight)
    }

    fn activate(&self, x: f32) -> f32 {
        x.max(0.0)
    }

    #[calor::skip]
    fn not_profiled(&self) -> f32 {
        self.weight
    }

    const fn constant() -> u32 {
        3
    }

    async fn fetch(&mut self) -> Option<f32> {
        let half = Some(self.weight)?;
        Some(half / 2.0)
    }
}

trait Layer {
    fn run(&self) -> u32;
}

impl Layer for Model {
    #[calor::profile("layer run")]
    fn run(&self) -> u32 {
        Self::constant()
    }
}

impl Model {
    /// The attribute sees no more than this.
    #[calor::profile]
    fn alone(&self) -> f32 {
        self.weight
    }
}

#[calor::profile]
mod inside {
    pub(super) fn first() -> u32 {
        second()
    }

    fn second() -> u32 {
        2
    }
}

#[calor::profile]
fn fails(text: &str) -> Result<u32, std::num::ParseIntError> {
    let number: u32 = text.parse()?;
    Ok(number)
}

#[test]
fn every_kind_of_function_is_recorded_under_its_name() {
    calor::enable();
    assert_eq!((plain(1), plain(9)), (2, 0));
    assert_eq!(named(&[1, 2]), [1, 2]);
    let mut model = Model { weight: 2.0 };
    assert_eq!(model.forward(3.0), 6.0);
    assert_eq!(model.not_profiled(), 2.0);
    assert_eq!(model.run(), 3);
    assert_eq!(model.alone(), 2.0);
    assert_eq!(inside::first(), 2);
    assert!(fails("x").is_err() && fails("4").is_ok());
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    assert_eq!(runtime.block_on(model.fetch()), Some(1.0));

    let profile = calor::snapshot();
    for (path, calls) in [
        ("plain", 2),
        ("given name", 1),
        ("Model::forward", 1),
        ("Model::forward/Model::activate", 1),
        ("layer run", 1),
        ("alone", 1),
        ("fails", 2),
        ("Model::fetch", 1),
    ] {
        assert_eq!(get(&profile, path).calls, calls, "{path}");
    }
    assert_eq!(get(&profile, "Model::fetch").future.unwrap().wall.count, 1);
    let all = paths(&profile);
    assert!(all.iter().any(|path| path.ends_with("first") || path.ends_with("inside::first")), "{all:?}");
    assert!(!all.iter().any(|path| path.contains("not_profiled") || path.contains("constant")), "{all:?}");
}

#[test]
fn a_panic_inside_closes_its_scopes() {
    #[calor::profile]
    fn panics() {
        calor::scope!("doomed");
        panic!("on purpose");
    }
    calor::enable();
    assert!(std::panic::catch_unwind(panics).is_err());
    {
        calor::scope!("after the panic");
    }
    let profile = calor::snapshot();
    assert_eq!(get(&profile, "panics/doomed").calls, 1);
    assert_eq!(get(&profile, "after the panic").calls, 1);
}
