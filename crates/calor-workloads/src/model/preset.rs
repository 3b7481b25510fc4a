//! The models that come along.

use super::Config;

/// A model that comes along.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Preset {
    /// 128 wide, 2 layers, 4 heads: 1.9 MB of weights.
    Small,
    /// 256 wide, 4 layers, 8 heads: 13.8 MB of weights.
    Medium,
    /// 512 wide, 8 layers, 8 heads: 118 MB of weights, more than caches hold.
    Large,
    /// The sizes of the smallest GPT-2: 768 wide, 12 layers, 12 heads, 498 MB of weights.
    Gpt2,
}

impl Preset {
    /// All of them, smallest first.
    pub const ALL: [Self; 4] = [Self::Small, Self::Medium, Self::Large, Self::Gpt2];
    /// The two that are compared where nothing else is asked for.
    pub const BOTH: [Self; 2] = [Self::Small, Self::Medium];

    /// What it is called.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Small => "small",
            Self::Medium => "medium",
            Self::Large => "large",
            Self::Gpt2 => "gpt2",
        }
    }

    /// The preset of a name.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|preset| preset.name() == name)
    }

    /// Its sizes.
    #[must_use]
    pub fn config(self) -> Config {
        match self {
            Self::Small => Config { width: 128, layers: 2, heads: 4, context: 64, vocabulary: 512 },
            Self::Medium => Config { width: 256, layers: 4, heads: 8, context: 128, vocabulary: 1024 },
            Self::Large => Config { width: 512, layers: 8, heads: 8, context: 256, vocabulary: 8192 },
            Self::Gpt2 => Config { width: 768, layers: 12, heads: 12, context: 1024, vocabulary: 50_257 },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Weights;
    use super::*;

    #[test]
    fn presets_have_the_parameters_their_sizes_say_and_hold_exactly_as_many() {
        for (preset, parameters) in [
            (Preset::Small, 470_528),
            (Preset::Medium, 3_454_464),
            (Preset::Large, 29_545_472),
            (Preset::Gpt2, 124_439_808),
        ] {
            assert!(preset.config().check().is_ok());
            assert_eq!(preset.config().parameters(), parameters, "{}", preset.name());
            assert_eq!(Preset::of_name(preset.name()), Some(preset));
        }
        for preset in Preset::BOTH {
            let weights = Weights::seeded(&preset.config(), 1).expect("the sizes fit");
            assert_eq!(weights.parameters(), preset.config().parameters());
        }
    }
}
