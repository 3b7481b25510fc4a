//! Which format a result has: the one that `--format` names, or else that of the ending of the file it is written to.

use std::path::Path;

use anyhow::{Result, anyhow};
use clap::ValueEnum;

use crate::output;

/// What is written, for those who give it an ending that it does not have.
#[derive(Clone, Copy)]
pub(crate) struct Written {
    /// Such as `a report`.
    pub(crate) name: &'static str,
    /// The command that draws it, where there are pictures of it.
    pub(crate) drawn_by: Option<&'static str>,
}

impl Written {
    pub(crate) const fn new(name: &'static str) -> Self {
        Self { name, drawn_by: None }
    }

    /// The format asked for, or else the one that the ending of the output file's name stands for; without either the first
    /// that there is.
    pub(crate) fn format<F: ValueEnum>(self, asked: Option<F>, output: Option<&Path>) -> Result<F> {
        let output = output.filter(|output| !output::is_standard(output));
        let ending = output.and_then(Path::extension).map(|ending| ending.to_string_lossy());
        let word = match ending.as_deref().map(str::to_ascii_lowercase).as_deref() {
            None => names::<F>()[0].clone(),
            Some("txt") => "text".to_owned(),
            Some("htm") => "html".to_owned(),
            Some(other) => other.to_owned(),
        };
        match (asked, F::from_str(&word, true)) {
            (Some(asked), _) => Ok(asked),
            (None, Ok(meant)) => Ok(meant),
            (None, Err(_)) => Err(self.refusal::<F>(&ending.unwrap_or_default(), output)),
        }
    }

    fn refusal<F: ValueEnum>(self, ending: &str, output: Option<&Path>) -> anyhow::Error {
        let names = names::<F>();
        let endings: Vec<&str> =
            names.iter().map(|name| if name == "text" { "txt" } else { name.as_str() }).collect();
        let listed = match endings.split_last() {
            Some((last, [])) => (*last).to_owned(),
            Some((last, others)) => format!("{} or {last}", others.join(", ")),
            None => String::new(),
        };
        let elsewhere = match (ending, self.drawn_by) {
            ("svg", Some(command)) => format!("; `{command}` draws svg"),
            _ if is_profile(output) => "; `calor convert` writes profiles".to_owned(),
            _ => String::new(),
        };
        let article = if listed.starts_with("svg") { "an" } else { "a" };
        anyhow!(
            "{} is {article} {listed} file, not .{ending}: choose such a name, or say --format {}{elsewhere}",
            self.name,
            names[0]
        )
    }
}

/// The words for formats, the usual one first.
fn names<F: ValueEnum>() -> Vec<String> {
    let values = F::value_variants().iter().filter_map(ValueEnum::to_possible_value);
    values.map(|value| value.get_name().to_owned()).collect()
}

/// Whether a file's name is that of a profile.
fn is_profile(path: Option<&Path>) -> bool {
    let name = path.and_then(Path::file_name).map(|name| name.to_string_lossy());
    name.is_some_and(|name| calor_formats::Format::for_file_name(&name).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Copy, PartialEq, Debug, ValueEnum)]
    enum Page {
        Text,
        #[value(alias = "markdown")]
        Md,
        Html,
    }

    #[derive(Clone, Copy, PartialEq, Debug, ValueEnum)]
    enum Picture {
        Svg,
        Html,
    }

    const HISTORY: Written = Written::new("a history");

    #[test]
    fn an_ending_stands_for_a_format_unless_one_is_named() {
        for (output, expected) in [
            (None, Page::Text),
            (Some("-"), Page::Text),
            (Some("page"), Page::Text),
            (Some("a.b/page.txt"), Page::Text),
            (Some("page.text"), Page::Text),
            (Some("page.md"), Page::Md),
            (Some("page.markdown"), Page::Md),
            (Some("x.txt.HTM"), Page::Html),
        ] {
            let output = output.map(Path::new);
            assert_eq!(HISTORY.format::<Page>(None, output).unwrap(), expected, "{output:?}");
            assert_eq!(HISTORY.format(Some(Page::Html), output).unwrap(), Page::Html);
        }
        assert_eq!(HISTORY.format(Some(Page::Md), Some(Path::new("page.pdf"))).unwrap(), Page::Md);
        assert_eq!(Written::new("a flame graph").format::<Picture>(None, None).unwrap(), Picture::Svg);
    }

    #[test]
    fn another_ending_is_refused_with_those_that_there_are_and_what_writes_it() {
        let drawn = Written { name: "a report", drawn_by: Some("calor flame") };
        for (written, output, expected) in [
            (
                HISTORY,
                "x.pdf",
                "a history is a txt, md or html file, not .pdf: choose such a name, or say --format text",
            ),
            (drawn, "x.svg", "--format text; `calor flame` draws svg"),
            (HISTORY, "x.svg", "not .svg: choose such a name, or say --format text"),
            (drawn, "x.pb.gz", "--format text; `calor convert` writes profiles"),
        ] {
            let refusal = written.format::<Page>(None, Some(Path::new(output))).unwrap_err().to_string();
            assert!(refusal.ends_with(expected), "{refusal}");
        }
        let refusal = Written::new("a flame graph").format::<Picture>(None, Some(Path::new("x.png")));
        let expected =
            "a flame graph is an svg or html file, not .png: choose such a name, or say --format svg";
        assert_eq!(refusal.unwrap_err().to_string(), expected);
    }
}
