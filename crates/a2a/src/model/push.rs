//! Push notification configurations (A2A 1.0 §4.3, §3.1.7 to §3.1.10).

use std::fmt;

use serde::{Serialize, Serializer};

use crate::fault::At;
use crate::protojson::{Field, Found, deserialize, message};

message! {
    /// Where and how to send notifications of a task; also the parameters and the result of
    /// `CreateTaskPushNotificationConfig`.
    #[derive(Default)]
    pub struct TaskPushNotificationConfig {
        /// The tenant of the chosen interface.
        pub tenant: Option<String> = "tenant",
        /// Unique within the task; the agent makes one up where it is missing.
        pub id: Option<String> = "id",
        /// The task; empty inside a `SendMessage` request.
        pub task_id: Option<String> = "taskId",
        /// Where to POST.
        pub url: String = "url" required,
        /// Handed back with each notification so that the receiver knows it.
        pub token: Option<Secret> = "token",
        /// What to put into the `Authorization` header.
        pub authentication: Option<AuthenticationInfo> = "authentication",
    }
}

message! {
    /// Credentials for a webhook.
    #[derive(Default)]
    pub struct AuthenticationInfo {
        /// An HTTP authentication scheme, such as `Bearer`, in any letter case.
        pub scheme: String = "scheme" required,
        /// What follows the scheme.
        pub credentials: Option<Secret> = "credentials",
    }
}

message! {
    /// The parameters of `GetTaskPushNotificationConfig`.
    #[derive(Default)]
    pub struct GetTaskPushNotificationConfigRequest {
        /// The tenant of the chosen interface.
        pub tenant: Option<String> = "tenant",
        /// The task.
        pub task_id: String = "taskId" required,
        /// The configuration.
        pub id: String = "id" required,
    }
}

message! {
    /// The parameters of `DeleteTaskPushNotificationConfig`.
    #[derive(Default)]
    pub struct DeleteTaskPushNotificationConfigRequest {
        /// The tenant of the chosen interface.
        pub tenant: Option<String> = "tenant",
        /// The task.
        pub task_id: String = "taskId" required,
        /// The configuration.
        pub id: String = "id" required,
    }
}

message! {
    /// The parameters of `ListTaskPushNotificationConfigs`.
    #[derive(Default)]
    pub struct ListTaskPushNotificationConfigsRequest {
        /// The tenant of the chosen interface.
        pub tenant: Option<String> = "tenant",
        /// The task.
        pub task_id: String = "taskId" required,
        /// How many to send at most.
        pub page_size: i32 = "pageSize",
        /// Where to go on.
        pub page_token: Option<String> = "pageToken",
    }
}

message! {
    /// One page of a task's push notification configurations.
    #[derive(Default)]
    pub struct ListTaskPushNotificationConfigsResponse {
        /// The configurations.
        pub configs: Vec<TaskPushNotificationConfig> = "configs",
        /// Where the next page begins; empty on the last one.
        pub next_page_token: String = "nextPageToken",
    }
}

/// Text that must not show in logs: it is written to the wire, and `Debug` hides it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Hides a text.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text itself.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl Field for Secret {
    const EXPECTED: &'static str = String::EXPECTED;

    fn absent() -> Self {
        Self(String::new())
    }

    fn is_unset(&self) -> bool {
        self.0.is_empty()
    }

    fn from_scalar(scalar: Found<'_>, at: At<'_>) -> Option<Self> {
        String::from_scalar(scalar, at).map(Self)
    }
}

deserialize!(Secret);
