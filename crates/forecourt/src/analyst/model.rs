//! The language model that may help, off unless the configuration names one.
//!
//! It is asked over the chat completions of OpenAI's HTTP interface, which hosted and local servers speak
//! alike. The crate `analyst` says what it is shown and checks what comes back; here is only the call. An
//! answer that is late, faulty or refused by the checks costs nothing but the wait: the lexicon's plan
//! and the counted sentence stand.

use std::{io, path::PathBuf, sync::Arc, time::Duration};

use analyst::{
    Finding, Intent, Plan, Sources, phrasing,
    question::stated::{Form, Misstated},
};
use axum::http::{HeaderValue, StatusCode, header};
use egress::Egress;
use serde::Deserialize;
use serde_json::{Value, json};
use url::Url;

use crate::{
    config::{Config, ModelSettings},
    errands,
    keys::as_bearer,
};

/// The most that is read of an answer.
const MOST_BYTES: usize = 256 << 10;
/// The longest question that is shown, in characters; a longer one is the lexicon's alone.
const LONGEST_QUESTION: usize = 2_000;

/// A language model.
#[derive(Debug)]
pub(crate) struct Model {
    egress: Egress,
    url: Url,
    authorization: Option<HeaderValue>,
    settings: ModelSettings,
}

/// Why a model cannot be asked at all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The file of the key cannot be read.
    #[error("analyst.model.key_file: {path} cannot be read")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The key has characters that no header has.
    #[error("analyst.model.key_file: {0} holds no key; a key is one line of visible ASCII")]
    NoKey(PathBuf),
    /// The URL cannot be added to.
    #[error("analyst.model.url: {0} is not a base URL")]
    Url(Url),
    /// The HTTP client cannot be set up.
    #[error(transparent)]
    Client(#[from] egress::Error),
}

/// Why a model did not help with one question.
#[derive(Debug, thiserror::Error)]
enum Unhelpful {
    #[error("it was not reached")]
    Unreached(#[from] egress::Error),
    #[error("its server answered {0}")]
    Status(StatusCode),
    #[error("its server's answer has no text at `choices[0].message.content`")]
    NoText(#[source] Option<serde_json::Error>),
    #[error("its answer is not used")]
    Misstated(#[from] Misstated),
    #[error("its wording is not used")]
    Unfaithful(#[from] phrasing::Unfaithful),
}

/// What is read of an answer.
#[derive(Deserialize)]
struct Completion {
    choices: Vec<Choice>,
}

#[derive(Deserialize)]
struct Choice {
    message: Said,
}

#[derive(Deserialize)]
struct Said {
    content: Option<String>,
}

impl Model {
    /// The model that a configuration names.
    ///
    /// # Errors
    /// [`ModelError`].
    pub(crate) fn of(config: &Config) -> Result<Option<Arc<Self>>, ModelError> {
        let Some(settings) = &config.analyst.model else {
            return Ok(None);
        };
        let model = Self::open(settings, &errands::client(config)?)?;
        Ok(Some(Arc::new(model)))
    }

    /// Its server may be in the own network where the URL itself says so.
    fn open(settings: &ModelSettings, egress: &Egress) -> Result<Self, ModelError> {
        let mut url = settings.url.clone();
        let Ok(mut path) = url.path_segments_mut() else {
            return Err(ModelError::Url(settings.url.clone()));
        };
        path.pop_if_empty().extend(["chat", "completions"]);
        drop(path);
        let authorization = settings.key_file.as_ref().map(|path| {
            let text = std::fs::read_to_string(path).map_err(|source| ModelError::Unreadable {
                path: path.clone(),
                source,
            })?;
            as_bearer(&text).ok_or_else(|| ModelError::NoKey(path.clone()))
        });
        Ok(Self {
            egress: egress.opened_for(&url)?,
            url,
            authorization: authorization.transpose()?,
            settings: settings.clone(),
        })
    }

    /// The plan that the model sees in a question, where the lexicon's leaves words and the model may
    /// read questions; else that plan.
    pub(crate) async fn read(
        &self,
        plan: Plan,
        question: &str,
        sources: &Sources,
        previous: &[Intent],
    ) -> Plan {
        let is_short = question.chars().count() <= LONGEST_QUESTION;
        if !self.settings.intent || !plan.leaves_words() || !is_short {
            return plan;
        }
        let form = Form::of(sources);
        let wanted = json!({
            "type": "json_schema",
            "json_schema": { "name": "analyses", "strict": true, "schema": form.schema },
        });
        let stated = async {
            let said = self.ask(&form.instructions, question, Some(wanted)).await?;
            let name = &self.settings.name;
            Ok::<_, Unhelpful>(Plan::stated(&said, name, question, sources, previous)?)
        };
        stated.await.unwrap_or_else(|error| {
            self.log(&error, "a question is read by the lexicon alone");
            plan
        })
    }

    /// Has the model word the sentence that answers, where it may.
    pub(crate) async fn word(&self, finding: &mut Finding, question: &str) {
        let sentence = phrasing::sentence(finding).filter(|_| self.settings.phrasing);
        let Some(sentence) = sentence else { return };
        let question: String = question.chars().take(LONGEST_QUESTION).collect();
        let shown = json!({ "question": question, "sentence": sentence }).to_string();
        let worded = async {
            let said = self.ask(phrasing::INSTRUCTIONS, &shown, None).await?;
            Ok(phrasing::rephrase(finding, &said, &self.settings.name)?)
        };
        let worded: Result<(), Unhelpful> = worded.await;
        if let Err(error) = worded {
            self.log(&error, "an answer has its counted sentence");
        }
    }

    /// The questions and what the model made of them are the seller's, and stay out of the log.
    fn log(&self, error: &Unhelpful, outcome: &str) {
        let error = match error {
            Unhelpful::Misstated(_) | Unhelpful::Unfaithful(_) => error.to_string(),
            _ => crate::explain(error),
        };
        tracing::warn!(model = self.settings.name, %error, "the language model did not help: {outcome}");
    }

    async fn ask(
        &self,
        instructions: &str,
        shown: &str,
        wanted: Option<Value>,
    ) -> Result<String, Unhelpful> {
        let mut body = json!({
            "model": self.settings.name,
            "temperature": 0,
            "messages": [
                { "role": "system", "content": instructions },
                { "role": "user", "content": shown },
            ],
        });
        if let Some(wanted) = wanted {
            body["response_format"] = wanted;
        }
        let timeout: Duration = self.settings.timeout.duration().unsigned_abs();
        let json = HeaderValue::from_static("application/json");
        let mut request = self
            .egress
            .post(self.url.as_str(), body.to_string())
            .header(header::CONTENT_TYPE, json)
            .timeout(timeout)
            .body_limit(MOST_BYTES);
        if let Some(authorization) = &self.authorization {
            request = request.header(header::AUTHORIZATION, authorization.clone());
        }
        let response = request.send().await?;
        if response.status != StatusCode::OK {
            return Err(Unhelpful::Status(response.status));
        }
        let completion: Completion = serde_json::from_slice(&response.body)
            .map_err(|error| Unhelpful::NoText(Some(error)))?;
        let first = completion.choices.into_iter().next();
        let text = first.and_then(|choice| choice.message.content);
        text.ok_or(Unhelpful::NoText(None))
    }
}
