//! `ask`: a question to the analyst, here or over A2A.

use std::{
    io::{IsTerminal, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use a2a::model::{Message, Part, PartContent, SendMessageRequest, SendMessageResponse, TaskState};
use analyst::{Attachment, Finding, Plan, Sources, Unreadable, render, table::Limits};
use clap::Args;
use serde_json::{Value, json};
use store::Clock;

use super::{
    Common,
    a2a::{Whom, failure},
    outcome::{Exit, Failure, print_json, say},
    site,
};
use crate::analyst::own;

/// What `ask` takes.
#[derive(Debug, Args)]
pub(super) struct AskArgs {
    /// The question; without one, files alone ask for an overview
    #[arg(required_unless_present = "file")]
    question: Option<String>,
    /// A CSV file that the question is about too; may be repeated
    #[arg(long, value_name = "FILE")]
    file: Vec<PathBuf>,
    /// Ask the analyst at this address instead, over A2A: its base URL, or the URL of its card
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// With --url: a file that holds a key with the scope analyst
    #[arg(long, value_name = "FILE", requires = "url")]
    key_file: Option<PathBuf>,
}

pub(super) fn run(common: &Common, args: AskArgs) -> Result<ExitCode, Failure> {
    match args.url.clone() {
        Some(url) => super::runtime()?.block_on(remote(common, args, url)),
        None => local(common, &args),
    }
}

/// Counts with the same code as the server, on the data of this machine.
fn local(common: &Common, args: &AskArgs) -> Result<ExitCode, Failure> {
    let mut progress = Progress::new();
    progress.step("reading the data");
    let mut sources = own_data(common, args)?;
    for file in &args.file {
        progress.step(&format!("reading {}", file.display()));
        sources.attached.push(attachment(file)?);
    }
    let question = args.question.as_deref().unwrap_or_default();
    let plan = Plan::of(question, &sources, &[]);
    let skills: Vec<_> = plan.skills().collect();
    let mut findings = Vec::new();
    for (place, skill) in skills.iter().enumerate() {
        progress.step(&format!(
            "{} of {}: {}",
            place + 1,
            skills.len(),
            skill.title()
        ));
        findings.extend(plan.find(place, &sources));
    }
    progress.done();
    if common.json {
        let findings: Vec<Value> = findings.iter().map(document).collect();
        print_json(&json!({ "findings": findings }))?;
    } else {
        let texts: Vec<String> = findings.iter().map(render::text).collect();
        say(texts.join("\n\n"))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn document(finding: &Finding) -> Value {
    let mut document = render::finding(finding);
    document["text"] = render::text(finding).into();
    document["evidence"] = render::evidence(finding);
    document
}

/// The dealer's own tables. Files can be asked about where there is no dealer.
fn own_data(common: &Common, args: &AskArgs) -> Result<Sources, Failure> {
    let names_nothing = common.config.is_none() && common.data.is_none() && common.dealer.is_none();
    let is_there = site::config_path(common).exists();
    if !args.file.is_empty() && names_nothing && !is_there {
        return Ok(Sources::default());
    }
    let site = site::open(common, false)?;
    let (id, dealer) = site::dealer(common, &site.config)?;
    let vault = site.vault()?;
    let read = own::read(&site.store, &vault, id, dealer);
    let read = super::runtime()?.block_on(read);
    read.map_err(|error| Failure::refused("storage", crate::explain(&error)))
}

fn attachment(path: &Path) -> Result<Attachment, Failure> {
    let read = Attachment::read(name(path), &read(path)?, &Limits::default());
    if let Attachment::Unreadable {
        reason: reason @ Unreadable::TooLarge { .. },
        ..
    } = &read
    {
        let words = format!("{}: {reason}", path.display());
        return Err(Failure::refused("too_large", words));
    }
    Ok(read)
}

fn name(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    std::fs::read(path).map_err(|error| Failure::usage(format!("{}: {error}", path.display())))
}

/// Asks an analyst over A2A, this program's or another's.
async fn remote(common: &Common, args: AskArgs, url: String) -> Result<ExitCode, Failure> {
    let (client, options) = Whom::at(url, args.key_file).client().await?;
    let mut message = Message::user(Clock::system().new_id().to_string());
    message.parts.extend(args.question.map(Part::text));
    for path in &args.file {
        let file = Part::raw(read(path)?).with_media_type("text/csv");
        message.parts.push(file.with_filename(name(path)));
    }
    let mut progress = Progress::new();
    progress.step("waiting for the answer");
    let answer = client
        .send_message(SendMessageRequest::new(message), &options)
        .await;
    progress.done();
    let answer = answer.map_err(failure)?;
    if common.json {
        print_json(&answer)?;
    } else {
        say(texts(&answer).join("\n\n"))?;
    }
    let is_failed = match &answer {
        SendMessageResponse::Task(task) => task.status.state != TaskState::Completed,
        SendMessageResponse::Message(_) => false,
    };
    Ok(if is_failed {
        ExitCode::from(Exit::Refused as u8)
    } else {
        ExitCode::SUCCESS
    })
}

/// The texts of an answer, one for each analysis; of a task without any, what it says of its state.
fn texts(answer: &SendMessageResponse) -> Vec<String> {
    let text = |part: &Part| match &part.content {
        PartContent::Text(text) => Some(super::text::clean_lines(text)),
        _ => None,
    };
    match answer {
        SendMessageResponse::Message(message) => message.parts.iter().filter_map(text).collect(),
        SendMessageResponse::Task(task) => {
            let artifacts = task.artifacts.iter().flat_map(|it| &it.parts);
            let texts: Vec<String> = artifacts.filter_map(text).collect();
            if !texts.is_empty() {
                return texts;
            }
            let said = task.status.message.iter().flat_map(|it| &it.parts);
            said.filter_map(text).collect()
        }
    }
}

/// One line on a terminal that says what is being done; nothing elsewhere.
struct Progress {
    shown: bool,
}

impl Progress {
    fn new() -> Self {
        Self {
            shown: std::io::stderr().is_terminal(),
        }
    }

    fn step(&mut self, words: &str) {
        if self.shown {
            // The line is cleared first. A terminal that takes nothing is no reason to stop.
            let _ = write!(std::io::stderr(), "\r\x1b[2K{words}");
            let _ = std::io::stderr().flush();
        }
    }

    fn done(&mut self) {
        if self.shown {
            let _ = write!(std::io::stderr(), "\r\x1b[2K");
        }
    }
}
