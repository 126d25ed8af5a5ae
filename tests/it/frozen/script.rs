//! A script: what a person does, what the market replies and when the screen is recorded.

/// A script, read from its file.
pub struct Script {
    pub title: String,
    pub steps: Vec<Step>,
}

/// A line of a script.
pub struct Step {
    /// The line itself, for the log.
    pub line: String,
    pub what: What,
}

pub enum What {
    /// Something that is so before the start.
    Given(String),
    Press(Vec<String>),
    Type(String),
    Paste(String),
    Click(String),
    /// Milliseconds pass.
    Wait(u64),
    /// Records the screen under this name.
    Show(String),
    Size(u16, u16),
    /// Whether replies are held back until further notice.
    Hold(bool),
    Reply(Reply),
}

/// How the next request of an operation is answered instead of by the sandbox.
#[derive(Clone)]
pub struct Reply {
    pub to: String,
    pub how: How,
}

#[derive(Clone)]
pub enum How {
    /// The sandbox does what it is asked and answers.
    Sandbox,
    /// The sandbox does what it is asked, and half of its body arrives.
    Cut,
    /// The sandbox does what it is asked, and nothing arrives.
    DoneButLost,
    /// The connection ends without a reply, and nothing was done.
    Lost,
    /// A reply written in the script: status, headers, body.
    Written(u16, Vec<(String, String)>, String),
}

impl Script {
    pub fn read(name: &str, text: &str) -> Self {
        let mut lines = text.lines();
        let title = lines.next().unwrap_or_default().to_owned();
        let steps = lines
            .map(str::trim)
            .filter(|line| !line.is_empty() && !line.starts_with('#'))
            .map(|line| Step {
                line: line.to_owned(),
                what: what(line).unwrap_or_else(|| panic!("{name}: cannot read: {line}")),
            });
        Self {
            title,
            steps: steps.collect(),
        }
    }
}

fn what(line: &str) -> Option<What> {
    let (verb, rest) = line.split_once(' ').unwrap_or((line, ""));
    Some(match verb {
        "given" => What::Given(rest.to_owned()),
        "press" => What::Press(rest.split(' ').map(str::to_owned).collect()),
        "type" => What::Type(rest.to_owned()),
        "paste" => What::Paste(rest.to_owned()),
        "click" => What::Click(rest.to_owned()),
        "wait" => What::Wait(milliseconds(rest)?),
        "show" => What::Show(rest.to_owned()),
        "size" => {
            let (columns, rows) = rest.split_once('x')?;
            What::Size(columns.parse().ok()?, rows.parse().ok()?)
        }
        "hold" => What::Hold(true),
        "go" => What::Hold(false),
        "reply" => What::Reply(reply(rest)?),
        _ => return None,
    })
}

/// `offers 429 retry-after:3 {"error":"slow"}`, `create lost`, `offers cut`, `offers 200 @three`.
fn reply(text: &str) -> Option<Reply> {
    let (to, rest) = text.split_once(' ')?;
    let how = match rest {
        "sandbox" => How::Sandbox,
        "cut" => How::Cut,
        "done but lost" => How::DoneButLost,
        "lost" => How::Lost,
        written => {
            let (status, mut rest) = written.split_once(' ')?;
            let mut headers = Vec::new();
            while let Some((header, body)) = rest.split_once(' ')
                && let Some((name, value)) = header.split_once(':')
                && !header.starts_with(['{', '[', '<', '"'])
            {
                headers.push((name.to_owned(), value.to_owned()));
                rest = body;
            }
            let body = match rest.strip_prefix('@') {
                Some(name) => super::file("replies", name, "json"),
                None => rest.to_owned(),
            };
            How::Written(status.parse().ok()?, headers, body)
        }
    };
    Some(Reply { to: to.to_owned(), how })
}

fn milliseconds(text: &str) -> Option<u64> {
    let seconds: u64 = text.strip_suffix('s')?.parse().ok()?;
    Some(seconds * 1000)
}
