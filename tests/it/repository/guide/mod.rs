//! The documents: links lead somewhere, names exist, examples run as printed.

mod examples;
mod links;
pub mod shell;
mod tour;
#[cfg(unix)]
mod units;
mod verdicts;

use std::fs;
use std::path::Path;

/// Documents outside `docs/`.
const BESIDE: [&str; 5] = [
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "benches/README.md",
];

/// A document in Markdown.
pub struct Page {
    /// Relative to the repository.
    pub path: String,
    pub text: String,
}

/// A fenced block of code.
struct Block<'a> {
    /// What follows the fence: `sh`, `toml`.
    language: &'a str,
    lines: Vec<&'a str>,
}

pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every document.
pub fn pages() -> Vec<Page> {
    let guide = fs::read_dir(root().join("docs")).unwrap();
    let guide = guide.map(|entry| format!("docs/{}", entry.unwrap().file_name().display()));
    let mut paths: Vec<String> = guide.filter(|path| path.ends_with(".md")).collect();
    assert!(paths.len() >= 10, "{paths:?}");
    paths.sort();
    paths.extend(BESIDE.map(str::to_owned));
    let read = |path: String| Page {
        text: fs::read_to_string(root().join(&path)).unwrap(),
        path,
    };
    paths.into_iter().map(read).collect()
}

impl Page {
    /// Whether it is for people who use bourse, not for those who work on it.
    fn is_manual(&self) -> bool {
        self.path == "README.md" || self.path.starts_with("docs/")
    }

    /// The lines of prose, and the blocks of code.
    fn parts(&self) -> (Vec<&str>, Vec<Block<'_>>) {
        let (mut prose, mut blocks): (Vec<&str>, Vec<Block<'_>>) = Default::default();
        let mut is_code = false;
        for line in self.text.lines() {
            match line.trim_start().strip_prefix("```") {
                Some(language) => {
                    if !is_code {
                        let lines = Vec::new();
                        blocks.push(Block { language, lines });
                        prose.push("");
                    }
                    is_code = !is_code;
                }
                None if is_code => blocks.last_mut().unwrap().lines.push(line),
                None => prose.push(line),
            }
        }
        (prose, blocks)
    }

    fn blocks(&self, language: &str) -> Vec<Block<'_>> {
        let (_, mut blocks) = self.parts();
        blocks.retain(|block| block.language == language);
        blocks
    }

    /// The paragraphs outside of blocks, each as one line.
    fn paragraphs(&self) -> Vec<String> {
        let (prose, _) = self.parts();
        let paragraphs = prose.split(|line| line.trim().is_empty());
        let joined = paragraphs.map(|lines| {
            let lines: Vec<&str> = lines.iter().map(|line| line.trim()).collect();
            lines.join(" ")
        });
        joined.filter(|text| !text.is_empty()).collect()
    }

    /// The code in the prose.
    fn code(&self) -> Vec<String> {
        let paragraphs = self.paragraphs();
        let code = paragraphs.iter().flat_map(|text| text.split('`').skip(1).step_by(2));
        code.map(str::to_owned).collect()
    }
}
