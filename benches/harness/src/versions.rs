//! Which version of a package was measured.

/// The version that a lock file states for a package.
#[must_use]
pub fn version_in<'t>(lock_file: &'t str, package: &str) -> Option<&'t str> {
    let start = format!("name = \"{package}\"\nversion = \"");
    let (_, rest) = lock_file.split_once(&start)?;
    rest.split_once('"').map(|(version, _)| version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_found_by_the_whole_name_of_its_package() {
        let text = "[[package]]\nname = \"puffin_http\"\nversion = \"0.1.0\"\n\n\
                    [[package]]\nname = \"puffin\"\nversion = \"0.20.2\"\n";
        assert_eq!(version_in(text, "puffin"), Some("0.20.2"));
        assert_eq!(version_in(text, "tracy"), None);
    }
}
