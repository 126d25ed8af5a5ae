//! A program in a pseudo-terminal: keys in, screen out, and what it left behind.
//!
//! Nothing here measures time. [`PATIENCE`] only ends a test whose program never does what is
//! waited for; a slow machine is not a failure.

use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, SlavePty, native_pty_system};
use tempfile::TempDir;

use crate::cli::commands::without_delay;

/// After this long a test gives up.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// What the reader thread gathers.
struct Seen {
    parser: vt100::Parser,
    /// Every byte that the program wrote.
    log: Vec<u8>,
}

/// Shared between the test and the reader thread.
struct Shared {
    seen: Mutex<Seen>,
    changed: Condvar,
    /// The reader is to stop after its next bytes, and close its end.
    stop: AtomicBool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// A program with a terminal of its own, as session leader, in an empty home.
pub struct Pty {
    master: Option<Box<dyn MasterPty + Send>>,
    /// Kept open so that the terminal's modes outlive the program.
    slave: Option<Box<dyn SlavePty + Send>>,
    writer: Option<Box<dyn Write + Send>>,
    child: Box<dyn Child + Send + Sync>,
    shared: Arc<Shared>,
    reader: Option<JoinHandle<()>>,
    /// The terminal's modes before the program started.
    modes_before: String,
    size: (u16, u16),
    home: TempDir,
}

/// How a program ended and what it left.
pub struct Exit {
    /// Its exit status; of no meaning when a signal ended it.
    pub status: u32,
    /// Name of the signal that ended it.
    pub signal: Option<String>,
    /// Every byte it wrote.
    pub log: Vec<u8>,
    /// What the screen shows at last.
    pub text: String,
    /// Everything that is not as it was before: modes of the terminal driver, modes switched by
    /// escape sequences, colours.
    pub left_behind: Vec<String>,
}

impl Exit {
    /// The bytes as text.
    pub fn log_text(&self) -> String {
        String::from_utf8_lossy(&self.log).into_owned()
    }

    /// Asserts that the program ended by itself with this status and left the terminal as it was.
    #[track_caller]
    pub fn assert_clean(&self, status: u32) {
        assert_eq!(self.signal, None, "{}", self.text);
        assert_eq!(self.status, status, "{}", self.text);
        assert_eq!(self.left_behind, Vec::<String>::new(), "{}", self.text);
    }
}

impl Pty {
    /// Starts the dashboard or another command of bourse itself.
    pub fn bourse(arguments: &[&str], variables: &[(&str, &str)], cols: u16, rows: u16) -> Self {
        // For figures of a release build without a release build of the tests.
        let program = std::env::var("BOURSE_TEST_PROGRAM");
        let program = program.as_deref().unwrap_or(env!("CARGO_BIN_EXE_bourse"));
        let folder = variables.iter().find(|(name, _)| *name == "XDG_CONFIG_HOME");
        let config = folder.and_then(|(_, path)| std::fs::read_to_string(format!("{path}/bourse/config.toml")).ok());
        let arguments = [without_delay(arguments, &config.unwrap_or_default()), arguments].concat();
        Self::spawn(Path::new(program), &arguments, variables, cols, rows)
    }

    /// Starts any program. Of the environment it sees only `PATH`, an empty home and `variables`.
    pub fn spawn(program: &Path, arguments: &[&str], variables: &[(&str, &str)], cols: u16, rows: u16) -> Self {
        let home = tempfile::tempdir().unwrap();
        let mut command = CommandBuilder::new(program);
        command.args(arguments);
        command.cwd(home.path());
        command.env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("TERM", "xterm-256color");
        command.env("LANG", "C.UTF-8");
        command.env("RUST_BACKTRACE", "0");
        command.env("HOME", home.path());
        for (name, folder) in [
            ("XDG_CONFIG_HOME", "config"),
            ("XDG_STATE_HOME", "state"),
            ("XDG_DATA_HOME", "data"),
            ("XDG_CACHE_HOME", "cache"),
            ("XDG_RUNTIME_DIR", "run"),
        ] {
            let folder = home.path().join(folder);
            std::fs::create_dir(&folder).unwrap();
            command.env(name, folder);
        }
        for (name, value) in variables {
            command.env(name, value);
        }
        Self::start(command, home, cols, rows)
    }

    /// Starts an interactive shell, waiting for a command.
    pub fn shell() -> Self {
        let shell = Self::spawn(Path::new("sh"), &["-i"], &[("PS1", "prompt$ ")], 100, 30);
        shell.wait_for_prompt();
        shell
    }

