//! Student's distribution, by which a mean or a slope of few values is judged.

/// The 97.5 % quantile for so many degrees of freedom, `None` for none: as tables have it, and beyond their end by Fisher's
/// expansion around the normal distribution, which is right to three digits there.
#[must_use]
pub fn t_975(degrees: usize) -> Option<f64> {
    const TABLE: [f64; 30] = [
        12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145,
        2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048,
        2.045, 2.042,
    ];
    const Z: f64 = 1.959_964;
    let place = degrees.checked_sub(1)?;
    let beyond = || {
        let degrees = degrees as f64;
        let first = (Z.powi(3) + Z) / (4.0 * degrees);
        let second = (5.0 * Z.powi(5) + 16.0 * Z.powi(3) + 3.0 * Z) / (96.0 * degrees * degrees);
        Z + first + second
    };
    Some(TABLE.get(place).copied().unwrap_or_else(beyond))
}
