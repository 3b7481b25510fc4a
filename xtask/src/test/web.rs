//! The modules of pages: their types, their style, their parts under Node, and whole pages in headless Chromium, which is
//! fetched as a package where the system allows it. The tools that check come from `web/package-lock.json`.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use anyhow::Context;

use super::step::{Place, Step, StepOutcome};
use crate::cargo;

pub(super) const STEP: Step = Step {
    name: "web",
    about: "modules of pages: types, style, tests in Node and Chromium",
    is_build: false,
    is_quick: false,
    run,
};

const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];

fn run(place: &Place) -> anyhow::Result<StepOutcome> {
    let web = place.root.join("web");
    if !is_up_to_date(&web) {
        let install = ["ci", "--no-audit", "--no-fund"];
        cargo::run(Command::new("npm").args(install).current_dir(&web).stdout(Stdio::null()))
            .context("the tools that check modules come with npm")?;
    }
    for script in ["types", "lint", "test"] {
        npm(&web, script, |_| {})?;
    }
    let Some(browser) = installed().or_else(install) else {
        let why = "the modules passed under Node; whole pages were not tested: there is no Chromium, install it with \
                   `apt-get install chromium`";
        return Ok(StepOutcome::Skipped(why.to_owned()));
    };
    let calor = place.target.join("debug/calor");
    npm(&web, "pages", |command| {
        command.env("CALOR", calor).env("CALOR_BROWSER", browser);
    })?;
    Ok(StepOutcome::Passed)
}

/// Runs a script of `package.json`.
fn npm(web: &Path, script: &str, set_up: impl FnOnce(&mut Command)) -> anyhow::Result<()> {
    let mut command = Command::new("npm");
    command.args(["run", "--silent", script]).current_dir(web);
    set_up(&mut command);
    cargo::run(&mut command)
}

/// Whether the installed packages are those of the lock file: npm writes down what it installed, and when.
fn is_up_to_date(web: &Path) -> bool {
    let changed = |path: &str| fs::metadata(web.join(path)).and_then(|file| file.modified()).ok();
    changed("node_modules/.package-lock.json")
        .zip(changed("package-lock.json"))
        .is_some_and(|(installed, wanted)| installed >= wanted)
}

fn installed() -> Option<PathBuf> {
    let folders: Vec<PathBuf> = env::split_paths(&env::var_os("PATH")?).collect();
    let mut paths = BROWSERS.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    paths.find(|path| path.is_file())
}

/// Debian's package, where whoever runs the tests may install one: on a machine of their own or in a container, which
/// does not know any package before its lists are fetched.
fn install() -> Option<PathBuf> {
    for arguments in [&["update"][..], &["install", "--yes", "--no-install-recommends", "chromium"]] {
        let mut apt = Command::new("apt-get");
        apt.args(arguments).env("DEBIAN_FRONTEND", "noninteractive");
        cargo::run(apt.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null())).ok()?;
    }
    installed()
}