    /// Waits until the shell asks for a command, on a screen without a trace of another program.
    #[track_caller]
    pub fn wait_for_prompt(&self) {
        self.wait_for("the shell", |screen| {
            screen.contents().trim_end().ends_with("prompt$")
                && !screen.alternate_screen()
                && !screen.hide_cursor()
                && !screen.bracketed_paste()
                && screen.mouse_protocol_mode() == vt100::MouseProtocolMode::None
        });
    }

    /// Ends the shell, with status 7, once it asks for a command.
    #[track_caller]
    pub fn leave_shell(&mut self) {
        self.wait_for_prompt();
        self.keys("exit 7<Enter>");
    }

    fn start(command: CommandBuilder, home: TempDir, cols: u16, rows: u16) -> Self {
        let pair = native_pty_system().openpty(pty_size(cols, rows)).unwrap();
        let modes_before = driver_modes(pair.master.as_ref());
        let shared = Arc::new(Shared {
            seen: Mutex::new(Seen {
                parser: vt100::Parser::new(cell_count(rows), cell_count(cols), 200),
                log: Vec::new(),
            }),
            changed: Condvar::new(),
            stop: AtomicBool::new(false),
        });
        let input = pair.master.try_clone_reader().unwrap();
        let writer = pair.master.take_writer().unwrap();
        let child = pair.slave.spawn_command(command).unwrap();
        let reader = thread::spawn({
            let shared = Arc::clone(&shared);
            move || read(input, &shared)
        });
        Self {
            master: Some(pair.master),
            slave: Some(pair.slave),
            writer: Some(writer),
            child,
            shared,
            reader: Some(reader),
            modes_before,
            size: (cols, rows),
            home,
        }
    }

    /// The program's home: `config`, `state`, `data`, `cache` and `run` in it are the XDG folders.
    pub fn home(&self) -> &Path {
        self.home.path()
    }

    /// The program's process id.
    pub fn id(&self) -> u32 {
        self.child.process_id().unwrap()
    }

    /// Presses keys: characters as they are, others by name: `<Enter> <Esc> <Tab> <S-Tab> <Space>
    /// <Backspace> <Up> <Down> <Left> <Right> <Home> <End> <PageUp> <PageDown> <Delete> <F9> <lt>` and
    /// `<C-x>` for Ctrl with a letter.
    #[track_caller]
    pub fn keys(&mut self, keys: &str) {
        self.send(&key_bytes(keys));
    }

    /// Pastes text, between the marks of a bracketed paste.
    #[track_caller]
    pub fn paste(&mut self, text: &str) {
        self.send(format!("\x1b[200~{text}\x1b[201~").as_bytes());
    }

    /// Sends bytes as they are.
    #[track_caller]
    pub fn send(&mut self, bytes: &[u8]) {
        let writer = self.writer.as_mut().expect("the terminal was closed");
        writer.write_all(bytes).unwrap();
        writer.flush().unwrap();
    }

    /// Changes the size of the terminal.
    pub fn resize(&mut self, cols: u16, rows: u16) {
        self.size = (cols, rows);
        {
            // What does not say its size is taken for 80 x 24.
            let unsaid = (cols, rows) == (0, 0);
            let (cols, rows) = if unsaid { (80, 24) } else { (cols, rows) };
            let mut seen = self.shared.lock();
            seen.parser.set_size(cell_count(rows), cell_count(cols));
        }
        let master = self.master.as_ref().expect("the terminal was closed");
        master.resize(pty_size(cols, rows)).unwrap();
    }

    /// Sends the program a signal.
    pub fn signal(&self, signal: rustix::process::Signal) {
        send_signal(self.id(), signal);
    }

    /// What the screen shows.
    pub fn screen_text(&self) -> String {
        self.shared.lock().parser.screen().contents()
    }

    /// The screen, cell by cell.
    pub fn screen(&self) -> vt100::Screen {
        self.shared.lock().parser.screen().clone()
    }

    /// Waits until the screen is as wanted, and returns its text. A frame counts when all of it is there: its bytes may
    /// arrive in pieces.
    #[track_caller]
    pub fn wait_for(&self, what: &str, wanted: impl Fn(&vt100::Screen) -> bool) -> String {
        let deadline = Instant::now() + PATIENCE;
        let mut seen = self.shared.lock();
        loop {
            if !is_in_frame(&seen.log) && wanted(seen.parser.screen()) {
                return seen.parser.screen().contents();
            }
            let left = deadline.saturating_duration_since(Instant::now());
            assert!(
                !left.is_zero(),
                "waited in vain for {what}; the screen shows:\n{}",
                seen.parser.screen().contents()
            );
            let waited = self.shared.changed.wait_timeout(seen, left);
            seen = waited.unwrap_or_else(std::sync::PoisonError::into_inner).0;
        }
    }

