//! `ab!`: functions that take turns until it is known whether one is slower. What it expands to is in [`crate::ab`].

/// Runs functions in turns, in random order, until it is known whether they differ, and returns what that came to: an
/// [`Outcome`](crate::ab::Outcome) that prints as one sentence each.
///
/// ```
/// let words: Vec<String> = (0..200).map(|n| format!("word {}", n * 7 % 200)).collect();
/// let sorted = || { let mut all = words.clone(); all.sort(); all };
/// let unstable = || { let mut all = words.clone(); all.sort_unstable(); all };
///
/// let outcome = calor::ab!(sorted, unstable; max_time = std::time::Duration::from_millis(200));
/// println!("{outcome}"); // B is 12.1 % faster than A (95 % interval 11.2 to 13.1 %, 82 pairs, CPU time)
/// ```
///
/// Functions may have names, and each call may have an input of its own, the making of which is not timed:
///
/// ```
/// # use std::time::Duration;
/// let numbers = || (0..500_u64).rev().collect::<Vec<_>>();
/// let outcome = calor::ab!(
///     with = numbers,
///     "stable" => |mut all: Vec<u64>| { all.sort(); all },
///     "unstable" => |mut all: Vec<u64>| { all.sort_unstable(); all };
///     margin = 0.05, max_time = Duration::from_millis(200)
/// );
/// assert!(outcome.to_string().contains("stable"));
/// ```
///
/// The first is what the others, as many as you like, are compared with. Behind the semicolon stand methods of
/// [`Plan`](crate::ab::Plan): `margin`, `max_time`, `max_pairs`, `seed`, `wall`.
#[macro_export]
macro_rules! ab {
    (with = $make:expr, $($name:literal => $function:expr),+ $(; $($option:ident = $value:expr),+)? $(,)?) => {{
        let make = $make;
        $crate::ab::Plan::new()$($(.$option($value))+)?
            .run(&mut [$((Some($name), &mut $crate::ab::calls_with(&make, $function))),+])
    }};
    (with = $make:expr, $($function:expr),+ $(; $($option:ident = $value:expr),+)? $(,)?) => {{
        let make = $make;
        $crate::ab::Plan::new()$($(.$option($value))+)?
            .run(&mut [$((None, &mut $crate::ab::calls_with(&make, $function))),+])
    }};
    ($($name:literal => $function:expr),+ $(; $($option:ident = $value:expr),+)? $(,)?) => {
        $crate::ab::Plan::new()$($(.$option($value))+)?
            .run(&mut [$((Some($name), &mut $crate::ab::calls($function))),+])
    };
    ($($function:expr),+ $(; $($option:ident = $value:expr),+)? $(,)?) => {
        $crate::ab::Plan::new()$($(.$option($value))+)?.run(&mut [$((None, &mut $crate::ab::calls($function))),+])
    };
}
