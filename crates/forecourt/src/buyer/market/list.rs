//! The list of dealers: one URL a line.

use std::{collections::HashMap, fmt};

use serde::Serialize;
use url::Url;

/// Most dealers of one list.
const MOST_DEALERS: usize = 20_000;

/// A dealer to ask.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DealerEntry {
    /// The agent's base URL, or the URL of its card.
    pub url: String,
    /// What the buyer calls the dealer; the agent's own name is used where there is none.
    pub name: Option<String>,
}

impl DealerEntry {
    /// A dealer without a name of the buyer's own.
    #[must_use]
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            name: None,
        }
    }

    /// The same with a name.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }
}

/// One thing in a list that cannot work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ListProblem {
    /// Line, from 1.
    pub line: usize,
    /// What is wrong and what to write instead.
    pub message: String,
}

/// A list that cannot be used, with every problem in it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct UnreadableList(pub Vec<ListProblem>);

impl fmt::Display for UnreadableList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the list of dealers cannot be used")?;
        for problem in &self.0 {
            write!(f, "\n  line {}: {}", problem.line, problem.message)?;
        }
        Ok(())
    }
}

/// Reads a list of dealers: a URL a line, after it and a space what the buyer calls the dealer. `#`
/// begins a comment, at the start of a line or after a space; empty lines are skipped.
///
/// ```
/// let list = b"# Springfield\nhttps://north.example  North Motors\n\nhttps://south.example/agent # new\n";
/// let dealers = forecourt::buyer::market::read_list(list)?;
/// assert_eq!(dealers[0].name.as_deref(), Some("North Motors"));
/// assert_eq!(dealers[1].url, "https://south.example/agent");
/// # Ok::<(), forecourt::buyer::market::UnreadableList>(())
/// ```
///
/// # Errors
/// [`UnreadableList`] when a line is no dealer, a dealer stands there twice, or none is there.
pub fn read_list(text: &[u8]) -> Result<Vec<DealerEntry>, UnreadableList> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let mut dealers = Vec::new();
    let mut problems = Vec::new();
    let mut lines_by_url: HashMap<String, usize> = HashMap::new();
    for (number, line) in (1..).zip(text.split(|byte| *byte == b'\n')) {
        let mut problem = |message: String| {
            problems.push(ListProblem {
                line: number,
                message,
            });
        };
        let Ok(line) = std::str::from_utf8(line) else {
            problem("this is no UTF-8 text".to_owned());
            continue;
        };
        let Some((url, name)) = url_and_name(line) else {
            continue;
        };
        match same_for_all_spellings(url) {
            Err(message) => problem(message),
            Ok(spelling) => match lines_by_url.get(&spelling) {
                Some(first) => problem(format!("{url} stands in line {first} already")),
                None => {
                    lines_by_url.insert(spelling, number);
                    dealers.push(DealerEntry {
                        url: url.to_owned(),
                        name: name.map(str::to_owned),
                    });
                }
            },
        }
    }
    if problems.is_empty() && dealers.is_empty() {
        let message =
            "no dealer is listed; write one URL a line, for example https://dealer.example";
        problems.push(ListProblem {
            line: 1,
            message: message.to_owned(),
        });
    }
    if dealers.len() > MOST_DEALERS {
        problems.push(ListProblem {
            line: 1,
            message: format!(
                "{} dealers are listed; at most {MOST_DEALERS} fit",
                dealers.len()
            ),
        });
    }
    if problems.is_empty() {
        Ok(dealers)
    } else {
        Err(UnreadableList(problems))
    }
}

fn url_and_name(line: &str) -> Option<(&str, Option<&str>)> {
    let line = without_comment(line).trim();
    if line.is_empty() {
        return None;
    }
    Some(match line.split_once(char::is_whitespace) {
        Some((url, name)) => (url, Some(name.trim())),
        None => (line, None),
    })
}

/// A `#` within a URL begins its fragment, so that only one after a space begins a comment.
fn without_comment(line: &str) -> &str {
    let mut before = ' ';
    for (index, character) in line.char_indices() {
        if character == '#' && before.is_whitespace() {
            return &line[..index];
        }
        before = character;
    }
    line
}

/// The form in which two spellings of a URL are the same, or what is wrong with it.
fn same_for_all_spellings(text: &str) -> Result<String, String> {
    let example = "write for example https://dealer.example";
    if !text.contains("://") {
        return Err(format!("{text:?} has no scheme; {example}"));
    }
    let url =
        Url::parse(text).map_err(|error| format!("{text:?} is no URL ({error}); {example}"))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(format!(
            "{:?} is no scheme of an agent; {example}",
            url.scheme()
        ));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(format!(
            "a URL with a user name or password is not taken; {example}"
        ));
    }
    Ok(url.as_str().trim_end_matches('/').to_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_dealer_a_line_with_names_and_comments() {
        let list = "\u{feff}# two\r\nhttps://a.example\r\n\r\n  https://b.example/card.json\tB & Sons  # both\nhttp://127.0.0.1:8080/#x\n";
        let entry = DealerEntry::new;
        assert_eq!(
            read_list(list.as_bytes()).unwrap(),
            [
                entry("https://a.example"),
                entry("https://b.example/card.json").named("B & Sons"),
                entry("http://127.0.0.1:8080/#x"),
            ]
        );
    }

    #[test]
    fn every_problem_is_told_with_its_line() {
        let list = b"https://a.example\ndealer.example\nhttps://\nHTTPS://A.example/ again\nftp://c.example\n\xff\nhttps://me:secret@d.example\n";
        let UnreadableList(problems) = read_list(list).unwrap_err();
        let lines: Vec<usize> = problems.iter().map(|it| it.line).collect();
        assert_eq!(lines, [2, 3, 4, 5, 6, 7]);
        for (problem, words) in problems.iter().zip([
            "\"dealer.example\" has no scheme",
            "\"https://\" is no URL",
            "line 1 already",
            "\"ftp\"",
            "UTF-8",
            "password",
        ]) {
            assert!(problem.message.contains(words), "{}", problem.message);
        }
        assert!(!format!("{problems:?}").contains("secret"));
    }

    #[test]
    fn a_list_without_a_dealer_says_what_to_write() {
        for list in ["", "\n\n", "# https://a.example"] {
            let error = read_list(list.as_bytes()).unwrap_err();
            assert!(error.to_string().contains("https://"), "{error}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_list_or_have_a_problem(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            match read_list(&bytes) {
                Ok(dealers) => prop_assert!(!dealers.is_empty()),
                Err(UnreadableList(problems)) => prop_assert!(!problems.is_empty()),
            }
        }

        #[test]
        fn a_written_list_is_read_again(names in proptest::collection::vec("[A-Za-z][A-Za-z &]{0,8}[a-z]", 1..20)) {
            let dealers: Vec<DealerEntry> = names
                .iter()
                .enumerate()
                .map(|(index, name)| DealerEntry::new(format!("https://d{index}.example")).named(name.trim()))
                .collect();
            let list: String = dealers
                .iter()
                .map(|it| format!("{} {}\n", it.url, it.name.as_deref().unwrap_or_default()))
                .collect();
            prop_assert_eq!(read_list(list.as_bytes()), Ok(dealers));
        }
    }
}
