//! Which findings are symptoms of others: one root cause is told once.

use super::{Finding, Rule};

/// A cause at another function takes at least this part of what its symptom takes: the small does not explain the large.
const LEAST_PART_OF_SYMPTOM: f64 = 0.5;

/// For each finding, the largest first, the rule of what it is a symptom of, directly or by others in between. Of findings that
/// are each other's causes, in pairs or in a circle, the largest is none.
pub(super) fn of(found: &[Finding], limits: &[Finding], rules: &[&dyn Rule]) -> Vec<Option<String>> {
    let rule_of = |finding: &Finding| rules.iter().copied().find(|rule| rule.about().id == finding.rule);
    let with_rule = |finding| Some((finding, rule_of(finding)?));
    let causes: Vec<Option<(&Finding, &dyn Rule)>> = found.iter().map(with_rule).collect();
    let limits: Vec<(&Finding, &dyn Rule)> = limits.iter().filter_map(with_rule).collect();

    let mut graph = Graph { symptoms: vec![Vec::new(); found.len()], settled: vec![None; found.len()] };
    let mut is_root = vec![true; found.len()];
    for (number, symptom) in found.iter().enumerate() {
        for (cause, _) in
            causes.iter().enumerate().filter(|(_, cause)| cause.is_some_and(|it| explains(it, symptom)))
        {
            graph.symptoms[cause].push(number);
            is_root[number] = false;
        }
    }
    let limit_of =
        |symptom| limits.iter().find(|limit| explains(**limit, symptom)).map(|(limit, _)| &limit.rule);
    let limited: Vec<Option<&String>> = found.iter().map(limit_of).collect();
    for number in (0..found.len()).filter(|number| is_root[*number] && limited[*number].is_none()) {
        graph.settle(number, None, found);
    }
    for (number, limit) in limited.into_iter().enumerate().filter(|(_, limit)| limit.is_some()) {
        graph.settle(number, limit.cloned(), found);
    }
    // What is left are circles without a beginning.
    (0..found.len()).for_each(|number| graph.settle(number, None, found));
    graph.settled.into_iter().map(Option::flatten).collect()
}

/// Whether one finding is the cause of another: its rule says so, and it is at the same function, or at a related place and
/// not small beside it. Parts of the time and of the memory are not held against each other.
fn explains((cause, rule): (&Finding, &dyn Rule), symptom: &Finding) -> bool {
    let is_large = || {
        let is_of_other_kind = cause.gain.memory.is_some() != symptom.gain.memory.is_some();
        let least = LEAST_PART_OF_SYMPTOM * symptom.gain.share.estimate;
        cause.is_limit || is_of_other_kind || cause.gain.share.estimate >= least
    };
    cause.rule != symptom.rule
        && rule.suppresses(&symptom.rule)
        && rule.accounts_for(cause, symptom)
        && (cause.place.is_same(&symptom.place) || cause.place.is_related(&symptom.place) && is_large())
}

/// Findings by number.
struct Graph {
    symptoms: Vec<Vec<usize>>,
    /// What was decided of each: it is told, or is a symptom of what a rule found.
    settled: Vec<Option<Option<String>>>,
}

impl Graph {
    /// Decides about a finding of which nothing was decided yet: all that follows from it are symptoms.
    fn settle(&mut self, number: usize, cause: Option<String>, found: &[Finding]) {
        if self.settled[number].is_some() {
            return;
        }
        self.settled[number] = Some(cause);
        let mut open = vec![number];
        while let Some(cause) = open.pop() {
            for symptom in std::mem::take(&mut self.symptoms[cause]) {
                if self.settled[symptom].is_none() {
                    self.settled[symptom] = Some(Some(found[cause].rule.clone()));
                    open.push(symptom);
                }
            }
        }
    }
}
