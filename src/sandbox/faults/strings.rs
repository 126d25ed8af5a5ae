//! Strings that attack the terminal, the shell or the spreadsheet of the client.

use serde_json::Value as Json;

use super::context::{FaultContext, FaultOutput};

/// Secrets and addresses are left to other faults.
const SKIPPED: [&str; 3] = ["api_key", "signature", "url"];

/// Appends a text to every string of a record.
fn append(cx: &mut FaultContext<'_>, text: &str) -> FaultOutput {
    cx.with_record(|_, record| {
        for (name, value) in record.iter_mut() {
            if let Json::String(own) = value
                && !SKIPPED.contains(&name.as_str())
            {
                own.push_str(text);
            }
        }
    })
}

pub fn escapes(cx: &mut FaultContext<'_>) -> FaultOutput {
    let text = cx.pick(
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
    append(cx, text)
}

pub fn c1(cx: &mut FaultContext<'_>) -> FaultOutput {
    append(cx, "\u{9b}31m\u{9d}0;title\u{9c}\u{85}")
}

/// All 12 `Bidi_Control` characters.
pub fn bidi(cx: &mut FaultContext<'_>) -> FaultOutput {
    append(
        cx,
        "\u{61c}\u{200e}\u{200f}\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}\u{2066}\u{2067}\u{2068}\u{2069}",
    )
}

pub fn zero_width(cx: &mut FaultContext<'_>) -> FaultOutput {
    append(
        cx,
        "\u{200b}\u{200c}\u{200d}\u{2060}\u{feff}\u{34f}\u{115f}\u{3164}\u{e0041}\u{e007f}",
    )
}

pub fn marks(cx: &mut FaultContext<'_>) -> FaultOutput {
    append(cx, &format!("Z{}", "\u{301}".repeat(5_000)))
}

pub fn emoji(cx: &mut FaultContext<'_>) -> FaultOutput {
    append(cx, "👩‍👩‍👧‍👦🏳️‍🌈👍🏽⚠️漢字ｶﾞ﷽")
}

pub fn right_to_left(cx: &mut FaultContext<'_>) -> FaultOutput {
    append(cx, "שלום مرحبا 123")
}

pub fn line_breaks(cx: &mut FaultContext<'_>) -> FaultOutput {
    append(cx, "one\r\ntwo\rthree\tfour\u{b}five\u{c}six\u{2028}seven")
}

pub fn formula(cx: &mut FaultContext<'_>) -> FaultOutput {
    let start = cx.pick(&["=", "+", "-", "@"], "=");
    cx.with_record(|_, record| {
        for (name, value) in record.iter_mut() {
            if value.is_string() && !SKIPPED.contains(&name.as_str()) {
                *value = Json::from(format!("{start}cmd|' /C calc'!A0"));
            }
        }
    })
}

pub fn shell(cx: &mut FaultContext<'_>) -> FaultOutput {
    append(cx, "'; rm -rf \"$HOME\" `id` $(id) \\ \n#")
}

/// Letters that look like those of other scripts.
pub fn look_alikes(cx: &mut FaultContext<'_>) -> FaultOutput {
    append(cx, "RТХ 4О9О")
}
