//! Requests and webhooks.

use super::super::convert::{Convert, forms, needed, public, required};
use super::super::v0_3;
use crate::fault::At;
use crate::model::{
    AuthenticationInfo, CancelTaskRequest, DeleteTaskPushNotificationConfigRequest,
    GetExtendedAgentCardRequest, GetTaskPushNotificationConfigRequest, GetTaskRequest,
    HistoryLength, ListTaskPushNotificationConfigsRequest, ListTaskPushNotificationConfigsResponse,
    SendMessageConfiguration, SendMessageRequest, SubscribeToTaskRequest,
    TaskPushNotificationConfig,
};
use crate::v03::rules;

forms! {
    ListTaskPushNotificationConfigsResponse = v0_3::ListTaskPushNotificationConfigResponse {
        configs = "configs",
        next_page_token = "nextPageToken",
    }
}

public! {
    v0_3::SendMessageRequest => SendMessageRequest,
    v0_3::GetTaskRequest => GetTaskRequest,
    v0_3::CancelTaskRequest => CancelTaskRequest,
    v0_3::TaskSubscriptionRequest => SubscribeToTaskRequest,
    v0_3::GetAgentCardRequest => GetExtendedAgentCardRequest,
    v0_3::TaskPushNotificationConfig => TaskPushNotificationConfig,
    v0_3::CreateTaskPushNotificationConfigRequest => TaskPushNotificationConfig,
    v0_3::GetTaskPushNotificationConfigRequest => GetTaskPushNotificationConfigRequest,
    v0_3::DeleteTaskPushNotificationConfigRequest => DeleteTaskPushNotificationConfigRequest,
    v0_3::ListTaskPushNotificationConfigRequest => ListTaskPushNotificationConfigsRequest,
    v0_3::ListTaskPushNotificationConfigResponse => ListTaskPushNotificationConfigsResponse,
}

impl Convert<v0_3::SendMessageRequest> for SendMessageRequest {
    fn from_wire(old: v0_3::SendMessageRequest, at: At<'_>) -> Self {
        Self {
            tenant: None,
            message: needed(old.request, at.member("message")),
            configuration: Convert::from_wire(old.configuration, at.member("configuration")),
            metadata: Convert::from_wire(old.metadata, at.member("metadata")),
        }
    }

    fn into_wire(self, at: At<'_>) -> v0_3::SendMessageRequest {
        no_tenant(self.tenant.as_deref(), at);
        v0_3::SendMessageRequest {
            request: Some(self.message.into_wire(at.member("message"))),
            configuration: self.configuration.into_wire(at.member("configuration")),
            metadata: self.metadata.into_wire(at.member("metadata")),
        }
    }
}

/// A configuration that does not say `blocking` cannot be told from one that denies it.
impl Convert<v0_3::SendMessageConfiguration> for SendMessageConfiguration {
    fn from_wire(old: v0_3::SendMessageConfiguration, at: At<'_>) -> Self {
        let config = old.push_notification.map(|config| {
            let config: TaskPushNotificationConfig =
                Convert::from_wire(config, at.member("pushNotification"));
            config
        });
        Self {
            accepted_output_modes: old.accepted_output_modes,
            task_push_notification_config: config,
            history_length: read_history(old.history_length, at.member("historyLength")),
            return_immediately: !old.blocking,
        }
    }

    fn into_wire(self, at: At<'_>) -> v0_3::SendMessageConfiguration {
        v0_3::SendMessageConfiguration {
            accepted_output_modes: self.accepted_output_modes,
            push_notification: self.task_push_notification_config.into_wire(at),
            history_length: write_history(self.history_length, at),
            blocking: !self.return_immediately,
        }
    }
}

fn read_history(length: i32, at: At<'_>) -> Option<HistoryLength> {
    rules::history(Some(Convert::from_wire(length, at)))
}

