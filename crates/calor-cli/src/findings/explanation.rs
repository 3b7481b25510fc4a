//! What is written about a rule: what it finds, why that is slow, what to do, what that gives and what it does not find.

use anyhow::{Result, bail};
use calor_analysis::findings::{Rule, Topic};

include!(concat!(env!("OUT_DIR"), "/rule_pages.rs"));

/// The page about a rule, as Markdown.
pub(super) fn page(rule: &dyn Rule) -> Result<String> {
    let about = rule.about();
    if about.topic == Topic::Own {
        return Ok(format!(
            "# {}\n\n{}\n\nThis is a rule of your own: its file says the rest.\n",
            about.id, about.title
        ));
    }
    match PAGES.iter().find(|(id, _)| *id == about.id) {
        Some((_, page)) => Ok((*page).to_owned()),
        None => {
            bail!("this build of calor has no pages about rules: see {} of its sources", about.doc_page())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use calor_analysis::findings::rules::RULES;

    #[test]
    fn every_rule_is_explained() {
        for rule in RULES {
            let id = rule.about().id;
            let page = page(*rule).expect("pages are beside the sources");
            assert!(page.starts_with(&format!("# {id}\n")) && page.contains("## Gain"), "{id}");
        }
    }
}
