//! What the command ends with. The one of the standard library cannot be read, and whoever runs the command inside a
//! process of its own has to hand it on.

/// The exit code of the command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExitCode(u8);

impl ExitCode {
    /// All went well, and nothing was found that was asked to be an error.
    pub const SUCCESS: Self = Self(0);

    /// What the process has to end with.
    pub const fn get(self) -> u8 {
        self.0
    }
}

impl From<u8> for ExitCode {
    fn from(code: u8) -> Self {
        Self(code)
    }
}

impl From<ExitCode> for std::process::ExitCode {
    fn from(code: ExitCode) -> Self {
        Self::from(code.0)
    }
}
