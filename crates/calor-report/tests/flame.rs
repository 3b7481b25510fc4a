//! Flame graphs as files: what is in them, and that no name can break out of them.

use calor_formats::Metric;
use calor_model::{Frame, FrameKind, LabelTable, Profile, SampleKey, SampleKind, SampleWeight};
use calor_report::flame::{
    ColourScheme, FlameInput, FlameMetric, FlameTree, FlameTreeOptions, FlameUnit, FlameWeight, html, svg,
};
use serde_json::Value;

mod sketch;

const HOSTILE: [&str; 6] = [
    "<script>alert(1)</script>",
    "]]></title><!-- \" ' & </script><script>",
    "nul\0 bell\x07 escape\x1b[31m new\nline",
    "turned \u{202e}txet\u{2069}",
    "注意机制 مرحبا",
    "",
];

fn picture(tree: &FlameTree<'_>, options: &svg::SvgOptions) -> String {
    let mut picture = Vec::new();
    svg::write(tree, options, &mut picture).expect("a vector can be written to");
    String::from_utf8(picture).expect("a picture is UTF-8")
}

fn page(profile: &Profile, input: &FlameInput) -> String {
    let mut page = Vec::new();
    html::write(profile, input, &html::HtmlOptions::default(), &mut page)
        .expect("a vector can be written to");
    String::from_utf8(page).expect("a page is UTF-8")
}

fn data(page: &str) -> Value {
    let (_, rest) = page.split_once("class=\"flame-data\">").expect("the page holds data");
    let (data, _) = rest.split_once("</script>").expect("the data end");
    serde_json::from_str(data).expect("the data are JSON")
}

/// A profile of paths and what weighs on them.
fn weighted(paths: &[(&[&str], u64)]) -> (Profile, FlameInput) {
    let mut profile = Profile::default();
    let mut weights = Vec::new();
    for (path, value) in paths {
        let stack = profile.intern_named_path(path, FrameKind::Native).expect("a path has a frame");
        weights.push(FlameWeight::new(stack, None, *value));
    }
    let metric = FlameMetric { id: "cpu".into(), name: "CPU time".into(), unit: FlameUnit::Nanos, weights };
    (profile, FlameInput { title: "a run".into(), metrics: vec![metric] })
}

/// Every element that opens is closed, in order, and no text holds a bare `<` or `&`.
fn assert_well_formed(picture: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = picture;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        if let Some(inside) = rest.strip_prefix("![CDATA[") {
            rest = inside.split_once("]]>").expect("the section ends").1;
            continue;
        }
        let (tag, after) = rest.split_once('>').expect("the tag ends");
        rest = after;
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name));
        } else if !tag.ends_with('/') {
            open.push(tag.split(' ').next().expect("a tag has a name"));
        }
    }
    assert!(open.is_empty(), "{open:?}");
    let is_known =
        |text: &str| ["lt;", "gt;", "amp;", "quot;", "#39;"].iter().any(|end| text.starts_with(end));
    let (markup, _script) = picture.split_once("<script>").expect("the picture has a script");
    assert!(markup.split('&').skip(1).all(is_known), "an entity is unknown");
    assert!(!picture.chars().any(|letter| letter.is_control() && letter != '\n'));
}

#[test]
fn a_small_picture() {
    let profile = sketch::transformer();
    let input = FlameInput::of_profile(&profile);
    let tree = FlameTree::new(&profile, input.metric("scopes").unwrap(), FlameTreeOptions::default());
    let options = svg::SvgOptions { title: input.title.clone(), ..Default::default() };
    let picture = picture(&tree, &options);
    assert_well_formed(&picture);
    let (head, rest) = picture.split_once("<style>").unwrap();
    let (_, body) = rest.split_once("</style>").unwrap();
    let (body, _) = body.split_once("<script>").unwrap();
    insta::assert_snapshot!(format!("{head}{body}"));
}

