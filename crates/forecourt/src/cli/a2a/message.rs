//! The message that is sent.

use std::{
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
};

use a2a::model::{HistoryLength, Message, Part, SendMessageConfiguration, SendMessageRequest};
use clap::Args;
use serde_json::value::RawValue;
use store::Clock;

use crate::cli::outcome::Failure;

/// What a message says, and how it wants its answer.
#[derive(Debug, Args)]
pub(crate) struct MessageFlags {
    /// Text of the message
    #[arg(value_name = "TEXT", required_unless_present_any = ["data", "file"])]
    text: Option<String>,
    /// A JSON file that is sent as a data part; `-` reads standard input
    #[arg(long, value_name = "FILE")]
    data: Option<PathBuf>,
    /// A file that is sent with its name
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Media type of the data or the file
    #[arg(long, value_name = "TYPE")]
    media_type: Option<String>,
    /// The task that the message goes on with
    #[arg(long, value_name = "ID")]
    task: Option<String>,
    /// The conversation that the message belongs to
    #[arg(long, value_name = "ID")]
    context: Option<String>,
    /// Another task that the message refers to; may be repeated
    #[arg(long, value_name = "ID")]
    reference: Vec<String>,
    /// Media type that the answer should have; may be repeated, the most wanted first
    #[arg(long, value_name = "TYPE")]
    accept: Vec<String>,
    /// Messages of the history in the answer, at most
    #[arg(long, value_name = "COUNT", value_parser = super::history)]
    history: Option<HistoryLength>,
    /// Id of the message, to send the same one again [default: a new one]
    #[arg(long, value_name = "ID")]
    message_id: Option<String>,
}

impl MessageFlags {
    pub(super) fn request(
        self,
        return_immediately: bool,
        clock: &Clock,
    ) -> Result<SendMessageRequest, Failure> {
        let id = self.message_id.clone();
        let mut message = Message::user(id.unwrap_or_else(|| clock.new_id().to_string()));
        message.parts = self.parts()?;
        message.task_id = self.task;
        message.context_id = self.context;
        message.reference_task_ids = self.reference;
        let mut request = SendMessageRequest::new(message);
        let configuration = SendMessageConfiguration {
            accepted_output_modes: self.accept,
            history_length: self.history,
            return_immediately,
            ..SendMessageConfiguration::default()
        };
        if configuration != SendMessageConfiguration::default() {
            request.configuration = Some(configuration);
        }
        Ok(request)
    }

    fn parts(&self) -> Result<Vec<Part>, Failure> {
        let typed = |part: Part| match &self.media_type {
            Some(media_type) => part.with_media_type(media_type),
            None => part,
        };
        let mut parts: Vec<Part> = self.text.iter().map(Part::text).collect();
        if let Some(path) = &self.data {
            let data: Box<RawValue> = serde_json::from_slice(&read(path)?).map_err(|error| {
                Failure::usage(format!("{} is not JSON: {error}", path.display()))
            })?;
            parts.push(typed(Part::data(data)));
        }
        if let Some(path) = &self.file {
            let part = typed(Part::raw(read(path)?));
            parts.push(match path.file_name() {
                Some(name) => part.with_filename(name.to_string_lossy()),
                None => part,
            });
        }
        Ok(parts)
    }
}

/// Reads a file, or standard input for `-`.
fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let read = if path == Path::new("-") {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        fs::read(path)
    };
    read.map_err(|error| Failure::usage(format!("{}: {error}", path.display())))
}
