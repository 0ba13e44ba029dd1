//! `a2a push`: webhooks of a task.

use std::{path::PathBuf, process::ExitCode};

use a2a::model::{
    AuthenticationInfo, DeleteTaskPushNotificationConfigRequest,
    GetTaskPushNotificationConfigRequest, ListTaskPushNotificationConfigsRequest, Secret,
    TaskPushNotificationConfig,
};
use clap::{Args, Subcommand};

use super::{print, whom, whom::Whom};
use crate::cli::outcome::{Failure, print_json, say};

/// What `a2a push` does.
#[derive(Debug, Subcommand)]
pub(crate) enum PushCommand {
    /// Register a webhook for a task
    #[command(
        after_help = "Example:\n  forecourt a2a push create https://agent.example TASK https://hook.example/a2a"
    )]
    Create {
        #[command(flatten)]
        whom: Whom,
        /// The task's id
        task: String,
        #[command(flatten)]
        webhook: Box<Webhook>,
    },
    /// Print a webhook's registration
    #[command(after_help = "Example:\n  forecourt a2a push get https://agent.example TASK ID")]
    Get {
        #[command(flatten)]
        whom: Whom,
        /// The task's id
        task: String,
        /// The registration's id
        id: String,
    },
    /// List the webhooks of a task
    #[command(after_help = "Example:\n  forecourt a2a push list https://agent.example TASK")]
    List {
        #[command(flatten)]
        whom: Whom,
        /// The task's id
        task: String,
        /// Where to go on, as the page before says
        #[arg(long, value_name = "TOKEN")]
        page: Option<String>,
    },
    /// Drop a webhook
    #[command(after_help = "Example:\n  forecourt a2a push delete https://agent.example TASK ID")]
    Delete {
        #[command(flatten)]
        whom: Whom,
        /// The task's id
        task: String,
        /// The registration's id
        id: String,
    },
}

/// Where the agent calls, and how it says who it is.
#[derive(Debug, Args)]
pub(crate) struct Webhook {
    /// Address that the agent calls
    #[arg(value_name = "WEBHOOK")]
    webhook: String,
    /// Id of the registration [default: the agent makes one up]
    #[arg(long, value_name = "ID")]
    id: Option<String>,
    /// File with a token that each call repeats
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// Scheme of the `Authorization` that each call has
    #[arg(long, value_name = "NAME", requires = "credentials_file")]
    scheme: Option<String>,
    /// File with the credentials of that scheme
    #[arg(long, value_name = "FILE", requires = "scheme")]
    credentials_file: Option<PathBuf>,
}

impl Webhook {
    fn config(self, task: String) -> Result<TaskPushNotificationConfig, Failure> {
        let token = secret(self.token_file)?;
        let credentials = secret(self.credentials_file)?;
        Ok(TaskPushNotificationConfig {
            tenant: None,
            id: self.id,
            task_id: Some(task),
            url: self.webhook,
            token,
            authentication: self.scheme.map(|scheme| AuthenticationInfo {
                scheme,
                credentials,
            }),
        })
    }
}

/// The secret that a file holds.
fn secret(path: Option<PathBuf>) -> Result<Option<Secret>, Failure> {
    let Some(path) = path else {
        return Ok(None);
    };
    let text = std::fs::read_to_string(&path)
        .map_err(|error| Failure::usage(format!("{}: {error}", path.display())))?;
    Ok(Some(Secret::new(text.trim())))
}

pub(super) async fn run(command: PushCommand, json: bool) -> Result<ExitCode, Failure> {
    match command {
        PushCommand::Create {
            whom,
            task,
            webhook,
        } => {
            let config = webhook.config(task)?;
            let (client, options) = whom.client().await?;
            let config = client.create_push_config(config, &options).await;
            show(&config.map_err(whom::failure)?, json)
        }
        PushCommand::Get { whom, task, id } => {
            let (client, options) = whom.client().await?;
            let request = GetTaskPushNotificationConfigRequest {
                tenant: None,
                task_id: task,
                id,
            };
            let config = client.get_push_config(request, &options).await;
            show(&config.map_err(whom::failure)?, json)
        }
        PushCommand::List { whom, task, page } => {
            let (client, options) = whom.client().await?;
            let request = ListTaskPushNotificationConfigsRequest {
                task_id: task,
                page_token: page,
                ..ListTaskPushNotificationConfigsRequest::default()
            };
            let page = client.list_push_configs(request, &options).await;
            let page = page.map_err(whom::failure)?;
            if json {
                print_json(&page)?;
            } else {
                say(print::push_configs(&page))?;
            }
            Ok(ExitCode::SUCCESS)
        }
        PushCommand::Delete { whom, task, id } => {
            let (client, options) = whom.client().await?;
            let request = DeleteTaskPushNotificationConfigRequest {
                tenant: None,
                task_id: task,
                id,
            };
            let deleted = client.delete_push_config(request, &options).await;
            deleted.map_err(whom::failure)?;
            if json {
                print_json(&serde_json::json!({}))?;
            }
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn show(config: &TaskPushNotificationConfig, json: bool) -> Result<ExitCode, Failure> {
    if json {
        print_json(config)?;
    } else {
        say(print::push_config(config))?;
    }
    Ok(ExitCode::SUCCESS)
}
