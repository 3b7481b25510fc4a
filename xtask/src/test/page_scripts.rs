//! The scripts that pages carry: their parts under Node, and whole pages in headless Chromium, which is fetched as a
//! package where the system allows it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use anyhow::{Context, ensure};

use super::step::{Place, Step, StepOutcome};
use crate::cargo;

pub(super) const STEP: Step =
    Step { name: "page_scripts", about: "scripts of pages in Node and Chromium", is_build: false, run };

const SCRIPTS: &str = "crates/calor-report/tests/page_scripts";
const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];

fn run(place: &Place) -> anyhow::Result<StepOutcome> {
    let scripts = place.root.join(SCRIPTS);
    cargo::run(Command::new("node").arg("--test").current_dir(&scripts).stdout(Stdio::null()))
        .with_context(|| format!("run `node --test` in {SCRIPTS} to see which test failed"))?;
    let Some(browser) = installed().or_else(install) else {
        let why = "the parts passed under Node; whole pages were not tested: there is no Chromium, install it with \
                   `apt-get install chromium`";
        return Ok(StepOutcome::Skipped(why.to_owned()));
    };
    let folder = place.target.join("page_scripts");
    fs::create_dir_all(&folder)?;
    let calor = place.target.join("debug/calor");
    let demo = folder.join("demo");
    let mut record = Command::new(&calor);
    let size = ["--size", "small", "--tokens", "4", "--inferences", "2"];
    record.arg("demo").args(size).args(["--no-cpu", "--save=no", "--output"]).arg(&demo);
    cargo::run(record.stdout(Stdio::null()))?;
    let drawn = |name: &str, options: &[&str]| -> anyhow::Result<String> {
        let out = folder.join(name);
        let mut draw = Command::new(&calor);
        cargo::run(draw.arg("flame").arg(demo.join("small.calor")).args(options).arg("-o").arg(&out))?;
        Ok(fs::read_to_string(out)?)
    };

    let view = ["--invert", "--by-thread", "--color", "kind", "--min-width", "2"];
    let page = drawn("flame.html", &view)?;
    let (start, end) =
        page.find("<section").zip(page.rfind("</section>")).context("the page has no graph")?;
    // A second graph on the same page.
    let two = format!("{}{}{}", &page[..end + 10], &page[start..end + 10], &page[end + 10..]);
    let script = fs::read_to_string(scripts.join("in_flame_page.js"))?;
    check(
        &browser,
        &folder,
        "flame",
        &two.replace("</body>", &format!("<script>\n{script}</script></body>")),
    )?;

    let picture = drawn("flame.svg", &["--color", "kind", "--min-width", "1"])?;
    let script = fs::read_to_string(scripts.join("in_flame_picture.js"))?;
    let around = format!(
        "<!doctype html>\n<meta charset=\"utf-8\">\n<body>\n{picture}\n<script>\n{script}</script>\n</body>\n"
    );
    check(&browser, &folder, "picture", &around)?;
    Ok(StepOutcome::Passed)
}

fn installed() -> Option<PathBuf> {
    let folders: Vec<PathBuf> = env::split_paths(&env::var_os("PATH")?).collect();
    let mut paths = BROWSERS.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    paths.find(|path| path.is_file())
}

/// Debian's package, where whoever runs the tests may install one: on a machine of their own or in a container.
fn install() -> Option<PathBuf> {
    let mut install = Command::new("apt-get");
    install.args(["install", "--yes", "--no-install-recommends", "chromium"]);
    cargo::run(install.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null())).ok()?;
    installed()
}

/// What a test inside a page writes when it comes to its end.
const END: &str = "ok all was looked at";

/// Opens a page whose last script writes one line for each thing it looked at into `pre.tested`, `ok` in front of what
/// was right, and [`END`] behind all.
fn check(browser: &Path, folder: &Path, name: &str, page: &str) -> anyhow::Result<()> {
    let path = folder.join(format!("{name}-test.html"));
    fs::write(&path, page)?;
    // The page is our own and loads nothing, and inside a container there is often no sandbox to have.
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--window-size=1280,900"])
        .args(["--virtual-time-budget=10000", "--dump-dom"])
        .arg(format!("--user-data-dir={}", folder.join("browser").display()))
        .arg(format!("file://{}", path.canonicalize()?.display()))
        .output()
        .with_context(|| format!("cannot start {}", browser.display()))?;
    let document = String::from_utf8_lossy(&output.stdout);
    let tested =
        document.split_once("<pre class=\"tested\">").and_then(|(_, rest)| rest.split_once("</pre>"));
    let (tested, _) = tested.with_context(|| {
        format!(
            "the test inside {} wrote nothing; open it in a browser and look at its console",
            path.display()
        )
    })?;
    println!("{name}: {tested}");
    let wrong: Vec<&str> =
        tested.lines().filter(|line| !line.is_empty() && !line.starts_with("ok ")).collect();
    ensure!(wrong.is_empty(), "in {}: {}", path.display(), wrong.join("; "));
    ensure!(tested.trim_end().ends_with(END), "the test inside {} did not come to its end", path.display());
    Ok(())
}
