//! Changes of many series at one place. A commit that slows one function shows in every scope around it; that is one finding and
//! not ten. And of a thousand series without a change, ten are found to have one by a chance of one in a hundred.

use super::ChangePoint;
use crate::discovery::q_values;

/// Series that changed at about the same place.
#[derive(Clone, PartialEq, Debug)]
pub struct ChangeCluster {
    /// The number of the first point after the change, of its clearest member.
    pub at: usize,
    /// The series, by their numbers, each with its change; the largest change first.
    pub members: Vec<(usize, ChangePoint)>,
}

/// Joins changes that are at most `reach` points apart, in series whose points have common numbers, such as those of commits.
/// Left out are changes that are among as many series likely there by chance: of those that stay at most 5 % are. A series
/// without any change is an empty list, and counts.
#[must_use]
pub fn change_clusters(series: &[Vec<ChangePoint>], reach: usize) -> Vec<ChangeCluster> {
    let mut found: Vec<(usize, ChangePoint)> = Vec::new();
    for (number, points) in series.iter().enumerate() {
        found.extend(points.iter().map(|point| (number, *point)));
    }
    let n_without = series.iter().filter(|points| points.is_empty()).count();
    let p_values = found.iter().map(|(_, point)| point.p_value).chain(std::iter::repeat_n(1.0, n_without));
    let q_values = q_values(&p_values.collect::<Vec<f64>>());
    let mut kept: Vec<(usize, ChangePoint)> =
        found.into_iter().zip(q_values).filter(|(_, q)| *q <= 0.05).map(|(found, _)| found).collect();
    kept.sort_by_key(|(number, point)| (point.at, *number));
    let clusters = kept.chunk_by(|a, b| b.1.at - a.1.at <= reach).map(|members| {
        let clearest = members.iter().min_by(|a, b| a.1.p_value.total_cmp(&b.1.p_value));
        let mut members = members.to_vec();
        let at = clearest.map_or(0, |(_, point)| point.at);
        members.sort_by(|a, b| b.1.change.effect.abs().total_cmp(&a.1.change.effect.abs()));
        ChangeCluster { at, members }
    });
    clusters.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::Change;

    fn point(at: usize, effect: f64, p_value: f64) -> ChangePoint {
        ChangePoint { at, change: Change { effect, interval: [effect - 0.01, effect + 0.01] }, p_value }
    }

    #[test]
    fn changes_at_one_place_are_one_and_those_by_chance_are_none() {
        let mut series = vec![Vec::new(); 100];
        series[3] = vec![point(40, 0.1, 1e-6)];
        series[7] = vec![point(41, 0.3, 1e-9), point(90, -0.2, 1e-7)];
        series[50] = vec![point(70, 0.05, 0.009)];
        let found = change_clusters(&series, 3);
        let places: Vec<(usize, Vec<usize>)> = found
            .iter()
            .map(|cluster| (cluster.at, cluster.members.iter().map(|(number, _)| *number).collect()))
            .collect();
        assert_eq!(places, [(41, vec![7, 3]), (90, vec![7])]);
        // Alone, the weak one would stand.
        assert_eq!(change_clusters(&series[50..51], 3).len(), 1);
        assert!(change_clusters(&[], 3).is_empty());
    }
}
