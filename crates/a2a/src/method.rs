//! The operations by their JSON-RPC method names (A2A 1.0 §5.3, §9.4).

/// An operation of A2A 1.0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Method {
    /// Send a message and wait for the answer.
    SendMessage,
    /// Send a message and follow what happens.
    SendStreamingMessage,
    /// Read a task.
    GetTask,
    /// Find tasks.
    ListTasks,
    /// End a task.
    CancelTask,
    /// Follow a task.
    SubscribeToTask,
    /// Register a webhook for a task.
    CreateTaskPushNotificationConfig,
    /// Read a webhook's registration.
    GetTaskPushNotificationConfig,
    /// Find a task's webhooks.
    ListTaskPushNotificationConfigs,
    /// Drop a webhook.
    DeleteTaskPushNotificationConfig,
    /// Read the card that only authenticated callers see.
    GetExtendedAgentCard,
}

/// An operation of A2A 0.3, whose JSON-RPC names have slashes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Method03(Method);

/// Every operation with its name in 1.0 and, where it has one, in 0.3.
const NAMES: [(Method, &str, Option<&str>); 11] = [
    (Method::SendMessage, "SendMessage", Some("message/send")),
    (
        Method::SendStreamingMessage,
        "SendStreamingMessage",
        Some("message/stream"),
    ),
    (Method::GetTask, "GetTask", Some("tasks/get")),
    (Method::ListTasks, "ListTasks", None),
    (Method::CancelTask, "CancelTask", Some("tasks/cancel")),
    (
        Method::SubscribeToTask,
        "SubscribeToTask",
        Some("tasks/resubscribe"),
    ),
    (
        Method::CreateTaskPushNotificationConfig,
        "CreateTaskPushNotificationConfig",
        Some("tasks/pushNotificationConfig/set"),
    ),
    (
        Method::GetTaskPushNotificationConfig,
        "GetTaskPushNotificationConfig",
        Some("tasks/pushNotificationConfig/get"),
    ),
    (
        Method::ListTaskPushNotificationConfigs,
        "ListTaskPushNotificationConfigs",
        Some("tasks/pushNotificationConfig/list"),
    ),
    (
        Method::DeleteTaskPushNotificationConfig,
        "DeleteTaskPushNotificationConfig",
        Some("tasks/pushNotificationConfig/delete"),
    ),
    (
        Method::GetExtendedAgentCard,
        "GetExtendedAgentCard",
        Some("agent/getAuthenticatedExtendedCard"),
    ),
];

impl Method {
    /// Every operation.
    pub fn all() -> impl Iterator<Item = Self> {
        NAMES.iter().map(|entry| entry.0)
    }

    /// Whether the answer is a stream of events.
    #[must_use]
    pub fn streams(self) -> bool {
        matches!(self, Self::SendStreamingMessage | Self::SubscribeToTask)
    }

    /// The operation of a 1.0 name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let entry = NAMES.iter().find(|entry| entry.1 == name);
        entry.map(|entry| entry.0)
    }

    /// The name in 1.0.
    #[must_use]
    pub fn name(self) -> &'static str {
        NAMES
            .iter()
            .find(|entry| entry.0 == self)
            .map_or("", |entry| entry.1)
    }
}

impl Method03 {
    /// The operation of 0.3 that does the same; `None` for `ListTasks`, which JSON-RPC lacks there.
    #[must_use]
    pub fn of(method: Method) -> Option<Self> {
        let entry = NAMES.iter().find(|entry| entry.0 == method);
        entry.and_then(|entry| entry.2).map(|_| Self(method))
    }

    /// The operation of a 0.3 name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let entry = NAMES.iter().find(|entry| entry.2 == Some(name));
        entry.map(|entry| Self(entry.0))
    }

    /// The name in 0.3.
    #[must_use]
    pub fn name(self) -> &'static str {
        let entry = NAMES.iter().find(|entry| entry.0 == self.0);
        entry.and_then(|entry| entry.2).unwrap_or_default()
    }

    /// The operation of 1.0 that does the same.
    #[must_use]
    pub fn counterpart(self) -> Method {
        self.0
    }
}

impl AsRef<str> for Method {
    fn as_ref(&self) -> &str {
        self.name()
    }
}

impl AsRef<str> for Method03 {
    fn as_ref(&self) -> &str {
        self.name()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back_to_their_operations() {
        assert_eq!(Method::all().count(), 11);
        for method in Method::all() {
            assert_eq!(Method::from_name(method.name()), Some(method));
            assert_eq!(Method03::from_name(method.name()), None);
        }
        assert_eq!(Method::from_name("sendMessage"), None);
        assert_eq!(Method::from_name(""), None);
    }

    #[test]
    fn slash_names_are_0_3() {
        let method = Method03::from_name("tasks/resubscribe").unwrap();
        assert_eq!(method.name(), "tasks/resubscribe");
        assert_eq!(method.counterpart(), Method::SubscribeToTask);
        assert_eq!(Method03::from_name("tasks/list"), None);
    }
}
