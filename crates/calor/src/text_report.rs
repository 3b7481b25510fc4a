//! The report of this process, made inside it: for a program that prints its own profile when it ends.

use calor_report::{Options, render};

/// The text report of [`snapshot`](crate::snapshot), 100 columns wide, without colour.
///
/// ```
/// calor::enable();
/// {
///     calor::scope!("load");
/// }
/// println!("{}", calor::report());
/// ```
#[must_use]
pub fn report() -> String {
    let mut page = Vec::new();
    match render(&crate::snapshot(), &Options::default(), &mut page) {
        Ok(()) => String::from_utf8_lossy(&page).into_owned(),
        Err(error) => format!("no report: {error}\n"),
    }
}
