//! The list of rules: what each looks for, and what has to be recorded for it.

use calor_analysis::findings::Need;

use super::chosen::Rules;
use crate::store::rows;

pub(super) fn page(rules: &Rules<'_>, width: usize) -> String {
    let row = |rule: &&dyn calor_analysis::findings::Rule| {
        let about = rule.about();
        let needs: Vec<&str> = about.needs.iter().map(|need: &Need| need.word()).collect();
        vec![about.id.to_owned(), about.topic.word().to_owned(), needs.join(", "), about.title.to_owned()]
    };
    let table: Vec<Vec<String>> = rules.list().iter().map(row).collect();
    rows(&["RULE", "TOPIC", "NEEDS", "FINDS"], &table, width)
}
