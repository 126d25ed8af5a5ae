//! Links lead to files and headings that exist, and what is named in the sources is there.

use std::collections::HashMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

use super::{Page, pages, root};
use crate::repository::tokens::{program, tokens};

/// What CONTRIBUTING adds in its examples.
const INVENTED: [&str; 2] = ["src/features/clock.rs", "src/cli/fields.rs"];

/// Folders that paths in the prose begin with.
const FOLDERS: [&str; 7] = ["src/", "crates/", "tests/", "docs/", "benches/", "assets/", "."];

/// The targets of links and pictures.
fn targets(page: &Page) -> Vec<String> {
    let mut targets = Vec::new();
    for text in page.paragraphs() {
        let prose: String = text.split('`').step_by(2).collect();
        let after = prose.split("](").skip(1);
        let closed = after.filter_map(|rest| rest.split_once(')'));
        targets.extend(closed.map(|(target, _)| target.to_owned()));
    }
    targets
}

/// The anchors of a page's headings, as GitHub and most other viewers make them.
fn anchors(page: &Page) -> Vec<String> {
    let (prose, _) = page.parts();
    let headings = prose.iter().filter(|line| line.starts_with('#'));
    let slug = |line: &&str| -> String {
        let words = line.trim_start_matches('#').trim().to_lowercase();
        let kept = words.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    headings.map(slug).collect()
}

/// A path without `.` and `..`; `None` if it leaves the repository.
fn resolved(path: &Path) -> Option<PathBuf> {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => out.pop().then_some(())?,
            Component::Normal(name) => out.push(name),
            Component::CurDir => {}
            Component::Prefix(_) | Component::RootDir => return None,
        }
    }
    Some(out)
}

/// The links of a page that lead nowhere. Addresses of other sites are not followed.
fn broken_links(page: &Page, all: &HashMap<String, Vec<String>>) -> Vec<String> {
    let leads_somewhere = |target: &str| {
        let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
        let own = Path::new(&page.path);
        let path = match path {
            "" => own.to_owned(),
            path => own.parent().unwrap().join(path),
        };
        let Some(path) = resolved(&path).filter(|path| root().join(path).exists()) else {
            return false;
        };
        let anchors = all.get(&*path.to_string_lossy());
        anchor.is_empty() || anchors.is_some_and(|all| all.iter().any(|own| own == anchor))
    };
    let mut targets = targets(page);
    targets.retain(|target| !target.starts_with("https://") && !leads_somewhere(target));
    let name = |target| format!("{}: {target} leads nowhere", page.path);
    targets.into_iter().map(name).collect()
}

/// Paths in the prose of a page that do not exist.
fn missing_paths(page: &Page) -> Vec<String> {
    let is_path = |code: &String| {
        let is_one_word = !code.contains([' ', '{', '*']) && code.contains('/');
        is_one_word && FOLDERS.iter().any(|folder| code.starts_with(folder))
    };
    let is_missing = |code: &String| !INVENTED.contains(&code.as_str()) && !root().join(code).exists();
    let code = page.code().into_iter().filter(is_path).filter(is_missing);
    code.map(|code| format!("{}: no {code}", page.path)).collect()
}

/// Of "`name` in [file](path)", the names that their file does not have.
fn missing_names(page: &Page) -> Vec<String> {
    let mut missing = Vec::new();
    for text in page.paragraphs() {
        for (at, _) in text.match_indices("` in [") {
            let name = text[..at].rsplit('`').next().unwrap();
            let path = text[at..].split(['(', ')']).nth(1).unwrap();
            let file = Path::new(&page.path).parent().unwrap().join(path);
            let file = root().join(resolved(&file).unwrap());
            // A link that leads nowhere is another test's business.
            let source = fs::read_to_string(file).unwrap_or_default();
            let wanted = name.rsplit("::").next().unwrap();
            if !tokens(&source).iter().any(|token| token.text == wanted) {
                missing.push(format!("{}: no {name} in {path}", page.path));
            }
        }
    }
    missing
}

/// The messages that a page quotes in bold and no source has.
fn missing_messages(page: &Page) -> Vec<String> {
    let sources = program();
    let sources: Vec<String> = sources.iter().map(|(_, text)| text.to_lowercase()).collect();
    let is_known = |part: &str| sources.iter().any(|source| source.contains(part));
    let bold = page.text.split("**\"").skip(1);
    let quoted = bold.filter_map(|rest| rest.split_once("\"**"));
    let messages = quoted.map(|(message, _)| message.to_lowercase());
    messages
        .filter(|message| !message.split("...").map(str::trim).all(is_known))
        .collect()
}

fn all_anchors(pages: &[Page]) -> HashMap<String, Vec<String>> {
    let named = pages.iter().map(|page| (page.path.clone(), anchors(page)));
    named.collect()
}

