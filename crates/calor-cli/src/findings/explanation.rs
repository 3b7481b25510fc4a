//! What is written about a rule: what it finds, why that is slow, what to do, what that gives and what it does not find.

use anyhow::{Result, bail};
use calor_analysis::findings::{Rule, RuleDefinition, Topic, UserRule};

include!(concat!(env!("OUT_DIR"), "/rule_pages.rs"));

/// The page about a rule, as Markdown.
pub(super) fn page(rule: &dyn Rule, own: &[UserRule]) -> Result<String> {
    let about = rule.about();
    if about.topic == Topic::Own {
        let definition = own.iter().map(UserRule::definition).find(|definition| definition.id == about.id);
        return Ok(of_own(about.id, about.title, definition));
    }
    match PAGES.iter().find(|(id, _)| *id == about.id) {
        Some((_, page)) => Ok((*page).to_owned()),
        None => {
            bail!("this build of calor has no pages about rules: see {} of its sources", about.doc_page())
        }
    }
}

/// What the file of a rule of one's own says, under the headings of the other pages.
fn of_own(id: &str, title: &str, definition: Option<&RuleDefinition>) -> String {
    let mut page = format!("# {id}\n\n{title}\n");
    if let Some(definition) = definition {
        let found = format!("Each {} for which `{}` holds.", definition.for_each, definition.when);
        let sections = [
            ("What it finds", found.as_str()),
            ("Why it is slow", &definition.why),
            ("What to do", &definition.fix),
            ("Gain", &definition.reason),
            ("More", &definition.doc),
        ];
        for (heading, text) in sections.iter().filter(|(_, text)| !text.trim().is_empty()) {
            page.push_str(&format!("\n## {heading}\n\n{}\n", text.trim()));
        }
    }
    page.push_str("\nThis is a rule of your own: its file says the rest.\n");
    page
}

#[cfg(test)]
mod tests {
    use super::*;
    use calor_analysis::findings::rules::RULES;

    #[test]
    fn a_rule_of_ones_own_is_explained_by_its_file() {
        let definition = RuleDefinition {
            for_each: "scope".to_owned(),
            when: "calls > 9".to_owned(),
            why: "Each call opens the file.".to_owned(),
            fix: "Open it once.".to_owned(),
            doc: "https://wiki.example.org/files".to_owned(),
            ..RuleDefinition::default()
        };
        let page = of_own("OWN-FILES", "files are opened often", Some(&definition));
        for part in
            ["# OWN-FILES", "Each scope for which `calls > 9` holds", "Each call opens", "wiki.example.org"]
        {
            assert!(page.contains(part), "{part}: {page}");
        }
        assert!(!page.contains("## Gain"), "{page}");
    }

    #[test]
    fn every_rule_is_explained() {
        for rule in RULES {
            let id = rule.about().id;
            let page = page(*rule, &[]).expect("pages are beside the sources");
            assert!(page.starts_with(&format!("# {id}\n")) && page.contains("## Gain"), "{id}");
        }
    }
}
