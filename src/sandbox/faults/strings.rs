//! Texts meant for the terminal, the shell or the spreadsheet behind the client.

use serde_json::Value as Json;

use super::case::{Case, Sent};

/// Members that are keys or addresses: other faults are about them.
const SPARED: [&str; 3] = ["api_key", "signature", "url"];

/// Appends a text to every text of a record.
fn append(case: &mut Case<'_>, text: &str) -> Sent {
    case.with_record(|_, record| {
        for (name, value) in record.iter_mut() {
            if let Json::String(own) = value
                && !SPARED.contains(&name.as_str())
            {
                own.push_str(text);
            }
        }
    })
}

/// Control sequences: colors, the title, a link, the clipboard, DCS and APC.
pub fn escapes(case: &mut Case<'_>) -> Sent {
    let text = case.pick(
        &[
            "\u{1b}[2J\u{1b}[31m",
            "\u{1b}]0;title\u{7}",
            "\u{1b}]8;;http://elsewhere.invalid/\u{1b}\\link\u{1b}]8;;\u{1b}\\",
            "\u{1b}]52;c;cm0gLXJmIH4K\u{7}",
            "\u{1b}Pq#0;2;0;0;0\u{1b}\\",
            "\u{1b}_command\u{1b}\\",
        ],
        "\u{1b}",
    );
    append(case, text)
}

pub fn c1(case: &mut Case<'_>) -> Sent {
    append(case, "\u{9b}31m\u{9d}0;title\u{9c}\u{85}")
}

/// All twelve controls of text direction.
pub fn bidi(case: &mut Case<'_>) -> Sent {
    append(
        case,
        "\u{61c}\u{200e}\u{200f}\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}\u{2066}\u{2067}\u{2068}\u{2069}",
    )
}

pub fn zero_width(case: &mut Case<'_>) -> Sent {
    append(
        case,
        "\u{200b}\u{200c}\u{200d}\u{2060}\u{feff}\u{34f}\u{115f}\u{3164}\u{e0041}\u{e007f}",
    )
}

pub fn marks(case: &mut Case<'_>) -> Sent {
    append(case, &format!("Z{}", "\u{301}".repeat(5_000)))
}

pub fn emoji(case: &mut Case<'_>) -> Sent {
    append(case, "👩‍👩‍👧‍👦🏳️‍🌈👍🏽⚠️漢字ｶﾞ﷽")
}

pub fn right_to_left(case: &mut Case<'_>) -> Sent {
    append(case, "שלום مرحبا 123")
}

pub fn line_breaks(case: &mut Case<'_>) -> Sent {
    append(
        case,
        "one\r\ntwo\rthree\tfour\u{b}five\u{c}six\u{2028}seven",
    )
}

pub fn formula(case: &mut Case<'_>) -> Sent {
    let start = case.pick(&["=", "+", "-", "@"], "=");
    case.with_record(|_, record| {
        for (name, value) in record.iter_mut() {
            if value.is_string() && !SPARED.contains(&name.as_str()) {
                *value = Json::from(format!("{start}cmd|' /C calc'!A0"));
            }
        }
    })
}

pub fn shell(case: &mut Case<'_>) -> Sent {
    append(case, "'; rm -rf \"$HOME\" `id` $(id) \\ \n#")
}

/// Letters that look like those of other scripts.
pub fn look_alikes(case: &mut Case<'_>) -> Sent {
    append(case, "RТХ 4О9О")
}
