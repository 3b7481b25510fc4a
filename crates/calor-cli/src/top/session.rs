//! The view from its first picture to its last: news come in, and after them the picture is drawn once, however many
//! there were. Between news it sleeps.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::Sender;
use std::time::{Instant, SystemTime};

use anyhow::{Context, Result};
use calor_analysis::live::{LiveNames, LivePart, LiveRowKey, LiveWindow};
use calor_analysis::quantity::bytes;
use ratatui::crossterm::event::Event;

use super::draw::{self, Picture};
use super::facts::{Facts, file_name};
use super::feed::Look;
use super::keeper::Order;
use super::keys::{self, Request};
use super::news::{Mailbox, News};
use super::output::Output;
use super::screen::Screen;
use super::source::Source;
use super::state::{Mode, State};
use super::theme::Theme;
use super::view::View;

/// Lines of output that are shown at most.
const OUTPUT_LINES: usize = 500;

/// Everything the view holds.
pub(super) struct Session {
    pub(super) facts: Facts,
    state: State,
    window: LiveWindow,
    /// What is shown while it stands still.
    frozen: Option<Box<LiveWindow>>,
    names: LiveNames,
    theme: Theme,
    source: Source,
    output: Option<Output>,
    output_lines: Vec<String>,
    keeper: Sender<Order>,
    /// Whether a round of the recording is on its way.
    is_unread: Arc<AtomicBool>,
}

impl Session {
    pub(super) fn new(
        facts: Facts,
        has_waits: bool,
        output: Option<Output>,
        keeper: Sender<Order>,
        is_unread: Arc<AtomicBool>,
    ) -> Self {
        let state = State { has_waits, has_output: output.is_some(), ..State::default() };
        Self {
            facts,
            state,
            window: LiveWindow::default(),
            frozen: None,
            names: LiveNames::default(),
            theme: Theme::of_terminal(),
            source: Source::default(),
            output,
            output_lines: Vec::new(),
            keeper,
            is_unread,
        }
    }

    /// Shows things until somebody has seen enough, or `until` comes.
    pub(super) fn run(
        &mut self,
        screen: &mut Screen,
        mailbox: &mut Mailbox,
        until: Option<Instant>,
    ) -> Result<()> {
        self.draw(screen)?;
        while until.is_none_or(|until| Instant::now() < until) {
            let news = mailbox.wait(until).context("the terminal cannot be read any more")?;
            let is_quiet = news.is_empty();
            for news in news {
                if self.take(news) {
                    return Ok(());
                }
            }
            if !is_quiet {
                self.draw(screen)?;
            }
        }
        Ok(())
    }

    /// What the program printed, when the view is over.
    pub(super) fn into_output(self) -> Option<Output> {
        self.output
    }

    /// Shows that the program is being ended, which may take a moment.
    pub(super) fn show_leaving(&mut self, screen: &mut Screen) -> Result<()> {
        self.facts.is_leaving = true;
        self.state.message = Some("ending the program ...".to_owned());
        self.draw(screen)
    }

    /// Takes in what happened; whether the view is over.
    fn take(&mut self, news: News) -> bool {
        match news {
            News::Leave => return true,
            News::Failed(error) => self.state.message = Some(format!("the recording ended: {error}")),
            News::Saved(Ok((path, size))) => {
                self.state.message =
                    Some(format!("saved {} ({}): see it with `calor report`", path.display(), bytes(size)));
            }
            News::Saved(Err(error)) => self.state.message = Some(format!("not saved: {error}")),
            News::Look(look) => self.look(*look),
            News::Input(Event::Key(key)) => {
                if self.state.mode == Mode::Browse {
                    let since_1970 = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
                    self.state.file_name = file_name(self.facts.pid, since_1970.unwrap_or_default());
                }
                if let Some(request) = keys::press(&mut self.state, key) {
                    return self.grant(request);
                }
            }
            News::Input(_) => {}
        }
        false
    }

    fn grant(&mut self, request: Request) -> bool {
        match request {
            Request::Leave => return true,
            Request::Pause => {
                self.state.is_paused = !self.state.is_paused;
                self.frozen = self.state.is_paused.then(|| Box::new(self.window.clone()));
            }
            Request::Save(path) if path.exists() => self.state.mode = Mode::Overwrite(path),
            Request::Save(path) | Request::Replace(path) => self.save(path),
        }
        false
    }

    fn save(&mut self, path: PathBuf) {
        if path.is_dir() {
            self.state.message = Some(format!("not saved: {} is a folder", path.display()));
            return;
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        if let Some(folder) = folder.filter(|folder| !folder.exists()) {
            self.state.message = Some(format!("not saved: there is no folder {}", folder.display()));
            return;
        }
        self.state.message = Some(format!("saving {} ...", path.display()));
        // The keeper lives as long as this.
        let _ = self.keeper.send(Order::Save(path));
    }

    fn look(&mut self, look: Look) {
        let Look { part, progress, wall, cpu_nanos, processes, ended } = look;
        let sums = LivePart::of(&part, &mut self.names);
        self.window.add(sums, wall, cpu_nanos, self.facts.refresh);
        self.window.add_memory(processes, progress.elapsed);
        self.window.add_warnings(&part.warnings);
        self.facts.progress = progress;
        self.facts.ended = ended.or(self.facts.ended);
        if let Some(command) = part.runs.first().and_then(|run| run.command.clone()) {
            self.facts.command = command;
        }
        let _ = self.keeper.send(Order::Keep(part));
        self.is_unread.store(false, Relaxed);
    }

    fn draw(&mut self, screen: &mut Screen) -> Result<()> {
        if self.state.view == View::Output
            && let Some(output) = self.output.as_mut().filter(|_| !self.state.is_paused)
        {
            self.output_lines = output.last_lines(OUTPUT_LINES);
        }
        let window = self.frozen.as_deref().unwrap_or(&self.window);
        if self.state.has_panel && self.state.view == View::Python {
            let (rows, _) = self.state.rows(window);
            self.state.settle(&rows, usize::MAX);
            if let Some(LiveRowKey::Line(line)) = rows.get(self.state.selected).map(|row| &row.key) {
                self.source.show(line);
            }
        }
        let picture = Picture {
            window,
            facts: &self.facts,
            theme: &self.theme,
            output: &self.output_lines,
            source: &self.source,
        };
        let state = &mut self.state;
        let drawn = screen.terminal.draw(|frame| {
            if let Some(cursor) = draw::draw(frame.buffer_mut(), state, &picture) {
                frame.set_cursor_position(cursor);
            }
        });
        drawn.map(drop).context("the terminal cannot be drawn on any more")
    }
}