fn write_history(length: Option<HistoryLength>, at: At<'_>) -> i32 {
    length.map_or(0, |length| length.into_wire(at))
}

impl Convert<v0_3::PushNotificationConfig> for TaskPushNotificationConfig {
    fn from_wire(old: v0_3::PushNotificationConfig, at: At<'_>) -> Self {
        Self {
            tenant: None,
            id: Convert::from_wire(old.id, at),
            task_id: None,
            url: required(old.url, at.member("url")),
            token: Convert::from_wire(old.token, at),
            authentication: Convert::from_wire(old.authentication, at.member("authentication")),
        }
    }

    fn into_wire(self, at: At<'_>) -> v0_3::PushNotificationConfig {
        v0_3::PushNotificationConfig {
            id: self.id.unwrap_or_default(),
            url: self.url,
            token: self.token.into_wire(at),
            authentication: self.authentication.into_wire(at),
        }
    }
}

impl Convert<v0_3::AuthenticationInfo> for AuthenticationInfo {
    fn from_wire(old: v0_3::AuthenticationInfo, at: At<'_>) -> Self {
        let scheme = old.schemes.into_iter().next();
        Self {
            scheme: required(scheme.unwrap_or_default(), at.member("schemes")),
            credentials: Convert::from_wire(old.credentials, at),
        }
    }

    fn into_wire(self, at: At<'_>) -> v0_3::AuthenticationInfo {
        v0_3::AuthenticationInfo {
            schemes: vec![self.scheme],
            credentials: self.credentials.into_wire(at),
        }
    }
}

impl Convert<v0_3::TaskPushNotificationConfig> for TaskPushNotificationConfig {
    fn from_wire(old: v0_3::TaskPushNotificationConfig, at: At<'_>) -> Self {
        let (task_id, id) = rules::config_name(&old.name);
        let config = old.push_notification_config;
        let config: Self = needed(config, at.member("pushNotificationConfig"));
        Self {
            id: config.id.or(id),
            task_id,
            ..config
        }
    }

    fn into_wire(self, at: At<'_>) -> v0_3::TaskPushNotificationConfig {
        v0_3::TaskPushNotificationConfig {
            name: rules::name_of(&self),
            push_notification_config: Some(self.into_wire(at)),
        }
    }
}

/// A configuration without an id has that of its task.
impl Convert<v0_3::CreateTaskPushNotificationConfigRequest> for TaskPushNotificationConfig {
    fn from_wire(old: v0_3::CreateTaskPushNotificationConfigRequest, at: At<'_>) -> Self {
        let config: Self = needed(old.config, at.member("config"));
        let task_id = rules::config_name(&old.parent).0.or(config.task_id);
        if task_id.is_none() {
            at.member("parent").fault("names no task");
        }
        let id = Some(old.config_id).filter(|id| !id.is_empty());
        Self {
            id: config.id.or(id).or_else(|| task_id.clone()),
            task_id,
            ..config
        }
    }

    fn into_wire(self, at: At<'_>) -> v0_3::CreateTaskPushNotificationConfigRequest {
        no_tenant(self.tenant.as_deref(), at);
        let task = self.task_id.clone().unwrap_or_default();
        v0_3::CreateTaskPushNotificationConfigRequest {
            parent: format!("tasks/{task}"),
            config_id: self.id.clone().unwrap_or_default(),
            config: Some(self.into_wire(at)),
        }
    }
}

/// Requests that name a task.
macro_rules! task_requests {
    ( $( $old:ident => $new:ident { $($extra:ident: $read:expr),* } ),* $(,)? ) => { $(
        impl Convert<v0_3::$old> for $new {
            fn from_wire(old: v0_3::$old, at: At<'_>) -> Self {
                Self {
                    tenant: None,
                    id: task_of(&old.name, at.member("name")),
                    $( $extra: $read, )*
                }
            }

            fn into_wire(self, at: At<'_>) -> v0_3::$old {
                no_tenant(self.tenant.as_deref(), at);
                v0_3::$old {
                    name: format!("tasks/{}", self.id),
                }
            }
        }
    )* };
}