    /// Waits until the text is on the screen, and returns all of it.
    #[track_caller]
    pub fn wait_for_text(&self, text: &str) -> String {
        self.wait_for(text, |screen| screen.contents().contains(text))
    }

    /// Closes the terminal under the running program, as when a window is closed or a connection
    /// breaks. The program must write something when its window changes size.
    pub fn hang_up(&mut self) {
        // The reader holds the terminal open while it waits for bytes: let it have some.
        self.shared.stop.store(true, Ordering::SeqCst);
        let (cols, rows) = self.size;
        self.resize(cols + 1, rows);
        self.join_reader();
        self.slave = None;
        self.writer = None;
        self.master = None;
    }

    /// Waits for the program to end.
    #[track_caller]
    pub fn exit(mut self) -> Exit {
        let status = self.wait_for_end();
        let mut left_behind = Vec::new();
        if let Some(master) = &self.master {
            let modes_after = driver_modes(master.as_ref());
            if modes_after != self.modes_before {
                left_behind.push(format!("{modes_after} instead of {}", self.modes_before));
            }
        }
        // With the last slave gone the reader gets the remaining bytes, then the end.
        self.slave = None;
        self.join_reader();
        let seen = self.shared.lock();
        left_behind.extend(modes_left_on(&seen.log));
        Exit {
            status: status.exit_code(),
            signal: status.signal().map(str::to_owned),
            log: seen.log.clone(),
            text: seen.parser.screen().contents(),
            left_behind,
        }
    }

    #[track_caller]
    pub fn wait_for_end(&mut self) -> portable_pty::ExitStatus {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(
                Instant::now() < deadline,
                "the program does not end; the screen shows:\n{}",
                self.screen_text()
            );
            thread::sleep(Duration::from_millis(5));
        }
    }

    #[track_caller]
    fn join_reader(&mut self) {
        let Some(reader) = self.reader.take() else {
            return;
        };
        let deadline = Instant::now() + PATIENCE;
        while !reader.is_finished() {
            assert!(Instant::now() < deadline, "the terminal stays open");
            thread::sleep(Duration::from_millis(1));
        }
        reader.join().unwrap();
    }
}

impl Drop for Pty {
    fn drop(&mut self) {
        if let Ok(None) = self.child.try_wait() {
            let _ = self.child.kill();
        }
    }
}

/// Sends a signal to the process with that id.
pub fn send_signal(id: u32, signal: rustix::process::Signal) {
    let pid = rustix::process::Pid::from_raw(i32::try_from(id).unwrap()).unwrap();
    rustix::process::kill_process(pid, signal).unwrap();
}

/// Whether programs that tests start without a terminal notice a signal: they inherit what `nohup`, or a shell
/// for its background jobs, made the tests ignore. Terminals reset it.
pub fn is_noticed(signal: rustix::process::Signal) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mut lines = status.lines();
    let ignored = lines.find_map(|line| u64::from_str_radix(line.strip_prefix("SigIgn:")?.trim(), 16).ok());
    ignored.unwrap_or(0) & (1 << (signal.as_raw() - 1)) == 0
}

/// Whether the bytes of a terminal end within a frame (a synchronized update).
fn is_in_frame(log: &[u8]) -> bool {
    const UPDATE: &[u8] = b"\x1b[?2026";
    let last = log.windows(UPDATE.len()).rposition(|bytes| bytes == UPDATE);
    last.is_some_and(|start| log.get(start + UPDATE.len()) != Some(&b'l'))
}

/// Reads what the program writes until the terminal is closed.
fn read(mut input: Box<dyn Read + Send>, shared: &Shared) {
    let mut bytes = vec![0; 64 * 1024];
    loop {
        let count = match input.read(&mut bytes) {
            Ok(0) => return,
            Ok(count) => count,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            // The other end is closed.
            Err(_) => return,
        };
        let mut seen = shared.lock();
        seen.log.extend_from_slice(&bytes[..count]);
        seen.parser.process(&bytes[..count]);
        drop(seen);
        shared.changed.notify_all();
        if shared.stop.load(Ordering::SeqCst) {
            return;
        }
    }
}

fn pty_size(cols: u16, rows: u16) -> PtySize {
    PtySize {
        rows,
        cols,
        pixel_width: 0,
        pixel_height: 0,
    }
}

/// The emulator knows no empty screens.
fn cell_count(count: u16) -> NonZeroU16 {
    NonZeroU16::new(count).unwrap_or(NonZeroU16::MIN)
}

/// The modes of the terminal driver: raw or cooked, echo, control characters.
fn driver_modes(master: &(dyn MasterPty + Send)) -> String {
    format!("{:?}", master.get_termios())
}

