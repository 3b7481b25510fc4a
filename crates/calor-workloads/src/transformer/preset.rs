//! The models that come along.

use super::{Config, Model};

/// A model that comes along.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Preset {
    /// 128 wide, 2 layers, 4 heads: 1.9 MB of weights.
    Small,
    /// 256 wide, 4 layers, 8 heads: 13.8 MB of weights.
    Medium,
}

impl Preset {
    /// All of them, smallest first.
    pub const ALL: [Self; 2] = [Self::Small, Self::Medium];

    /// What it is called.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Small => "small",
            Self::Medium => "medium",
        }
    }

    /// Its sizes.
    #[must_use]
    pub fn config(self) -> Config {
        match self {
            Self::Small => Config { width: 128, layers: 2, heads: 4, context: 64, vocabulary: 512 },
            Self::Medium => Config { width: 256, layers: 4, heads: 8, context: 128, vocabulary: 1024 },
        }
    }

    /// The model with random weights. Its inferences have a site of their own, so that models can be told apart in
    /// one profile.
    #[must_use]
    pub fn model(self, seed: u64) -> Model {
        let site = match self {
            Self::Small => calor::site!("small model"),
            Self::Medium => calor::site!("medium model"),
        };
        Model::with_site(self.config(), seed, site)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_have_the_parameters_their_sizes_say_and_hold_exactly_as_many() {
        for (preset, parameters) in [(Preset::Small, 470_528), (Preset::Medium, 3_454_464)] {
            assert!(preset.config().check().is_ok());
            assert_eq!(preset.config().parameters(), parameters);
            assert_eq!(preset.model(1).parameters(), parameters);
        }
    }
}
