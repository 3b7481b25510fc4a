//! A profile and the `.calor` file that it is. Whoever has one already, because it was written or has just been read, saves those
//! bytes: encoding them once more would cost time and make another file of the same run.

use calor_formats::native;
use calor_model::Profile;

use crate::Error;

/// A profile together with its bytes.
#[derive(Clone, Debug)]
pub struct Encoded {
    profile: Profile,
    bytes: Vec<u8>,
}

impl Encoded {
    /// Encodes a profile.
    ///
    /// # Errors
    /// When it has handles of another profile, or a table that is too large.
    pub fn of(profile: Profile) -> Result<Self, Error> {
        let bytes = encode(&profile)?;
        Ok(Self { profile, bytes })
    }

    /// A profile with the bytes that [`encode`] made of it.
    pub(crate) fn pair(profile: Profile, bytes: Vec<u8>) -> Self {
        Self { profile, bytes }
    }

    /// Decodes a `.calor` file.
    ///
    /// # Errors
    /// When it is none, one of a later version, or damaged so far that nothing can be read.
    pub fn read(bytes: Vec<u8>) -> Result<Self, Error> {
        Ok(Self { profile: native::read(&bytes)?, bytes })
    }

    /// The profile.
    #[must_use]
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// The file.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The profile alone.
    #[must_use]
    pub fn into_profile(self) -> Profile {
        self.profile
    }
}

/// The bytes of a profile.
pub(crate) fn encode(profile: &Profile) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    native::write(profile, &mut bytes)?;
    Ok(bytes)
}
