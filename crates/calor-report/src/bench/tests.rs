//! The pages of a run that has something of everything.

use super::*;

/// A small run.
fn bench() -> Bench {
    let mut bench = Bench::new("simd", "Kernels <on> this machine");
    bench.fact("vector class", "avx2");
    bench.fact("cases", "12");
    for (variant, factor) in [("naive", 1.0), ("blocked", 9.0)] {
        for size in [128_u32, 256] {
            let values: Vec<f64> = (0..7).map(|n| factor * f64::from(size) / 128.0 + f64::from(n)).collect();
            let params = Params::from([("size".to_owned(), size.into()), ("dtype".to_owned(), "f32".into())]);
            let figure = Figure::of(format!("matmul, {variant}"), params, "GFLOP/s", &values);
            bench.figures.push(figure.unwrap().verified(true));
        }
    }
    let mut table = Table::new("Matmul", [Column::text("variant"), Column::number("GFLOP/s")]);
    table.rows = vec![
        vec!["naive | plain".to_owned(), "3.00".to_owned()],
        vec!["blocked".to_owned(), "12.0".to_owned()],
    ];
    table.note = Some("Checked against `f64`.".to_owned());
    bench.tables.push(table);
    let series = |name: &str, factor: f64, is_front: bool| Series {
        name: name.to_owned(),
        points: [128.0, 256.0].map(|x| Point { x, y: x * factor, label: Some(format!("{name} {x}")) }).into(),
        is_front,
    };
    for kind in [ChartKind::Lines, ChartKind::Points, ChartKind::Bars] {
        bench.charts.push(Chart {
            title: format!("{kind:?} <chart>"),
            kind,
            x: Axis::log("size"),
            y: Axis::log("GFLOP/s"),
            series: vec![series("naive", 0.01, false), series("best", 0.1, true)],
            note: None,
        });
    }
    bench.advice.push(Advice {
        title: "Use `blocked`.".to_owned(),
        text: "It is nine times as fast.".to_owned(),
        evidence: vec!["12.0 against 3.00 GFLOP/s".to_owned()],
    });
    bench.warn("no_blas", "no BLAS was found: install libopenblas0");
    bench
}

fn page(format: BenchFormat, width: usize) -> String {
    let mut page = Vec::new();
    render(&bench(), None, &BenchOptions { format, width, color: false }, &mut page).unwrap();
    String::from_utf8(page).unwrap()
}

#[test]
fn text_fits_its_width_and_ends_with_what_to_do() {
    for width in [60, 80, 120] {
        let page = page(BenchFormat::Text, width);
        let longest = page.lines().map(crate::text::printable::width).max();
        assert!(longest <= Some(width), "{page}");
        for part in
            ["vector class  avx2", "blocked", "Use `blocked`. It is nine", "12.0 against", "libopenblas0"]
        {
            assert!(page.contains(part), "{part}: {page}");
        }
    }
}

#[test]
fn wide_heads_are_broken_in_two_and_many_charts_are_few() {
    let mut bench = bench();
    let columns = ["what was counted", "tokenizers, first pass", "tokenizers, again", "calor, first pass"];
    let mut columns: Vec<Column> = columns.map(Column::number).into();
    columns[0].is_number = false;
    bench.tables = vec![Table::new("Counts", columns)];
    bench.tables[0].rows =
        vec![["vocabulary lookups", "213,721", "114,456", "135,513"].map(String::from).into()];
    bench.charts.extend(bench.charts.clone());
    bench.advice[0].title = "Use it".to_owned();
    let text = |width| {
        let mut page = Vec::new();
        let options = BenchOptions { format: BenchFormat::Text, width, color: false };
        render(&bench, None, &options, &mut page).unwrap();
        String::from_utf8(page).unwrap()
    };
    let (narrow, wide) = (text(60), text(120));
    assert!(narrow.contains("tokenizers,") && !narrow.contains("tokenizers, first pass"), "{narrow}");
    assert!(narrow.contains("vocabulary lookups") && narrow.contains("213,721"), "{narrow}");
    assert!(wide.contains("tokenizers, first pass"), "{wide}");
    assert!(narrow.lines().all(|line| crate::text::printable::width(line) <= 60), "{narrow}");
    assert_eq!(wide.matches("<chart>").count(), 4, "{wide}");
    assert!(wide.contains("2 more charts are on the page that `-o page.html` writes."), "{wide}");
    assert!(wide.contains("Use it. It is nine"), "{wide}");
}

#[test]
fn json_has_the_fields_that_scripts_rely_on() {
    let page: serde_json::Value = serde_json::from_str(&page(BenchFormat::Json, 80)).unwrap();
    assert_eq!((page["schema"].as_str(), page["name"].as_str()), (Some("calor/bench/1"), Some("simd")));
    let first = &page["results"][0];
    assert_eq!(first["case"], "matmul, naive");
    assert_eq!(first["params"], serde_json::json!({ "dtype": "f32", "size": 128 }));
    assert_eq!(
        (first["median"].as_f64(), first["low"].as_f64(), first["high"].as_f64()),
        (Some(4.0), Some(1.0), Some(7.0))
    );
    assert_eq!((first["n"].as_u64(), first["verified"].as_bool()), (Some(7), Some(true)));
    assert_eq!(page["warnings"][0]["code"], "no_blas");
}

#[test]
fn csv_has_a_row_for_each_figure_and_a_column_for_each_parameter() {
    let page = page(BenchFormat::Csv, 80);
    let lines: Vec<&str> = page.lines().collect();
    assert_eq!(lines[0], "case,dtype,size,unit,median,low,high,n,verified");
    assert_eq!(lines[1], "\"matmul, naive\",f32,128,GFLOP/s,4,1,7,7,true");
    assert_eq!(lines.len(), 5);
}

#[test]
fn pages_say_everything_and_nothing_in_them_is_markup() {
    let html = page(BenchFormat::Html, 80);
    assert!(html.contains("Kernels &lt;on&gt; this machine") && !html.contains("<on>"));
    assert_eq!(html.matches("<svg class=\"plot\"").count(), 3);
    assert!(
        html.contains("class=\"curve s1 front\"")
            && html.contains("<path class=\"level\"")
            && html.contains("<rect class=\"s1 front\"")
    );
    assert!(html.contains("data-key=\"12\"") && !html.contains("NaN"));
    let markdown = page(BenchFormat::Markdown, 80);
    assert!(
        markdown.contains("| naive \\| plain | 3.00 |") && markdown.contains("Kernels &lt;on&gt;"),
        "{markdown}"
    );
    assert!(markdown.contains("**Use `blocked`.** It is nine times as fast."), "{markdown}");
}

#[test]
fn a_page_carries_the_profile_of_its_run() {
    let mut profile = Profile::default();
    profile.warn(Warning::new("carried", "for the test"));
    for format in [BenchFormat::Markdown, BenchFormat::Html] {
        let mut page = Vec::new();
        let options = BenchOptions { format, width: 80, color: false };
        render(&bench(), Some(&profile), &options, &mut page).unwrap();
        let read = calor_formats::read(&page[..]).unwrap();
        assert!(read.warnings.iter().any(|warning| warning.code == "carried"), "{format:?}");
    }
}