/// The bytes that a terminal sends for keys; see [`Pty::keys`].
fn key_bytes(keys: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = keys;
    while let Some(first) = rest.chars().next() {
        let named = rest.strip_prefix('<').and_then(|rest| rest.split_once('>'));
        if let Some((name, after)) = named {
            bytes.extend_from_slice(named_key(name).as_bytes());
            rest = after;
        } else {
            let (key, after) = rest.split_at(first.len_utf8());
            bytes.extend_from_slice(key.as_bytes());
            rest = after;
        }
    }
    bytes
}

fn named_key(name: &str) -> String {
    let sequence = match name {
        "Enter" => "\r",
        "Esc" => "\x1b",
        "Tab" => "\t",
        "S-Tab" => "\x1b[Z",
        "Space" => " ",
        "Backspace" => "\x7f",
        "Up" => "\x1b[A",
        "Down" => "\x1b[B",
        "Right" => "\x1b[C",
        "Left" => "\x1b[D",
        "Home" => "\x1b[H",
        "End" => "\x1b[F",
        "PageUp" => "\x1b[5~",
        "PageDown" => "\x1b[6~",
        "Delete" => "\x1b[3~",
        "F9" => "\x1b[20~",
        "lt" => "<",
        _ => "",
    };
    if !sequence.is_empty() {
        return sequence.to_owned();
    }
    let letter = name.strip_prefix("C-").and_then(|rest| rest.chars().next());
    let letter = letter.unwrap_or_else(|| panic!("no key is called <{name}>"));
    char::from(u8::try_from(letter).unwrap() & 0x1f).to_string()
}

/// The modes that escape sequences switched and that are not as in a terminal just opened, and
/// colours or attributes that were not reset.
pub fn modes_left_on(log: &[u8]) -> Vec<String> {
    let mut modes = std::collections::BTreeMap::new();
    let mut plain = true;
    for sequence in control_sequences(log) {
        let (parameters, last) = sequence.split_at(sequence.len() - 1);
        match last {
            "h" | "l" => {
                let (private, numbers) = match parameters.strip_prefix('?') {
                    Some(numbers) => ("?", numbers),
                    None => ("", parameters),
                };
                for number in numbers.split(';') {
                    modes.insert(format!("{private}{number}"), last.to_owned());
                }
            }
            "m" => plain = parameters.is_empty() || parameters == "0",
            _ => {}
        }
    }
    let mut left: Vec<String> = modes
        .into_iter()
        .filter(|(mode, last)| {
            // Wrapping, a visible cursor and bidirectional text are on from the start.
            let usual = if matches!(mode.as_str(), "?7" | "?25" | "8") {
                "h"
            } else {
                "l"
            };
            last != usual
        })
        .map(|(mode, last)| format!("CSI {mode}{last}"))
        .collect();
    if !plain {
        left.push("SGR".to_owned());
    }
    left
}

/// Every control sequence (CSI) in the log, without its introducer.
pub fn control_sequences(log: &[u8]) -> Vec<String> {
    let mut sequences = Vec::new();
    let mut rest = log;
    while let Some(start) = rest.windows(2).position(|pair| pair == b"\x1b[") {
        rest = &rest[start + 2..];
        let end = rest.iter().position(|byte| (0x40..=0x7e).contains(byte));
        let Some(end) = end else { break };
        sequences.push(String::from_utf8_lossy(&rest[..=end]).into_owned());
        rest = &rest[end + 1..];
    }
    sequences
}

#[test]
fn modes_that_stay_on_are_found() {
    let clean = b"\x1b[?1049h\x1b[?2004h\x1b[8l\x1b[?25l\x1b[1;31mred\x1b[0m\
        \x1b[8h\x1b[?2004l\x1b[?1049l\x1b[?25h";
    assert_eq!(modes_left_on(clean), Vec::<String>::new());
    let dirty = b"\x1b[?1000;1006h\x1b[?1049h\x1b[8l\x1b[?25l\x1b[31mred\x1b[?1049l\x1b[?1000l";
    assert_eq!(modes_left_on(dirty), ["CSI 8l", "CSI ?1006h", "CSI ?25l", "SGR"]);
}

#[test]
fn keys_become_what_terminals_send() {
    assert_eq!(key_bytes("q"), b"q");
    assert_eq!(key_bytes("/gpu<Enter>"), b"/gpu\r");
    assert_eq!(key_bytes("<C-c><C-z><Esc><lt>"), b"\x03\x1a\x1b<");
    assert_eq!(key_bytes("<Up><S-Tab>é"), "\x1b[A\x1b[Zé".as_bytes());
    assert_eq!(key_bytes("a<b"), b"a<b");
}
