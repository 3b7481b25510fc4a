//! Steps from one total to another as bars of the page's style: no picture, so that names can be found and copied.

use std::fmt::Write;

use super::escape::escaped;
use super::tone_class;
use crate::document::Waterfall;

pub(super) fn draw(waterfall: &Waterfall, page: &mut String) {
    page.push_str("<div class=\"scroll\">\n<table class=\"waterfall\">\n<tbody>\n");
    for bar in &waterfall.bars {
        let [from, to] = waterfall.shares(bar).map(|share| share * 100.0);
        let _ = writeln!(
            page,
            "<tr{}><th scope=\"row\" class=\"name\" title=\"{name}\"><span><b>{name}</b></span></th><td>{}</td>\
             <td class=\"steps\"><div style=\"--from:{from:.2}%;--length:{:.2}%\"></div></td></tr>",
            tone_class(bar.tone),
            escaped(&bar.text),
            to - from,
            name = escaped(&bar.name),
        );
    }
    page.push_str("</tbody>\n</table>\n</div>\n");
}
