//! `ask`: a question to the analyst, here or over A2A.

use std::{
    fs::File,
    io::Read,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
    time::Duration,
};

use a2a::model::{Message, Part, PartContent, SendMessageRequest, SendMessageResponse, TaskState};
use analyst::{Attachment, Finding, Plan, Sources, Unreadable, render, table::Limits};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};
use store::Clock;
use tokio::runtime::Runtime;

use super::{
    Common,
    a2a::{Whom, failure},
    outcome::{Exit, Failure, print_json, say},
    site,
};
use crate::{
    analyst::{Model, Seller, own},
    config::Config,
};

/// Largest file that is read here. It comes over no network, so that it may be larger than what a message
/// brings.
const MOST_BYTES: usize = 2 << 30;
/// How often the progress is drawn.
const TICK: Duration = Duration::from_millis(100);

/// What `ask` takes.
#[derive(Debug, Args)]
pub(super) struct AskArgs {
    /// The question; without one, files alone ask for an overview
    #[arg(required_unless_present = "file")]
    question: Option<String>,
    /// A CSV file that the question is about too; may be repeated
    #[arg(long, value_name = "FILE")]
    file: Vec<PathBuf>,
    /// Ask about this catalog of the configuration instead of a dealer's stock
    #[arg(long, value_name = "NAME", conflicts_with = "url")]
    catalog: Option<String>,
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
    let progress = Progress::over(size(&args.file));
    progress.step("reading the data");
    let runtime = super::runtime()?;
    let Own {
        mut sources,
        remarks,
        model,
    } = own_data(common, args, &runtime)?;
    for file in &args.file {
        sources.attached.push(attachment(file, &progress)?);
    }
    let question = args.question.as_deref().unwrap_or_default();
    let mut plan = Plan::of(question, &sources, &[]);
    if let Some(model) = &model {
        plan = runtime.block_on(model.read(plan, question, &sources, &[]));
    }
    plan.narrow(&[], &remarks);
    let skills: Vec<_> = plan.skills().collect();
    let mut findings = Vec::new();
    for (place, skill) in skills.iter().enumerate() {
        progress.step(format!(
            "{} of {}: {}",
            place + 1,
            skills.len(),
            skill.title()
        ));
        let mut finding = plan.find(place, &sources);
        if let (Some(model), Some(finding)) = (&model, &mut finding) {
            runtime.block_on(model.word(finding, question));
        }
        findings.extend(finding);
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

/// The seller's own data.
#[derive(Default)]
struct Own {
    sources: Sources,
    /// What every answer says of it.
    remarks: Vec<String>,
    model: Option<Arc<Model>>,
}

/// The own tables of the dealer or catalog. Files can be asked about where there is neither.
fn own_data(common: &Common, args: &AskArgs, runtime: &Runtime) -> Result<Own, Failure> {
    let names = [
        common.config.is_some(),
        common.data.is_some(),
        common.dealer.is_some(),
        args.catalog.is_some(),
    ];
    let is_there = site::config_path(common).exists();
    if !args.file.is_empty() && !names.contains(&true) && !is_there {
        return Ok(Own::default());
    }
    let site = site::open(common, false)?;
    let seller = seller(common, args, &site.config)?;
    let model = Model::of(&site.config);
    let model = model.map_err(|error| Failure::refused("model", crate::explain(&error)))?;
    let read = runtime.block_on(async {
        let own = own::read(&site.store, &seller).await?;
        let mut sources = own.sources();
        sources.leads = own::leads(&site.store, &seller).await?;
        Ok::<_, own::Error>(Own {
            sources,
            remarks: own.remarks,
            model,
        })
    });
    read.map_err(|error| Failure::refused("storage", crate::explain(&error)))
}

/// The catalog that a flag names, else the dealer; the only catalog where there is no dealer.
fn seller(common: &Common, args: &AskArgs, config: &Config) -> Result<Seller, Failure> {
    let no_dealer = config.dealers.is_empty() && common.dealer.is_none();
    if args.catalog.is_some() || no_dealer {
        let (id, catalog) = site::catalog(args.catalog.as_deref(), config)?;
        return Ok(Seller::catalog(id.clone(), Arc::new(catalog.clone())));
    }
    let (id, dealer) = site::dealer(common, config)?;
    Ok(Seller::dealer(id.clone(), Arc::new(dealer.clone())))
}

fn attachment(path: &Path, progress: &Progress) -> Result<Attachment, Failure> {
    let name = name(path);
    progress.step(format!("reading {name}"));
    let bytes = progress.read(path)?;
    progress.step(format!("finding the rows of {name}"));
    let mut limits = Limits::default();
    limits.bytes = MOST_BYTES;
    let read = Attachment::read(name, &bytes, &limits);
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

/// Asks an analyst over A2A, this program's or another's.
async fn remote(common: &Common, args: AskArgs, url: String) -> Result<ExitCode, Failure> {
    let (client, options) = Whom::at(url, args.key_file).client().await?;
    let mut message = Message::user(Clock::system().new_id().to_string());
    message.parts.extend(args.question.map(Part::text));
    let progress = Progress::over(size(&args.file));
    for path in &args.file {
        progress.step(format!("reading {}", name(path)));
        let file = Part::raw(progress.read(path)?).with_media_type("text/csv");
        message.parts.push(file.with_filename(name(path)));
    }
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

/// How far the work is, on a terminal; nothing elsewhere.
struct Progress(ProgressBar);

impl Progress {
    /// Of work that reads so many bytes of files.
    fn over(bytes: u64) -> Self {
        let form = if bytes == 0 {
            "{spinner} {msg} {elapsed}"
        } else {
            "{spinner} {msg} [{wide_bar}] {bytes} of {total_bytes}, {elapsed}"
        };
        let bar = ProgressBar::new(bytes);
        // A form that is none would leave the usual one.
        if let Ok(style) = ProgressStyle::with_template(form) {
            bar.set_style(style);
        }
        bar.enable_steady_tick(TICK);
        Self(bar)
    }

    fn step(&self, words: impl Into<String>) {
        self.0.set_message(words.into());
    }

    /// Reads a file, and shows how much of it has been.
    fn read(&self, path: &Path) -> Result<Vec<u8>, Failure> {
        let mut bytes = Vec::new();
        let file = File::open(path);
        file.and_then(|file| self.0.wrap_read(file).read_to_end(&mut bytes))
            .map_err(|error| Failure::usage(format!("{}: {error}", path.display())))?;
        Ok(bytes)
    }

    fn done(&self) {
        self.0.finish_and_clear();
    }
}

/// The bytes of files together; one that cannot be looked at is told when it is read.
fn size(files: &[PathBuf]) -> u64 {
    let sizes = files.iter().filter_map(|file| file.metadata().ok());
    sizes.map(|file| file.len()).sum()
}
