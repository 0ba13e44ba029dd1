//! The analyst that answers a seller's own questions, and the language model that may help it.

use std::path::{Path, PathBuf};

use dealers::Period;
use serde::Deserialize;
use url::Url;

use super::check::Findings;

/// The longest that a question waits for a language model.
const LONGEST_WAIT: i64 = 60;

/// `[analyst]`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct AnalystSettings {
    /// Whether dealers have an analyst; callers need a key with the scope `analyst`.
    pub enabled: bool,
    /// Whether the last event of a stream repeats the parts of all artifacts, for clients that draw only
    /// the last message.
    pub repeat_parts: bool,
    /// A language model that reads questions which the lexicon does not know whole; none unless it is stated.
    pub model: Option<ModelSettings>,
    /// Whether everybody may ask: only of the demo, never by the configuration.
    #[serde(skip)]
    pub open: bool,
}

impl Default for AnalystSettings {
    fn default() -> Self {
        Self {
            enabled: true,
            repeat_parts: false,
            model: None,
            open: false,
        }
    }
}

/// `[analyst.model]`: a server that speaks the chat completions of OpenAI's HTTP interface.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ModelSettings {
    /// The base URL, such as `http://127.0.0.1:11434/v1`; `/chat/completions` is added to it.
    pub url: Url,
    /// The model's name, as the server knows it. Answers name it.
    pub name: String,
    /// File with the key that is sent as a bearer token.
    pub key_file: Option<PathBuf>,
    /// How long a question waits for it: two seconds unless stated.
    #[serde(default = "two_seconds")]
    pub timeout: Period,
    /// Whether it reads questions in which the lexicon leaves words.
    #[serde(default = "yes")]
    pub intent: bool,
    /// Whether it words the sentence that answers.
    #[serde(default)]
    pub phrasing: bool,
}

fn two_seconds() -> Period {
    Period::seconds(2)
}

fn yes() -> bool {
    true
}

impl AnalystSettings {
    /// Files are named from `folder`.
    pub(super) fn resolve(&mut self, folder: &Path) {
        if let Some(file) = self
            .model
            .as_mut()
            .and_then(|model| model.key_file.as_mut())
        {
            *file = folder.join(&file);
        }
    }
}

/// What in the table cannot work.
pub(super) fn check(settings: &AnalystSettings, found: &mut Findings<'_>) {
    let Some(model) = &settings.model else { return };
    let key = |last| ["analyst", "model", last];
    found.web_address(&key("url"), &model.url);
    if model.name.trim().is_empty() {
        found.add(
            &key("name"),
            "write the model's name, as the server knows it",
        );
    }
    let seconds = model.timeout.duration().as_secs();
    if !(1..=LONGEST_WAIT).contains(&seconds) {
        let words = format!("write at least \"1s\" and at most \"{LONGEST_WAIT}s\"");
        found.add(&key("timeout"), words);
    }
    if !model.intent && !model.phrasing {
        found.add(
            &["analyst", "model"],
            "the model has nothing to do; set `intent` or `phrasing`, or take the table out",
        );
    }
}

/// The file that a server has to be able to read.
pub(super) fn check_files(settings: &AnalystSettings, found: &mut Findings<'_>) {
    let model = settings.model.as_ref();
    let file = model.and_then(|model| model.key_file.as_deref());
    found.file(&["analyst", "model", "key_file"], file);
}
