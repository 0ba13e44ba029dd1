//! What a message to the analyst says: the question, and the files that came with it.

use std::path::Path;

use a2a::model::{Message, Metadata, Part, PartContent};
use analyst::{Attachment, Unreadable, table::Limits};
use data_encoding::BASE64;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::contract::UNDECODABLE;

/// A message as the analyst reads it.
#[derive(Debug)]
pub(super) struct Asked {
    /// The question; empty where only files were sent.
    pub(super) question: String,
    /// The files, not read yet, in their order.
    pub(super) files: Vec<File>,
    /// The message without the content of the files, which is not kept.
    pub(super) kept: Vec<Part>,
}

/// A file of a message.
#[derive(Debug)]
pub(super) struct File {
    name: String,
    content: Result<Vec<u8>, Unreadable>,
}

impl File {
    /// Its rows, or why there are none. Takes time.
    pub(super) fn read(self) -> Attachment {
        let name = self.name;
        let bytes = match self.content {
            Ok(bytes) => bytes,
            Err(reason) => return Attachment::Unreadable { name, reason },
        };
        let read = |bytes: &[u8]| Attachment::read(name.clone(), bytes, &Limits::default());
        let as_sent = read(&bytes);
        if matches!(as_sent, Attachment::Unreadable { .. })
            && let Some(decoded) = decoded_again(&bytes)
            && let table @ Attachment::Table(_) = read(&decoded)
        {
            return table;
        }
        as_sent
    }
}

/// The official Python SDK puts base64 into the field of bytes that 0.3 has over HTTP+JSON and gRPC, so that
/// its files arrive encoded once more. Base64 alone is no table.
fn decoded_again(bytes: &[u8]) -> Option<Vec<u8>> {
    BASE64.decode(bytes.trim_ascii()).ok()
}

/// What a client's button or field sends back: a question of its own.
#[derive(Debug, Deserialize)]
struct Pressed {
    #[serde(alias = "userAction")]
    action: Action,
}

#[derive(Debug, Deserialize)]
struct Action {
    #[serde(default)]
    context: serde_json::Map<String, serde_json::Value>,
}

impl Asked {
    /// Reads a message. What is neither text, file nor a pressed button is ignored.
    pub(super) fn of(message: Message) -> Self {
        let mut asked = Self {
            question: String::new(),
            files: Vec::new(),
            kept: Vec::new(),
        };
        for mut part in message.parts {
            let number = asked.files.len() + 1;
            let name = name(&part, number);
            match part.content {
                PartContent::Text(text) => {
                    asked.ask(&text);
                    part.content = PartContent::Text(text);
                }
                PartContent::Raw(bytes) => {
                    let content = match not_csv(&part.media_type, part.filename.as_deref()) {
                        Some(found) => Err(Unreadable::NotCsv { found }),
                        None => Ok(bytes),
                    };
                    asked.files.push(File { name, content });
                    part.content = PartContent::Raw(Vec::new());
                }
                PartContent::Url(url) => {
                    let content = Err(Unreadable::ByAddress);
                    asked.files.push(File { name, content });
                    part.content = PartContent::Url(url);
                }
                PartContent::Data(data) => {
                    asked.take_data(&data, part.metadata.as_ref(), name);
                    part.content = PartContent::Data(data);
                }
            }
            asked.kept.push(part);
        }
        asked
    }

    fn ask(&mut self, text: &str) {
        let text = text.trim();
        if !text.is_empty() && !self.question.is_empty() {
            self.question.push('\n');
        }
        self.question.push_str(text);
    }

    fn take_data(&mut self, data: &RawValue, metadata: Option<&Metadata>, name: String) {
        if metadata.is_some_and(|metadata| metadata.get(UNDECODABLE).is_some()) {
            #[derive(Deserialize)]
            struct Note {
                name: String,
            }
            let noted: Option<Note> = serde_json::from_str(data.get()).ok();
            let noted = noted.map(|note| note.name).filter(|name| !name.is_empty());
            self.files.push(File {
                name: noted.unwrap_or(name),
                content: Err(Unreadable::NotBase64),
            });
        } else if let Ok(pressed) = serde_json::from_str::<Pressed>(data.get())
            && let Some(question) = pressed.action.context.get("question")
        {
            self.ask(question.as_str().unwrap_or_default());
        }
    }
}

fn name(part: &Part, number: usize) -> String {
    let named = part.filename.clone().filter(|name| !name.trim().is_empty());
    named.unwrap_or_else(|| format!("attachment {number}"))
}

/// What a file says it is, unless it says that it is CSV, by its media type or by its name.
fn not_csv(media_type: &Option<String>, name: Option<&str>) -> Option<String> {
    const CSV: [&str; 4] = [
        "text/csv",
        "application/csv",
        "text/x-csv",
        "text/comma-separated-values",
    ];
    let media_type = media_type.as_deref().map(|media_type| {
        let essence = media_type.split(';').next().unwrap_or_default();
        essence.trim().to_ascii_lowercase()
    });
    let ending = name.map(Path::new).and_then(Path::extension);
    let ending = ending.map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    let is_csv = media_type.as_deref().is_some_and(|it| CSV.contains(&it))
        || ending.as_deref() == Some("csv");
    if is_csv {
        return None;
    }
    let found = media_type.filter(|it| !it.is_empty());
    Some(
        found
            .or(ending.map(|it| format!(".{it}")))
            .unwrap_or_else(|| "a file without a type".to_owned()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_csv_by_its_type_or_its_name() {
        let judged =
            |media_type: &str, name: &str| not_csv(&Some(media_type.to_owned()), Some(name));
        assert_eq!(judged("text/csv; charset=utf-8", "stock"), None);
        assert_eq!(judged("application/octet-stream", "Stock.CSV"), None);
        assert_eq!(
            judged("application/pdf", "notes.pdf").as_deref(),
            Some("application/pdf")
        );
        assert_eq!(not_csv(&None, Some("notes.txt")).as_deref(), Some(".txt"));
    }

    #[test]
    fn a_file_that_was_encoded_twice_is_read() {
        let file = |content: &[u8]| File {
            name: "a.csv".to_owned(),
            content: Ok(content.to_vec()),
        };
        let encoded = BASE64.encode(b"id,price\n1,20 EUR\n2,30 EUR\n");
        let Attachment::Table(table) = file(encoded.as_bytes()).read() else {
            panic!("{encoded} is not read");
        };
        assert_eq!(table.rows(), 2);
        let read = file(b"c29mYQ==").read();
        let Attachment::Unreadable { reason, .. } = read else {
            panic!("{read:?}");
        };
        assert_eq!(reason, Unreadable::NoTable);
    }

    #[test]
    fn contents_of_files_are_not_kept() {
        let mut message = Message::user("m");
        message.parts = vec![
            Part::text("Where are the gaps?"),
            Part::raw(*b"id\n1\n").with_filename("a.csv"),
            Part::url("https://example.com/b.csv"),
        ];
        let asked = Asked::of(message);
        assert_eq!(asked.question, "Where are the gaps?");
        let names: Vec<&str> = asked.files.iter().map(|file| file.name.as_str()).collect();
        assert_eq!(names, ["a.csv", "attachment 2"]);
        assert!(matches!(&asked.kept[1].content, PartContent::Raw(bytes) if bytes.is_empty()));
    }
}
