//! `a2a`: talks to any A2A agent, one operation at a time.

mod message;
mod print;
mod push;
mod whom;

use std::process::ExitCode;

use a2a::model::{
    CancelTaskRequest, GetTaskRequest, HistoryLength, ListTasksRequest, PageSize,
    SendMessageResponse, StreamResponse, Task, TaskState, Timestamp,
};
use a2a_client::Events;
use clap::{Args, Subcommand, ValueEnum};
use store::Clock;

pub(super) use self::whom::{Whom, failure};
use self::{message::MessageFlags, push::PushCommand};
use super::{
    Common,
    outcome::{Exit, Failure, print_json, say},
};

/// What `a2a` does.
#[derive(Debug, Subcommand)]
pub(crate) enum A2aCommand {
    /// Send a message and wait for the answer
    #[command(
        after_help = "Examples:\n  forecourt a2a send https://agent.example \"What do you sell?\"\n  forecourt a2a send https://agent.example --data request.json --media-type application/json --json"
    )]
    Send {
        #[command(flatten)]
        whom: Whom,
        #[command(flatten)]
        message: MessageFlags,
        /// Come back as soon as there is a task, instead of when it ends or asks
        #[arg(long)]
        at_once: bool,
    },
    /// Send a message and print what happens as it happens
    #[command(
        after_help = "Example:\n  forecourt a2a stream https://agent.example \"Which cars wait longest?\"\n\nWith --json every event is one line. A stream that is lost is taken up again."
    )]
    Stream {
        #[command(flatten)]
        whom: Whom,
        #[command(flatten)]
        message: MessageFlags,
    },
    /// Read a task
    #[command(after_help = "Example:\n  forecourt a2a get https://agent.example TASK --history 5")]
    Get {
        #[command(flatten)]
        whom: Whom,
        /// The task's id
        task: String,
        /// Messages of the history, at most [default: as many as the agent likes]
        #[arg(long, value_name = "COUNT", value_parser = history)]
        history: Option<HistoryLength>,
    },
    /// Find tasks; agents of A2A 0.3 have no such operation
    #[command(
        after_help = "Example:\n  forecourt a2a list https://agent.example --state input-required"
    )]
    List {
        #[command(flatten)]
        whom: Whom,
        #[command(flatten)]
        filter: Box<ListFlags>,
    },
    /// End a task
    #[command(after_help = "Example:\n  forecourt a2a cancel https://agent.example TASK")]
    Cancel {
        #[command(flatten)]
        whom: Whom,
        /// The task's id
        task: String,
    },
    /// Follow a task: as it stands, then what happens
    #[command(
        after_help = "Example:\n  forecourt a2a subscribe https://agent.example TASK --last-event-id 12"
    )]
    Subscribe {
        #[command(flatten)]
        whom: Whom,
        /// The task's id
        task: String,
        /// Go on behind this event, where the agent keeps its events
        #[arg(long, value_name = "ID")]
        last_event_id: Option<String>,
    },
    /// Have an agent call a webhook when a task goes on
    #[command(
        subcommand,
        after_help = "Example:\n  forecourt a2a push create https://agent.example TASK https://hook.example/a2a"
    )]
    Push(PushCommand),
    /// Print an agent's card in the form of 1.0
    #[command(after_help = "Example:\n  forecourt a2a card https://agent.example --json")]
    Card {
        #[command(flatten)]
        whom: Whom,
        /// The card that only authenticated callers see
        #[arg(long)]
        extended: bool,
    },
}

/// Which tasks.
#[derive(Debug, Args)]
pub(crate) struct ListFlags {
    /// Only tasks of this conversation
    #[arg(long, value_name = "ID")]
    context: Option<String>,
    /// Only tasks in this state
    #[arg(long, value_enum)]
    state: Option<State>,
    /// Only tasks whose state is of this time or later, such as 2026-05-01T00:00:00Z
    #[arg(long, value_name = "TIME")]
    after: Option<Timestamp>,
    /// Tasks per page, 1 to 100 [default: the agent's own]
    #[arg(long, value_name = "COUNT", value_parser = page_size)]
    limit: Option<PageSize>,
    /// Where to go on, as the page before says
    #[arg(long, value_name = "TOKEN")]
    page: Option<String>,
    /// Messages of each task's history, at most
    #[arg(long, value_name = "COUNT", value_parser = history)]
    history: Option<HistoryLength>,
    /// What the tasks produced, too
    #[arg(long)]
    artifacts: bool,
}

/// The states of a task.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum State {
    Submitted,
    Working,
    Completed,
    Failed,
    Canceled,
    InputRequired,
    Rejected,
    AuthRequired,
}

impl From<State> for TaskState {
    fn from(state: State) -> Self {
        match state {
            State::Submitted => Self::Submitted,
            State::Working => Self::Working,
            State::Completed => Self::Completed,
            State::Failed => Self::Failed,
            State::Canceled => Self::Canceled,
            State::InputRequired => Self::InputRequired,
            State::Rejected => Self::Rejected,
            State::AuthRequired => Self::AuthRequired,
        }
    }
}

fn history(text: &str) -> Result<HistoryLength, String> {
    let length = text.parse().ok().and_then(HistoryLength::new);
    length.ok_or_else(|| "not a number from 0 on".to_owned())
}

