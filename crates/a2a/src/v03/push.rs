//! Webhooks, which have the same members in both JSON forms of 0.3.

use crate::model::{self, Secret};
use crate::protojson::message;

message! {
    /// A webhook.
    pub(crate) struct PushConfig {
        id: Option<String> = "id",
        url: String = "url" required,
        token: Option<Secret> = "token",
        authentication: Option<Authentication> = "authentication",
    }
}

message! {
    /// What a webhook asks for.
    struct Authentication {
        /// The first one is used.
        schemes: Vec<String> = "schemes" required,
        credentials: Option<Secret> = "credentials",
    }
}

impl PushConfig {
    /// The configuration without its task, which 0.3 names one level up.
    pub(crate) fn into_1_0(self) -> model::TaskPushNotificationConfig {
        model::TaskPushNotificationConfig {
            tenant: None,
            id: self.id,
            task_id: None,
            url: self.url,
            token: self.token,
            authentication: self.authentication.map(Authentication::into_1_0),
        }
    }
}

impl Authentication {
    fn into_1_0(self) -> model::AuthenticationInfo {
        model::AuthenticationInfo {
            scheme: self.schemes.into_iter().next().unwrap_or_default(),
            credentials: self.credentials,
        }
    }
}

impl From<model::TaskPushNotificationConfig> for PushConfig {
    fn from(new: model::TaskPushNotificationConfig) -> Self {
        Self {
            id: new.id,
            url: new.url,
            token: new.token,
            authentication: new.authentication.map(|authentication| Authentication {
                schemes: vec![authentication.scheme],
                credentials: authentication.credentials,
            }),
        }
    }
}