#[test]
fn links_lead_somewhere_and_names_exist() {
    let pages = pages();
    let anchors = all_anchors(&pages);
    let faults: Vec<String> = pages
        .iter()
        .flat_map(|page| [broken_links(page, &anchors), missing_paths(page), missing_names(page)])
        .flatten()
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn troubleshooting_quotes_messages_of_the_program() {
    let pages = pages();
    let page = pages.iter().find(|page| page.path == "docs/troubleshooting.md");
    let page = page.unwrap();
    assert!(page.text.matches("**\"").count() >= 8);
    assert_eq!(missing_messages(page), [""; 0]);
}

/// The files that a page links to.
fn linked(page: &Page) -> Vec<String> {
    let folder = Path::new(&page.path).parent().unwrap();
    let files = targets(page)
        .into_iter()
        .filter(|target| !target.starts_with("https://"));
    let paths = files.filter_map(|target| resolved(&folder.join(target.split('#').next()?)));
    paths.map(|path| path.display().to_string()).collect()
}

/// The pages that a reader of the README reaches with two clicks, in the order of the clicks.
fn within_two_clicks(pages: &[Page]) -> Vec<String> {
    let mut found = vec!["README.md".to_owned()];
    for _ in 0..2 {
        let from = pages.iter().filter(|page| found.contains(&page.path));
        let next: Vec<String> = from.flat_map(linked).collect();
        found.extend(next);
    }
    found
}

#[test]
fn the_readme_leads_to_every_page_with_two_clicks() {
    let pages = pages();
    let found = within_two_clicks(&pages);
    for page in &pages {
        assert!(found.contains(&page.path), "{}", page.path);
    }
    let readme = pages.iter().find(|page| page.path == "README.md").unwrap();
    assert!(readme.text.lines().count() <= 160);
}

/// Questions of someone who has never seen bourse, each with the page that answers it and its words.
const QUESTIONS: [(&str, &str, &str); 11] = [
    (
        "How do I install it without a compiler?",
        "README.md",
        "Linux or macOS, no compiler",
    ),
    (
        "What is the cheapest 4090 in Europe for three days?",
        "docs/price.md",
        "$ bourse pick 4090 europe 200gb 3d",
    ),
    (
        "What is the exit status when nothing is found?",
        "docs/scripting.md",
        "| 0 | Done, also with nothing found. |",
    ),
    (
        "Can it ring while the dashboard is closed?",
        "docs/operate.md",
        "enable --now bourse-watch@vast",
    ),
    (
        "What does a price verdict need?",
        "docs/price.md",
        "It needs 24 hours of recorded prices.",
    ),
    ("Where are my API keys?", "docs/markets.md", "is saved with mode 0600"),
    (
        "What can a workergroup cost at worst?",
        "docs/serverless.md",
        "The worst case is every worker that may be billed",
    ),
    (
        "How do I add a second market?",
        "docs/markets.md",
        "bourse markets add lab",
    ),
    (
        "Does it have metrics?",
        "docs/operate.md",
        "bourse watch --saved --metrics",
    ),
    ("What does it not do?", "docs/scope.md", "It does not"),
    (
        "Does it cost anything?",
        "docs/serverless.md",
        "On a live market this costs money",
    ),
];

#[test]
fn questions_of_a_newcomer_are_answered_within_two_clicks() {
    let pages = pages();
    let text = |path: &str| &pages.iter().find(|page| page.path == path).unwrap().text;
    let found = within_two_clicks(&pages);
    for (question, path, answer) in QUESTIONS {
        assert!(text("docs/faq.md").contains(&format!("**{question}**")), "{question}");
        assert!(found.contains(&path.to_owned()), "{question}: {path} is too far");
        // Wherever its lines are broken.
        let page = text(path).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(page.contains(answer), "{question}: {path} has no {answer:?}");
    }
}

/// Positive control.
#[test]
fn what_leads_nowhere_is_found() {
    let page = |text: &str| Page {
        path: "docs/made-up.md".to_owned(),
        text: text.to_owned(),
    };
    let anchors = all_anchors(&pages());
    for sound in [
        "[a](../README.md#a-tour-in-60-seconds) `](b)`",
        "```sh\n[a](nowhere)\n```",
        "[a](https://nowhere.example)",
        "![a](../assets/screenshots/desk.svg)",
    ] {
        assert_eq!(broken_links(&page(sound), &anchors), [""; 0], "{sound}");
    }
    for broken in [
        "[a](nowhere.md)",
        "`b` [a](../README.md#nowhere)",
        "[a](#nowhere)",
        "![a](../assets/screenshots/nowhere.svg)",
        "[a](../../outside)",
    ] {
        assert_eq!(broken_links(&page(broken), &anchors).len(), 1, "{broken}");
    }
    assert_eq!(missing_paths(&page("`src/nowhere.rs` and `src/lib.rs`")).len(), 1);
    let quoted = page("**\"API key rejected\"** **\"The key ... rejacted\"**");
    assert_eq!(missing_messages(&quoted), ["the key ... rejacted"]);
    let update = page("`update` in [app](../src/core/mod.rs)");
    assert_eq!(missing_names(&update), [""; 0]);
    assert_eq!(missing_names(&page("`updat` in [app](../src/core/mod.rs)")).len(), 1);
}