fn page_size(text: &str) -> Result<PageSize, String> {
    let size = text.parse().ok().and_then(PageSize::new);
    size.ok_or_else(|| "not a number from 1 to 100".to_owned())
}

/// Runs an `a2a` command. With `--json` what the agent said is printed in the JSON of A2A 1.0,
/// whatever version it speaks.
pub(super) fn run(common: &Common, command: A2aCommand) -> Result<ExitCode, Failure> {
    super::runtime()?.block_on(dispatch(command, common.json, &Clock::system()))
}

async fn dispatch(command: A2aCommand, json: bool, clock: &Clock) -> Result<ExitCode, Failure> {
    match command {
        A2aCommand::Send {
            whom,
            message,
            at_once,
        } => send(&whom, message, at_once, json, clock).await,
        A2aCommand::Stream { whom, message } => {
            let (client, options) = whom.client().await?;
            let request = message.request(false, clock)?;
            let events = client.stream(request, &options).await;
            follow(events.map_err(whom::failure)?, json).await
        }
        A2aCommand::Get {
            whom,
            task,
            history,
        } => {
            let (client, options) = whom.client().await?;
            let request = GetTaskRequest {
                id: task,
                history_length: history,
                ..GetTaskRequest::default()
            };
            let task = client.get_task(request, &options).await;
            show_task(&task.map_err(whom::failure)?, json)
        }
        A2aCommand::List { whom, filter } => list(&whom, *filter, json).await,
        A2aCommand::Cancel { whom, task } => {
            let (client, options) = whom.client().await?;
            let request = CancelTaskRequest {
                id: task,
                ..CancelTaskRequest::default()
            };
            let task = client.cancel_task(request, &options).await;
            show_task(&task.map_err(whom::failure)?, json)
        }
        A2aCommand::Subscribe {
            whom,
            task,
            last_event_id,
        } => {
            let (client, options) = whom.client().await?;
            let events = client
                .subscribe(&task, last_event_id.as_deref(), &options)
                .await;
            follow(events.map_err(whom::failure)?, json).await
        }
        A2aCommand::Push(command) => push::run(command, json).await,
        A2aCommand::Card { whom, extended } => card(&whom, extended, json).await,
    }
}

async fn send(
    whom: &Whom,
    message: MessageFlags,
    at_once: bool,
    json: bool,
    clock: &Clock,
) -> Result<ExitCode, Failure> {
    let (client, options) = whom.client().await?;
    let request = message.request(at_once, clock)?;
    let answer = client
        .send_message(request, &options)
        .await
        .map_err(whom::failure)?;
    if json {
        print_json(&answer)?;
    } else {
        say(match &answer {
            SendMessageResponse::Task(task) => print::task(task),
            SendMessageResponse::Message(message) => print::message(message),
        })?;
    }
    Ok(match &answer {
        SendMessageResponse::Task(task) => exit(task.status.state),
        SendMessageResponse::Message(_) => ExitCode::SUCCESS,
    })
}

/// Prints events as they come.
async fn follow(mut events: Events, json: bool) -> Result<ExitCode, Failure> {
    let mut code = ExitCode::SUCCESS;
    while let Some(event) = events.next().await.map_err(whom::failure)? {
        if json {
            say(line(&event)?)?;
        } else {
            say(print::event(&event))?;
        }
        if let Some(state) = event.state() {
            code = exit(state);
        }
    }
    Ok(code)
}

fn line(event: &StreamResponse) -> Result<String, Failure> {
    serde_json::to_string(event).map_err(|error| Failure::refused("output", error.to_string()))
}

async fn list(whom: &Whom, filter: ListFlags, json: bool) -> Result<ExitCode, Failure> {
    let (client, options) = whom.client().await?;
    let request = ListTasksRequest {
        tenant: None,
        context_id: filter.context,
        status: filter.state.map(Into::into),
        page_size: filter.limit,
        page_token: filter.page,
        history_length: filter.history,
        status_timestamp_after: filter.after,
        include_artifacts: filter.artifacts.then_some(true),
    };
    let page = client.list_tasks(request, &options).await;
    let page = page.map_err(whom::failure)?;
    if json {
        print_json(&page)?;
    } else {
        say(print::tasks(&page))?;
    }
    Ok(ExitCode::SUCCESS)
}

async fn card(whom: &Whom, extended: bool, json: bool) -> Result<ExitCode, Failure> {
    let card = if extended {
        let (client, options) = whom.client().await?;
        let card = client.get_extended_card(&options).await;
        card.map_err(whom::failure)?
    } else {
        whom.discover().await?.card
    };
    if json {
        print_json(&card)?;
    } else {
        say(print::card(&card))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints a task that was asked for; its state is no failure of the command.
fn show_task(task: &Task, json: bool) -> Result<ExitCode, Failure> {
    if json {
        print_json(task)?;
    } else {
        say(print::task(task))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// How a message ends whose task is in this state.
fn exit(state: TaskState) -> ExitCode {
    match state {
        TaskState::Failed | TaskState::Rejected | TaskState::Canceled => {
            ExitCode::from(Exit::Refused as u8)
        }
        _ => ExitCode::SUCCESS,
    }
}