task_requests! {
    CancelTaskRequest => CancelTaskRequest { metadata: None },
    TaskSubscriptionRequest => SubscribeToTaskRequest {},
}

impl Convert<v0_3::GetTaskRequest> for GetTaskRequest {
    fn from_wire(old: v0_3::GetTaskRequest, at: At<'_>) -> Self {
        Self {
            tenant: None,
            id: task_of(&old.name, at.member("name")),
            history_length: read_history(old.history_length, at.member("historyLength")),
        }
    }

    fn into_wire(self, at: At<'_>) -> v0_3::GetTaskRequest {
        no_tenant(self.tenant.as_deref(), at);
        v0_3::GetTaskRequest {
            name: format!("tasks/{}", self.id),
            history_length: write_history(self.history_length, at),
        }
    }
}

/// Requests that name a task's webhook.
macro_rules! config_requests {
    ($($name:ident),*) => { $(
        impl Convert<v0_3::$name> for $name {
            fn from_wire(old: v0_3::$name, at: At<'_>) -> Self {
                let (task_id, id) = config_of(&old.name, at.member("name"));
                Self {
                    tenant: None,
                    task_id,
                    id,
                }
            }

            fn into_wire(self, at: At<'_>) -> v0_3::$name {
                no_tenant(self.tenant.as_deref(), at);
                v0_3::$name {
                    name: format!("tasks/{}/pushNotificationConfigs/{}", self.task_id, self.id),
                }
            }
        }
    )* };
}

config_requests!(
    GetTaskPushNotificationConfigRequest,
    DeleteTaskPushNotificationConfigRequest
);

impl Convert<v0_3::ListTaskPushNotificationConfigRequest>
    for ListTaskPushNotificationConfigsRequest
{
    fn from_wire(old: v0_3::ListTaskPushNotificationConfigRequest, at: At<'_>) -> Self {
        Self {
            tenant: None,
            task_id: task_of(&old.parent, at.member("parent")),
            page_size: old.page_size,
            page_token: Convert::from_wire(old.page_token, at),
        }
    }

    fn into_wire(self, at: At<'_>) -> v0_3::ListTaskPushNotificationConfigRequest {
        no_tenant(self.tenant.as_deref(), at);
        v0_3::ListTaskPushNotificationConfigRequest {
            parent: format!("tasks/{}", self.task_id),
            page_size: self.page_size,
            page_token: self.page_token.unwrap_or_default(),
        }
    }
}

impl Convert<v0_3::GetAgentCardRequest> for GetExtendedAgentCardRequest {
    fn from_wire(_: v0_3::GetAgentCardRequest, _at: At<'_>) -> Self {
        Self::default()
    }

    fn into_wire(self, at: At<'_>) -> v0_3::GetAgentCardRequest {
        no_tenant(self.tenant.as_deref(), at);
        v0_3::GetAgentCardRequest {}
    }
}

fn no_tenant(tenant: Option<&str>, at: At<'_>) {
    if tenant.is_some() {
        at.member("tenant").fault("has no place in A2A 0.3");
    }
}

/// The task of a resource name.
fn task_of(name: &str, at: At<'_>) -> String {
    rules::config_name(name).0.unwrap_or_else(|| {
        at.fault("is not tasks/{task}");
        String::new()
    })
}

/// The task and the configuration of a resource name. One that stops at the task means the
/// configuration of the task's id.
fn config_of(name: &str, at: At<'_>) -> (String, String) {
    let (task, config) = rules::config_name(name);
    let Some(task) = task else {
        at.fault("is not tasks/{task}/pushNotificationConfigs/{config}");
        return (String::new(), String::new());
    };
    let config = config.unwrap_or_else(|| task.clone());
    (task, config)
}