#[test]
fn every_metric_of_a_profile_is_on_the_page_and_adds_up() {
    let profile = sketch::transformer();
    let input = FlameInput::of_profile(&profile);
    let data = data(&page(&profile, &input));
    let ids: Vec<_> =
        data["metrics"].as_array().unwrap().iter().map(|metric| metric["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["scopes", "cpu", "wall", "off_cpu", "allocated", "peak", "live", "temporary"]);
    // What is shown unless something else is asked for is the same everywhere.
    let words: Vec<_> = Metric::available(&profile).into_iter().map(Metric::word).collect();
    assert_eq!(ids, words);
    for (column, metric) in data["metrics"].as_array().unwrap().iter().zip(&input.metrics) {
        let sum: u64 = column["value"].as_array().unwrap().iter().map(|value| value.as_u64().unwrap()).sum();
        assert_eq!(sum, metric.weights.iter().map(|weight| weight.self_value).sum::<u64>(), "{}", metric.id);
        let tree = FlameTree::new(&profile, metric, FlameTreeOptions::default());
        assert_eq!(sum, tree.total(), "{}", metric.id);
    }
    let frames = data["names"].as_array().unwrap().len();
    for column in ["hot", "module", "kind"] {
        assert_eq!(data["colours"][column].as_array().unwrap().len(), frames);
    }
}

#[test]
fn no_name_breaks_out_of_a_picture_or_a_page() {
    let mut profile = Profile::default();
    let long = "x".repeat(100_000);
    let mut stack = None;
    let mut weights = Vec::new();
    for name in HOSTILE.into_iter().chain([long.as_str()]) {
        let id = profile.strings.intern(name);
        let frame =
            Frame { module: Some(id), file: Some(id), line: Some(3), ..Frame::new(id, FrameKind::Native) };
        let frame = profile.frames.intern(frame);
        let path = profile.stacks.intern(stack, frame);
        let thread = profile.intern_thread(1, 1, name);
        weights.push(FlameWeight::new(path, Some(thread), 10));
        stack = Some(path);
    }
    let metric =
        FlameMetric { id: "\"><script>".into(), name: HOSTILE[1].into(), unit: FlameUnit::Count, weights };
    let input = FlameInput { title: HOSTILE[1].into(), metrics: vec![metric] };
    for scheme in ColourScheme::ALL {
        let options = FlameTreeOptions { is_by_thread: true, ..Default::default() };
        let tree = FlameTree::new(&profile, &input.metrics[0], options);
        let options = svg::SvgOptions { title: HOSTILE[0].into(), colours: scheme, ..Default::default() };
        let picture = picture(&tree, &options);
        assert_well_formed(&picture);
        assert_eq!(picture.matches("<script>").count(), 1);
        assert!(picture.len() < 100_000, "long names are cut");
    }
    let page = page(&profile, &input);
    assert_eq!(page.matches("<script").count(), 2);
    assert_eq!(page.matches("</script").count(), 2);
    assert!(!page.contains('\u{202e}') && !page.contains('\x1b'));
    assert_eq!(data(&page)["metrics"][0]["id"], "\"><script>");
}

#[test]
fn an_empty_profile_gives_a_picture_and_a_page_that_say_so() {
    let profile = Profile::default();
    let input = FlameInput::of_profile(&profile);
    let page = page(&profile, &input);
    assert!(page.contains("Nothing to draw") && !page.contains("<canvas"));
    let metric = FlameMetric {
        id: "cpu".into(),
        name: "CPU time".into(),
        unit: FlameUnit::Nanos,
        weights: Vec::new(),
    };
    let picture =
        picture(&FlameTree::new(&profile, &metric, FlameTreeOptions::default()), &Default::default());
    assert!(picture.contains("CPU time: nothing was recorded"));
    assert_well_formed(&picture);
}

#[test]
fn narrow_frames_are_left_out_and_the_picture_says_so() {
    let (profile, input) = weighted(&[(&["main"], 999_990), (&["main", "rare"], 10)]);
    let tree = FlameTree::new(&profile, &input.metrics[0], FlameTreeOptions::default());
    let narrow = picture(&tree, &svg::SvgOptions::default());
    assert!(narrow.contains("; 2 frames, those narrower than 0.1 px left out"), "{narrow}");
    let all = picture(&tree, &svg::SvgOptions { min_width: 0.0, ..Default::default() });
    assert!(all.contains("; 3 frames<") && all.contains("rare"));
}

#[test]
fn a_hundred_thousand_frames_are_culled_to_what_a_browser_opens() {
    let names: Vec<String> = (0..400).map(|number| format!("function_{number}")).collect();
    let mut profile = Profile::default();
    let mut weights = Vec::new();
    for place in 0..100_000_usize {
        let path = [&*names[place % 5], &*names[place / 300], &*names[place % 300], "leaf"];
        let stack = profile.intern_named_path(&path, FrameKind::Native).expect("a path has a frame");
        weights.push(FlameWeight::new(stack, None, 1 + (place % 97) as u64));
    }
    let metric = FlameMetric { id: "cpu".into(), name: "CPU time".into(), unit: FlameUnit::Nanos, weights };
    let input = FlameInput { title: "large".into(), metrics: vec![metric] };
    let tree = FlameTree::new(&profile, &input.metrics[0], FlameTreeOptions::default());
    assert!(tree.len() > 100_000);
    let n_drawn = |options: &svg::SvgOptions| {
        let picture = picture(&tree, options);
        assert!(picture.contains("left out"));
        picture.matches("<g><title>").count()
    };
    let wide = n_drawn(&svg::SvgOptions { min_width: 1.0, ..Default::default() });
    assert!(wide < 5_000, "{wide} frames");
    let most = n_drawn(&svg::SvgOptions { min_width: 0.0, max_frames: 1_000, ..Default::default() });
    assert!((1..=1_000).contains(&most), "{most} frames");
    let options = html::HtmlOptions { max_paths: 20_000, ..Default::default() };
    let fragment = html::fragment(&profile, &input, &options);
    assert!(
        fragment.markup.contains("paths that weigh least stand as <q>(left out)</q> inside their callers")
    );
    let data = data(&fragment.markup);
    assert!(data["paths"]["frame"].as_array().unwrap().len() <= 20_000);
    let metric = &data["metrics"][0];
    let sum = |column: &Value| -> u64 {
        column.as_array().unwrap().iter().map(|value| value.as_u64().unwrap()).sum()
    };
    assert_eq!(sum(&metric["value"]) + sum(&metric["left_out"]["value"]), tree.total());
}

#[test]
fn a_name_that_is_drawn_in_part_is_known_with_all_that_it_holds() {
    // A thousand paths of one name, of which one is wide enough to be drawn; another name is nowhere.
    let names: Vec<String> = (0..1_000).map(|number| format!("path_{number}")).collect();
    let mut paths: Vec<(Vec<&str>, u64)> =
        names.iter().map(|name| (vec![&**name, "everywhere"], 10)).collect();
    paths.push((vec!["wide", "everywhere"], 2_000));
    paths.push((vec!["wide"], 8_000));
    paths.push((vec!["wide", "rare", "rarer"], 5));
    let paths: Vec<(&[&str], u64)> = paths.iter().map(|(path, value)| (&path[..], *value)).collect();
    let (profile, input) = weighted(&paths);
    let whole = FlameTree::new(&profile, &input.metrics[0], FlameTreeOptions::default());
    for min_share in [0.0, 0.01] {
        let options = FlameTreeOptions { min_share, ..Default::default() };
        let tree = FlameTree::new(&profile, &input.metrics[0], options);
        let picture = picture(&tree, &svg::SvgOptions { min_width: 12.0, ..Default::default() });
        assert_well_formed(&picture);
        assert!(picture.contains("left out with 50.0 % of the total in them"), "{picture}");
        assert!(picture.contains("<title>(left out)\n10.0 µs (50.0 %) in frames narrower than"), "{picture}");
        let (_, rest) = picture.split_once("<metadata class=\"names\" data-total=\"20005\">").unwrap();
        let rows = rest.split_once("</metadata>").unwrap().0.replace("&quot;", "\"");
        let rows: Vec<(String, u64, u64, u64)> = serde_json::from_str(&rows).unwrap();
        let row = |name: &str| rows.iter().find(|row| row.0 == name).map(|row| (row.1, row.2, row.3));
        assert_eq!(row("everywhere"), Some((10_000, 12_000, 12_000)));
        assert_eq!((row("rare"), row("rarer")), (Some((5, 5, 0)), Some((5, 5, 5))));
        assert_eq!((row("wide"), row("all"), row("path_7")), (None, None, Some((10, 10, 0))));
    }
    let all = picture(&whole, &svg::SvgOptions { min_width: 0.0, ..Default::default() });
    assert!(!all.contains("<metadata") && !all.contains("(left out)</"));
}

#[test]
fn a_picture_is_the_same_whether_its_tree_was_whole_or_not() {
    let profile = sketch::transformer();
    let input = FlameInput::of_profile(&profile);
    for is_inverted in [false, true] {
        let metric = &input.metrics[0];
        let options = svg::SvgOptions { min_width: 30.0, max_frames: 9, ..Default::default() };
        let whole = FlameTreeOptions { is_inverted, ..Default::default() };
        let mut drawn = Vec::new();
        svg::draw(&profile, metric, whole, &options, &mut drawn).expect("a vector can be written to");
        let drawn = String::from_utf8(drawn).expect("a picture is UTF-8");
        let of_whole = picture(&FlameTree::new(&profile, metric, whole), &options);
        assert_eq!(drawn, of_whole);
        assert!(drawn.contains(" px left out with "), "{drawn}");
        assert_well_formed(&drawn);
    }
}

#[test]
fn threads_of_one_name_stay_apart_in_picture_and_page() {
    let mut profile = Profile::default();
    let stack = profile.intern_named_path(&["run"], FrameKind::Native).unwrap();
    let weights = [7, 12].map(|tid| {
        let thread = profile.intern_thread(1, tid, "worker");
        FlameWeight::new(stack, Some(thread), 10)
    });
    let (id, name, weights) = ("cpu".into(), "CPU time".into(), weights.to_vec());
    let metric = FlameMetric { id, name, unit: FlameUnit::Nanos, weights };
    let input = FlameInput { title: "a run".into(), metrics: vec![metric] };
    let options = FlameTreeOptions { is_by_thread: true, ..Default::default() };
    let tree = FlameTree::new(&profile, &input.metrics[0], options);
    let picture = picture(&tree, &svg::SvgOptions::default());
    assert!(picture.contains(">worker (7)<") && picture.contains(">worker (12)<"), "{picture}");
    let data = data(&page(&profile, &input));
    let names = data["names"].as_array().unwrap();
    let threads = data["metrics"][0]["thread"].as_array().unwrap();
    let threads: Vec<_> = threads.iter().map(|thread| &names[thread.as_u64().unwrap() as usize]).collect();
    assert_eq!(threads, ["worker (7)", "worker (12)"]);
}

#[test]
fn colours_that_stand_for_something_are_explained() {
    let mut profile = Profile::default();
    let mut weights = Vec::new();
    for (number, module) in ["libc.so", "libblas.so", "</text>"].into_iter().enumerate() {
        let name = profile.strings.intern(&format!("f{number}"));
        let module = Some(profile.strings.intern(module));
        let frame = profile.frames.intern(Frame { module, ..Frame::new(name, FrameKind::Native) });
        weights.push(FlameWeight::new(profile.stacks.intern(None, frame), None, 10 + number as u64));
    }
    let metric = FlameMetric { id: "cpu".into(), name: "CPU time".into(), unit: FlameUnit::Nanos, weights };
    let tree = FlameTree::new(&profile, &metric, FlameTreeOptions::default());
    let legend = |colours| {
        let picture = picture(&tree, &svg::SvgOptions { colours, ..Default::default() });
        assert_well_formed(&picture);
        let (_, rest) = picture.split_once("<g class=\"legend\"")?;
        let (legend, _) = rest.split_once("</g></g>")?;
        let texts =
            legend.split("<text").skip(1).map(|text| text.split(['<', '>']).nth(1).unwrap().to_owned());
        Some(texts.collect::<Vec<_>>())
    };
    assert_eq!(legend(ColourScheme::Hot), None);
    assert_eq!(legend(ColourScheme::Kind).unwrap(), ["native"]);
    assert_eq!(legend(ColourScheme::Module).unwrap(), ["&lt;/text&gt;", "libblas.so", "libc.so"]);
}

#[test]
fn a_legend_names_the_widest_first_in_lines_and_counts_the_others() {
    let mut profile = Profile::default();
    let (mut stack, mut weights) = (None, Vec::new());
    // Nested, so that what has no time of its own is the widest.
    for number in 0..20 {
        let name = profile.strings.intern(&format!("f{number}"));
        let module =
            profile.strings.intern(&format!("company::platform::services::a_rather_long_module_{number}"));
        let frame = Frame { module: Some(module), ..Frame::new(name, FrameKind::Native) };
        let frame = profile.frames.intern(frame);
        let path = profile.stacks.intern(stack, frame);
        stack = Some(path);
        weights.push(FlameWeight::new(path, None, if number == 0 { 0 } else { 10 }));
    }
    let metric = FlameMetric { id: "cpu".into(), name: "CPU time".into(), unit: FlameUnit::Nanos, weights };
    let tree = FlameTree::new(&profile, &metric, FlameTreeOptions::default());
    let options = svg::SvgOptions { colours: ColourScheme::Module, width: 800, ..Default::default() };
    let picture = picture(&tree, &options);
    let (_, rest) = picture.split_once("<g class=\"legend\"").unwrap();
    let (legend, _) = rest.split_once("</g></g>").unwrap();
    let texts = legend.split("<text").skip(1).map(|text| text.split(['<', '>']).nth(1).unwrap());
    let expected: Vec<String> = (0..12).map(|number| format!("a_rather_long_module_{number}")).collect();
    assert_eq!(texts.collect::<Vec<_>>(), [&expected[..], &["and 8 others".to_owned()]].concat());
    let places = legend.split("translate(").skip(1).map(|place| place.split_once(')').unwrap().0);
    let places: Vec<(f64, f64)> = places
        .map(|place| place.split_once(' ').map(|(x, y)| (x.parse().unwrap(), y.parse().unwrap())).unwrap())
        .collect();
    assert!(
        places.iter().all(|(x, _)| *x < 700.0)
            && places.windows(2).all(|two| two[0] < two[1] || two[0].1 < two[1].1)
    );
    assert!(places.last().unwrap().1 > places[0].1, "{places:?}");
    // The frames begin below the last line.
    let top = picture.split("<rect class=\"m").last().and_then(|rect| rect.split(" y=\"").nth(1)).unwrap();
    let top: f64 = top.split('"').next().unwrap().parse().unwrap();
    assert!(top > places.last().unwrap().1, "{top}");
}

#[test]
fn a_page_opens_with_the_view_that_was_asked_for() {
    let profile = sketch::transformer();
    let input = FlameInput::of_profile(&profile);
    let section = |view: html::FirstView| {
        let options = html::HtmlOptions { view, ..Default::default() };
        let markup = html::fragment(&profile, &input, &options).markup;
        markup.split_once('>').expect("the section begins").0.to_owned()
    };
    assert_eq!(section(html::FirstView::default()), "<section class=\"flame\" aria-label=\"Flame graph\"");
    let view = html::FirstView {
        is_inverted: true,
        is_by_thread: true,
        colours: ColourScheme::Module,
        min_share: 0.005,
    };
    assert_eq!(
        section(view),
        "<section class=\"flame\" data-inverted data-by-thread data-colour=\"module\" \
         data-min-share=\"0.005\" aria-label=\"Flame graph\""
    );
}

#[test]
fn drawn_frames_stay_inside_their_callers() {
    let profile = sketch::transformer();
    let input = FlameInput::of_profile(&profile);
    for metric in &input.metrics {
        for (is_by_thread, is_inverted) in [(false, false), (true, false), (false, true), (true, true)] {
            let tree = FlameTree::new(
                &profile,
                metric,
                FlameTreeOptions { is_by_thread, is_inverted, ..Default::default() },
            );
            for node in tree.nodes() {
                let Some(caller) = node.parent.map(|caller| tree.node(caller)) else { continue };
                assert!(node.start >= caller.start);
                assert!(node.start + node.total <= caller.start + caller.total);
            }
        }
    }
}

#[test]
fn a_long_name_is_short_in_its_frame_and_whole_in_its_hint() {
    let mut profile = Profile::default();
    let thread = profile.intern_thread(1, 1, "main");
    let long = "<alloc::vec::Vec<T, A> as core::iter::Extend<T>>::extend";
    let stack = profile.intern_named_path(&["main", long], FrameKind::Native).unwrap();
    let labels = LabelTable::none();
    let key = SampleKey { kind: SampleKind::Cpu, stack, thread, labels, at_nanos: None };
    profile.samples.add(key, SampleWeight { count: 1, nanos: 1_000 });
    let input = FlameInput::of_profile(&profile);
    let tree = FlameTree::new(&profile, &input.metrics[0], FlameTreeOptions::default());
    let picture = picture(&tree, &svg::SvgOptions::default());
    assert!(picture.contains(">alloc::vec::Vec::extend</text>"), "{picture}");
    assert!(picture.contains("<title>&lt;alloc::vec::Vec&lt;T, A&gt; as "), "{picture}");
    let page = page(&profile, &input);
    assert!(page.contains("\"alloc::vec::Vec::extend\"") && page.contains("as core::iter::Extend"));
}
