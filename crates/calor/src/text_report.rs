//! The report of this process, made inside it: for a program that prints its own profile when it ends.

use calor_analysis::findings::{Circumstances, judge};
use calor_report::{Options, render};

use crate::own_memory::{as_own, hand_out};

/// The text report of [`snapshot`](crate::snapshot) and of the heap, where its blocks are followed: 100 columns wide, without
/// colour.
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
    hand_out(as_own(|| {
        #[cfg_attr(not(feature = "told-heap"), expect(unused_mut, reason = "only the heap is added"))]
        let mut profile = crate::snapshot();
        #[cfg(feature = "told-heap")]
        crate::heap::add_to(&mut profile);
        let findings = judge(&profile, &Circumstances::default().of_report()).findings;
        let mut page = Vec::new();
        match render(&profile, &Options { findings, ..Options::default() }, &mut page) {
            Ok(()) => String::from_utf8_lossy(&page).into_owned(),
            Err(error) => format!("no report: {error}\n"),
        }
    }))
}
