//! From verb and path to operation.

use super::query::decode;
use crate::headers::ProtocolVersion;
use crate::method::Method;

/// The operation that a verb and a path ask for, and the ids in the path (A2A 1.0 §5.3, §11.3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    /// The operation.
    pub method: Method,
    /// 0.3 for paths that begin with `/v1`, else 1.0.
    pub version: ProtocolVersion,
    /// The tenant in front of the path, in 1.0.
    pub tenant: Option<String>,
    /// The task in the path.
    pub task_id: Option<String>,
    /// The push notification configuration in the path.
    pub config_id: Option<String>,
}

/// Why a request has no [`Route`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoRoute {
    /// No operation has such a path: status 404.
    #[error("there is no such path")]
    NotFound,
    /// The path is right and the verb is not: status 405.
    #[error("the path takes {allow}")]
    WrongVerb {
        /// The verbs of the path, as the `Allow` header lists them.
        allow: &'static str,
    },
}

impl Route {
    /// Finds the route of a request. `path` is the part below the interface's URL, percent-encoded and
    /// without the query: `/tasks/t-1`.
    ///
    /// # Errors
    ///
    /// [`NoRoute`] for an unknown path or another verb.
    pub fn find(verb: &str, path: &str) -> Result<Self, NoRoute> {
        let path = path.strip_prefix('/').ok_or(NoRoute::NotFound)?;
        let path = path.strip_suffix('/').unwrap_or(path);
        let segments: Vec<&str> = path.split('/').collect();
        // A tenant could be called `v1`, but then it could not be told from 0.3.
        if let ["v1", rest @ ..] = segments.as_slice() {
            return Place::of_0_3(rest).ok_or(NoRoute::NotFound)?.route(
                verb,
                ProtocolVersion::V0_3,
                None,
            );
        }
        if let Some(place) = Place::of_1_0(&segments) {
            return place.route(verb, ProtocolVersion::V1_0, None);
        }
        let [tenant, rest @ ..] = segments.as_slice() else {
            return Err(NoRoute::NotFound);
        };
        let place = Place::of_1_0(rest).filter(|_| !tenant.is_empty());
        let place = place.ok_or(NoRoute::NotFound)?;
        place.route(verb, ProtocolVersion::V1_0, Some(decode(tenant)))
    }
}

/// What a path names.
enum Place {
    Send,
    Stream,
    Tasks,
    Task(String),
    Cancel(String),
    Subscribe(String),
    Configs(String),
    Config(String, String),
    ExtendedCard,
}

impl Place {
    fn of_1_0(segments: &[&str]) -> Option<Self> {
        match segments {
            [card] if decode(card) == "extendedAgentCard" => Some(Self::ExtendedCard),
            _ => Self::of_both(segments),
        }
    }

    fn of_0_3(segments: &[&str]) -> Option<Self> {
        match segments {
            ["card"] => Some(Self::ExtendedCard),
            _ => Self::of_both(segments),
        }
    }

    fn of_both(segments: &[&str]) -> Option<Self> {
        match segments {
            ["tasks"] => Some(Self::Tasks),
            ["tasks", ""] => None,
            ["tasks", task] => Some(Self::task(task)),
            ["tasks", task, "pushNotificationConfigs"] if !task.is_empty() => {
                Some(Self::Configs(decode(task)))
            }
            ["tasks", task, "pushNotificationConfigs", config]
                if !task.is_empty() && !config.is_empty() =>
            {
                Some(Self::Config(decode(task), decode(config)))
            }
            // Some clients encode the colon.
            [one] => match decode(one).as_str() {
                "message:send" => Some(Self::Send),
                "message:stream" => Some(Self::Stream),
                _ => None,
            },
            _ => None,
        }
    }

    /// A task's segment, with an action behind its last colon or without one.
    fn task(segment: &str) -> Self {
        let action = |action: &str| {
            let split = |colon: &str| segment.strip_suffix(action)?.strip_suffix(colon);
            let id = split(":").or_else(|| split("%3A")).or_else(|| split("%3a"));
            id.filter(|id| !id.is_empty()).map(decode)
        };
        if let Some(id) = action("cancel") {
            return Self::Cancel(id);
        }
        if let Some(id) = action("subscribe") {
            return Self::Subscribe(id);
        }
        Self::Task(decode(segment))
    }

    fn route(
        self,
        verb: &str,
        version: ProtocolVersion,
        tenant: Option<String>,
    ) -> Result<Route, NoRoute> {
        let method = self.method(verb)?;
        let (task_id, config_id) = match self {
            Self::Send | Self::Stream | Self::Tasks | Self::ExtendedCard => (None, None),
            Self::Task(id) | Self::Cancel(id) | Self::Subscribe(id) | Self::Configs(id) => {
                (Some(id), None)
            }
            Self::Config(task, config) => (Some(task), Some(config)),
        };
        Ok(Route {
            method,
            version,
            tenant,
            task_id,
            config_id,
        })
    }

    fn method(&self, verb: &str) -> Result<Method, NoRoute> {
        let allow = match (self, verb) {
            (Self::Send, "POST") => return Ok(Method::SendMessage),
            (Self::Stream, "POST") => return Ok(Method::SendStreamingMessage),
            (Self::Tasks, "GET") => return Ok(Method::ListTasks),
            (Self::Task(_), "GET") => return Ok(Method::GetTask),
            (Self::Cancel(_), "POST") => return Ok(Method::CancelTask),
            // The protocol's text says POST, its definition in protocol buffers GET.
            (Self::Subscribe(_), "GET" | "POST") => return Ok(Method::SubscribeToTask),
            (Self::Configs(_), "GET") => return Ok(Method::ListTaskPushNotificationConfigs),
            (Self::Configs(_), "POST") => return Ok(Method::CreateTaskPushNotificationConfig),
            (Self::Config(..), "GET") => return Ok(Method::GetTaskPushNotificationConfig),
            (Self::Config(..), "DELETE") => return Ok(Method::DeleteTaskPushNotificationConfig),
            (Self::ExtendedCard, "GET") => return Ok(Method::GetExtendedAgentCard),
            (Self::Send | Self::Stream | Self::Cancel(_), _) => "POST",
            (Self::Tasks | Self::Task(_) | Self::ExtendedCard, _) => "GET",
            (Self::Subscribe(_) | Self::Configs(_), _) => "GET, POST",
            (Self::Config(..), _) => "GET, DELETE",
        };
        Err(NoRoute::WrongVerb { allow })
    }
}
