//! Which rules are asked: those of Calor and those of files, or some of them by id.

use anyhow::{Result, bail};
use calor_analysis::findings::rules::RULES;
use calor_analysis::findings::{Rule, Suppression, UserRule};
use calor_analysis::nearest;

/// The rules that are asked.
pub(crate) struct Rules<'r> {
    all: Vec<&'r dyn Rule>,
    chosen: Vec<&'r dyn Rule>,
}

impl<'r> Rules<'r> {
    /// The rules of these ids, or all.
    pub(crate) fn choose(own: &'r [UserRule], ids: &[String]) -> Result<Self> {
        let all: Vec<&'r dyn Rule> =
            RULES.iter().copied().chain(own.iter().map(|rule| rule as &dyn Rule)).collect();
        let mut chosen = Vec::new();
        for id in ids {
            chosen.push(find(&all, id)?);
        }
        if ids.is_empty() {
            chosen.clone_from(&all);
        }
        Ok(Self { all, chosen })
    }

    pub(crate) fn list(&self) -> &[&'r dyn Rule] {
        &self.chosen
    }

    /// Refuses suppressions of rules that do not exist: a misspelt one would suppress nothing and not tell.
    pub(crate) fn check_suppressions(&self, suppressions: &[Suppression]) -> Result<()> {
        for suppression in suppressions {
            find(&self.all, &suppression.rule)?;
        }
        Ok(())
    }
}

fn find<'r>(all: &[&'r dyn Rule], id: &str) -> Result<&'r dyn Rule> {
    if let Some(rule) = all.iter().find(|rule| rule.about().id.eq_ignore_ascii_case(id)) {
        return Ok(*rule);
    }
    let ids: Vec<&str> = all.iter().map(|rule| rule.about().id).collect();
    let upper = id.to_uppercase();
    match nearest(&upper, ids.iter().copied()).first() {
        Some(near) => {
            bail!("there is no rule `{id}`; did you mean {near}? `calor findings --list` shows all")
        }
        None => bail!("there is no rule `{id}`; `calor findings --list` shows all"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_found_by_id_in_any_case_and_others_are_refused() {
        let ids = |given: &[&str]| {
            let given: Vec<String> = given.iter().map(|id| (*id).to_owned()).collect();
            let rules = Rules::choose(&[], &given)?;
            anyhow::Ok(rules.list().iter().map(|rule| rule.about().id.to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(ids(&[]).unwrap().len(), RULES.len());
        assert_eq!(ids(&["cpu-memory-copies"]).unwrap(), ["CPU-MEMORY-COPIES"]);
        let refusal = ids(&["CPU-MEMORY-COPY"]).unwrap_err().to_string();
        assert!(refusal.contains("did you mean CPU-MEMORY-COPIES?"), "{refusal}");
        assert!(Rules::choose(&[], &[]).unwrap().check_suppressions(&[Suppression::of("NO-SUCH")]).is_err());
    }
}
