//! What an agent said, for people. Foreign words are made harmless.

use std::fmt::Write as _;

use a2a::{
    card::AgentCard,
    model::{
        Artifact, ListTaskPushNotificationConfigsResponse, ListTasksResponse, Message, Part,
        PartContent, StreamResponse, Task, TaskPushNotificationConfig, TaskState, TaskStatus,
    },
};

use crate::cli::{
    outcome::{keep_whole, table},
    text::{clean, clean_lines},
};

pub(super) fn message(message: &Message) -> String {
    let mut text = parts(&message.parts);
    if let Some(context) = &message.context_id {
        // Written into a String, which takes everything.
        let _ = write!(text, "\ncontext {}", clean(context));
    }
    text
}

/// The task and what it produced.
pub(super) fn task(task: &Task) -> String {
    let mut lines = vec![format!(
        "task {} is {}",
        clean(&task.id),
        state(task.status.state)
    )];
    if let Some(context) = &task.context_id {
        lines.push(format!("context {}", clean(context)));
    }
    lines.extend(said(&task.status));
    lines.extend(task.artifacts.iter().map(artifact));
    lines.join("\n")
}

pub(super) fn event(event: &StreamResponse) -> String {
    match event {
        StreamResponse::Task(it) => task(it),
        StreamResponse::Message(it) => message(it),
        StreamResponse::StatusUpdate(update) => {
            let mut lines = vec![format!("[{}]", state(update.status.state))];
            lines.extend(said(&update.status));
            lines.join("\n")
        }
        StreamResponse::ArtifactUpdate(update) if update.append => parts(&update.artifact.parts),
        StreamResponse::ArtifactUpdate(update) => artifact(&update.artifact),
    }
}

pub(super) fn tasks(page: &ListTasksResponse) -> String {
    let mut rows = table(["task", "state", "since", "context"]);
    for task in &page.tasks {
        let since = task.status.timestamp.map(|at| at.to_string());
        rows.add_row([
            clean(&task.id),
            state(task.status.state).to_owned(),
            since.unwrap_or_default(),
            clean(task.context_id.as_deref().unwrap_or_default()),
        ]);
    }
    keep_whole(&mut rows, &[0]);
    let shown = page.tasks.len();
    let mut text = format!("{rows}\n{shown} of {}", page.total_size);
    if !page.next_page_token.is_empty() {
        let _ = write!(text, "; more with --page {}", clean(&page.next_page_token));
    }
    text
}

pub(super) fn push_config(config: &TaskPushNotificationConfig) -> String {
    let id = config.id.as_deref().unwrap_or_default();
    format!("webhook {} calls {}", clean(id), clean(&config.url))
}

pub(super) fn push_configs(page: &ListTaskPushNotificationConfigsResponse) -> String {
    let mut lines: Vec<String> = page.configs.iter().map(push_config).collect();
    if lines.is_empty() {
        lines.push("no webhooks".to_owned());
    }
    if !page.next_page_token.is_empty() {
        lines.push(format!("more with --page {}", clean(&page.next_page_token)));
    }
    lines.join("\n")
}

pub(super) fn card(card: &AgentCard) -> String {
    let mut lines = vec![
        format!("{} {}", clean(&card.name), clean(&card.version)),
        clean(&card.description),
    ];
    let flags = [
        ("streaming", card.capabilities.streaming),
        ("push notifications", card.capabilities.push_notifications),
        ("extended card", card.capabilities.extended_agent_card),
    ];
    let can: Vec<&str> = flags
        .iter()
        .filter(|(_, declared)| *declared == Some(true))
        .map(|(name, _)| *name)
        .collect();
    if !can.is_empty() {
        lines.push(format!("offers {}", can.join(", ")));
    }
    for interface in &card.supported_interfaces {
        lines.push(format!(
            "{} {} at {}",
            clean(&interface.protocol_binding),
            clean(&interface.protocol_version),
            clean(&interface.url)
        ));
    }
    for skill in &card.skills {
        lines.push(format!(
            "skill {}: {}",
            clean(&skill.id),
            clean(&skill.description)
        ));
    }
    lines.join("\n")
}

fn said(status: &TaskStatus) -> Option<String> {
    status.message.as_ref().map(|it| parts(&it.parts))
}

fn artifact(artifact: &Artifact) -> String {
    let name = artifact.name.as_deref().unwrap_or(&artifact.artifact_id);
    format!("artifact {}\n{}", clean(name), parts(&artifact.parts))
}

fn parts(parts: &[Part]) -> String {
    parts.iter().map(part).collect::<Vec<_>>().join("\n")
}

fn part(part: &Part) -> String {
    match &part.content {
        PartContent::Text(text) => clean_lines(text),
        PartContent::Data(data) => clean_lines(data.get()),
        PartContent::Url(url) => clean(url),
        PartContent::Raw(bytes) => {
            let name = part.filename.as_deref().unwrap_or("file");
            format!("{} ({} bytes)", clean(name), bytes.len())
        }
    }
}

/// `input required` of `TASK_STATE_INPUT_REQUIRED`.
fn state(state: TaskState) -> &'static str {
    match state {
        TaskState::Unspecified => "in no known state",
        TaskState::Submitted => "submitted",
        TaskState::Working => "working",
        TaskState::Completed => "completed",
        TaskState::Failed => "failed",
        TaskState::Canceled => "canceled",
        TaskState::InputRequired => "waiting for input",
        TaskState::Rejected => "rejected",
        TaskState::AuthRequired => "waiting for credentials",
    }
}
