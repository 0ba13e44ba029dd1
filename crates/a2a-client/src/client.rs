//! Calling an agent over the interfaces that its card offers.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use a2a::{
    card::{AgentCapabilities, AgentCard},
    headers::ProtocolVersion,
    jsonrpc::Id,
    method::Method,
    model::{
        CancelTaskRequest, DeleteTaskPushNotificationConfigRequest, GetExtendedAgentCardRequest,
        GetTaskPushNotificationConfigRequest, GetTaskRequest,
        ListTaskPushNotificationConfigsRequest, ListTaskPushNotificationConfigsResponse,
        ListTasksRequest, ListTasksResponse, SendMessageRequest, SendMessageResponse,
        StreamResponse, SubscribeToTaskRequest, Task, TaskPushNotificationConfig,
    },
    operation::{Operation, Outcome},
    rest::{MEDIA_TYPE, MEDIA_TYPE_JSON, Verb},
};
use bytes::Bytes;
use egress::{Egress, Incoming, Request};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use url::Url;

#[cfg(feature = "grpc")]
use crate::interface::Binding;
use crate::{
    connection::Begun,
    discover::Discovered,
    error::Error,
    events::Events,
    interface::{Choice, Interface},
    wire::{self, Outgoing},
};

/// A client of one agent, whose methods are the operations of A2A 1.0 (§3.1). Cheap to clone.
///
/// A call goes to the first interface that the client can call. One that cannot be reached, so that
/// nothing was sent, gives way to the next; the client stays with the one that answered. The tenant of
/// the interface is filled in.
///
/// Every method fails with any [`Error`] but those of discovery.
#[derive(Debug, Clone)]
pub struct Client {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    egress: Egress,
    /// At least one.
    interfaces: Vec<Interface>,
    /// Which of them answered last.
    current: AtomicUsize,
    capabilities: AgentCapabilities,
    /// For requests that name no message.
    next_id: AtomicU64,
}

/// What may differ from call to call.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct CallOptions {
    /// URIs of the extensions to activate (A2A 1.0 §4.6).
    pub extensions: Vec<String>,
    /// Credentials as the card's security schemes ask for them, and anything else that an agent wants
    /// in a header. Mark values [sensitive](HeaderValue::set_sensitive) that must not show in logs.
    pub headers: HeaderMap,
    /// Longest wait for the complete answer, and for the head of a stream; that of the [`Egress`] when
    /// absent.
    pub timeout: Option<Duration>,
    /// Longest silence of a stream, keep-alive comments counted as sound. A stream as a whole may take
    /// any time.
    pub idle_timeout: Duration,
    /// Most bytes of one event.
    pub event_limit: usize,
    /// How often, in a row, a stream is resumed that was lost.
    pub resumptions: u32,
    /// Calls also what the card does not declare.
    pub undeclared: bool,
}

impl Default for CallOptions {
    fn default() -> Self {
        Self {
            extensions: Vec::new(),
            headers: HeaderMap::new(),
            timeout: None,
            idle_timeout: Duration::from_secs(90),
            event_limit: 10 * 1024 * 1024,
            resumptions: 5,
            undeclared: false,
        }
    }
}

/// An answer whose head arrived, and what it answers.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) interface: Interface,
    pub(crate) id: Id,
    pub(crate) answer: Incoming,
}

impl Opened {
    /// Reads the whole answer.
    async fn outcome(self, method: Method) -> Result<Outcome, Error> {
        #[cfg(feature = "grpc")]
        if self.interface.binding == Binding::Grpc {
            return crate::grpc::outcome(self, method).await;
        }
        let response = self.answer.collect().await?;
        wire::read_outcome(&self.interface, method, &self.id, &response)
    }
}

impl Client {
    /// A client that speaks 1.0 with a discovered agent.
    ///
    /// # Errors
    /// [`Error::NoSupportedInterface`].
    pub fn new(egress: Egress, discovered: &Discovered) -> Result<Self, Error> {
        Self::with_choice(egress, discovered, &Choice::default())
    }

    /// A client that calls the interfaces of a choice.
    ///
    /// # Errors
    /// [`Error::NoSupportedInterface`].
    pub fn with_choice(
        egress: Egress,
        discovered: &Discovered,
        choice: &Choice,
    ) -> Result<Self, Error> {
        let shared = Shared {
            egress,
            interfaces: choice.interfaces(&discovered.card, &discovered.url)?,
            current: AtomicUsize::new(0),
            capabilities: discovered.card.capabilities.clone(),
            next_id: AtomicU64::new(1),
        };
        Ok(Self {
            shared: Arc::new(shared),
        })
    }

    /// The interface that calls go to: the one that answered last, at first the most wanted one.
    #[must_use]
    pub fn interface(&self) -> &Interface {
        let current = self.shared.current.load(Ordering::Relaxed);
        &self.shared.interfaces[current % self.shared.interfaces.len()]
    }

    /// The URL that calls go to.
    #[must_use]
    pub fn interface_url(&self) -> &Url {
        &self.interface().url
    }

    /// Sends a message and waits for the agent's answer, a task or a message (A2A 1.0 §3.1.1).
    ///
    /// # Errors
    /// See [`Client`].
    pub async fn send_message(
        &self,
        request: SendMessageRequest,
        options: &CallOptions,
    ) -> Result<SendMessageResponse, Error> {
        let outcome = self.call(Operation::SendMessage(request), options).await?;
        expect(outcome, |outcome| match outcome {
            Outcome::Sent(answer) => Some(answer),
            _ => None,
        })
    }

    /// Sends a message and follows what happens (A2A 1.0 §3.1.2). A stream that is lost is resumed.
    ///
    /// # Errors
    /// See [`Client`]; an error that the agent answers instead of a stream is told here.
    pub async fn stream(
        &self,
        request: SendMessageRequest,
        options: &CallOptions,
    ) -> Result<Events, Error> {
        let task_id = request.message.task_id.clone();
        let operation = Operation::SendStreamingMessage(request);
        let begun = self.begin(operation, options, None).await?;
        Ok(Events::new(self.clone(), options.clone(), task_id, begun))
    }

    /// Follows a task (A2A 1.0 §3.1.6): the task as it stands, then what happens. With the id of the
    /// last event seen, an agent that keeps its events goes on behind it. A task that has ended cannot be
    /// followed; it is read with `GetTask` and is the only event.
    ///
    /// # Errors
    /// See [`Client`].
    pub async fn subscribe(
        &self,
        task_id: &str,
        last_event_id: Option<&str>,
        options: &CallOptions,
    ) -> Result<Events, Error> {
        let begun = self
            .begin_subscription(task_id, last_event_id, options)
            .await?;
        let task_id = Some(task_id.to_owned());
        Ok(Events::new(self.clone(), options.clone(), task_id, begun))
    }

    /// Reads a task (A2A 1.0 §3.1.3).
    ///
    /// # Errors
    /// See [`Client`].
    pub async fn get_task(
        &self,
        request: GetTaskRequest,
        options: &CallOptions,
    ) -> Result<Task, Error> {
        task(self.call(Operation::GetTask(request), options).await?)
    }

    /// Finds tasks, one page at a time (A2A 1.0 §3.1.4).
    ///
    /// # Errors
    /// See [`Client`]; [`Error::Unwritable`] where the agent speaks 0.3, which has no such operation.
    pub async fn list_tasks(
        &self,
        request: ListTasksRequest,
        options: &CallOptions,
    ) -> Result<ListTasksResponse, Error> {
        let outcome = self.call(Operation::ListTasks(request), options).await?;
        expect(outcome, |outcome| match outcome {
            Outcome::Tasks(page) => Some(page),
            _ => None,
        })
    }

    /// Ends a task (A2A 1.0 §3.1.5).
    ///
    /// # Errors
    /// See [`Client`].
    pub async fn cancel_task(
        &self,
        request: CancelTaskRequest,
        options: &CallOptions,
    ) -> Result<Task, Error> {
        task(self.call(Operation::CancelTask(request), options).await?)
    }

    /// Registers a webhook for a task, which the configuration must name (A2A 1.0 §3.1.7).
    ///
    /// # Errors
    /// See [`Client`].
    pub async fn create_push_config(
        &self,
        config: TaskPushNotificationConfig,
        options: &CallOptions,
    ) -> Result<TaskPushNotificationConfig, Error> {
        let operation = Operation::create_push_config(config).map_err(|error| {
            let why = error.message;
            Error::Unwritable { why }
        })?;
        push_config(self.call(operation, options).await?)
    }

    /// Reads a webhook's registration (A2A 1.0 §3.1.8).
    ///
    /// # Errors
    /// See [`Client`].
    pub async fn get_push_config(
        &self,
        request: GetTaskPushNotificationConfigRequest,
        options: &CallOptions,
    ) -> Result<TaskPushNotificationConfig, Error> {
        let operation = Operation::GetTaskPushNotificationConfig(request);
        push_config(self.call(operation, options).await?)
    }

    /// Finds a task's webhooks (A2A 1.0 §3.1.9).
    ///
    /// # Errors
    /// See [`Client`].
    pub async fn list_push_configs(
        &self,
        request: ListTaskPushNotificationConfigsRequest,
        options: &CallOptions,
    ) -> Result<ListTaskPushNotificationConfigsResponse, Error> {
        let operation = Operation::ListTaskPushNotificationConfigs(request);
        let outcome = self.call(operation, options).await?;
        expect(outcome, |outcome| match outcome {
            Outcome::PushConfigs(page) => Some(page),
            _ => None,
        })
    }

    /// Drops a webhook (A2A 1.0 §3.1.10).
    ///
    /// # Errors
    /// See [`Client`].
    pub async fn delete_push_config(
        &self,
        request: DeleteTaskPushNotificationConfigRequest,
        options: &CallOptions,
    ) -> Result<(), Error> {
        let operation = Operation::DeleteTaskPushNotificationConfig(request);
        self.call(operation, options).await.map(drop)
    }

    /// Reads the card that only authenticated callers see (A2A 1.0 §3.1.11).
    ///
    /// # Errors
    /// See [`Client`].
    pub async fn get_extended_card(&self, options: &CallOptions) -> Result<AgentCard, Error> {
        let operation = Operation::GetExtendedAgentCard(GetExtendedAgentCardRequest::default());
        let outcome = self.call(operation, options).await?;
        expect(outcome, |outcome| match outcome {
            Outcome::AgentCard(card) => Some(*card),
            _ => None,
        })
    }

    /// Opens a stream of a task's events. A task that has ended is the only event.
    pub(crate) async fn begin_subscription(
        &self,
        task_id: &str,
        last_event_id: Option<&str>,
        options: &CallOptions,
    ) -> Result<Begun, Error> {
        let operation = Operation::SubscribeToTask(SubscribeToTaskRequest {
            tenant: None,
            id: task_id.to_owned(),
        });
        let refused = match self.begin(operation, options, last_event_id).await {
            Err(Error::Agent(error)) if may_mean_ended(&error) => Error::Agent(error),
            begun => return begun,
        };
        let request = GetTaskRequest {
            id: task_id.to_owned(),
            ..GetTaskRequest::default()
        };
        match self.get_task(request, options).await {
            Ok(task) if task.status.state.is_terminal() => {
                Ok(Begun::Only(Box::new(StreamResponse::Task(task))))
            }
            _ => Err(refused),
        }
    }

    async fn begin(
        &self,
        operation: Operation,
        options: &CallOptions,
        last_event_id: Option<&str>,
    ) -> Result<Begun, Error> {
        let method = operation.method();
        let opened = self.open(operation, options, last_event_id).await?;
        Begun::of(opened, method, options.event_limit).await
    }

    async fn call(&self, operation: Operation, options: &CallOptions) -> Result<Outcome, Error> {
        let method = operation.method();
        let opened = self.open(operation, options, None).await?;
        opened.outcome(method).await
    }

    /// Sends an operation to the first interface that can be reached.
    async fn open(
        &self,
        mut operation: Operation,
        options: &CallOptions,
        last_event_id: Option<&str>,
    ) -> Result<Opened, Error> {
        self.refuse_undeclared(operation.method(), options)?;
        let id = self.id_of(&operation);
        let shared = &*self.shared;
        let count = shared.interfaces.len();
        let first = shared.current.load(Ordering::Relaxed);
        let mut tried = 0;
        loop {
            let index = (first + tried) % count;
            let interface = &shared.interfaces[index];
            operation.set_tenant(interface.tenant.clone());
            let outgoing = wire::write(interface, &operation, &id)?;
            let call = Call {
                egress: &shared.egress,
                interface,
                options,
                last_event_id,
            };
            tried += 1;
            match call.send(outgoing, operation.method()).await {
                Err(Error::Network(error)) if tried < count && was_not_sent(&error) => {}
                Err(error) => return Err(error),
                Ok(answer) => {
                    shared.current.store(index, Ordering::Relaxed);
                    let interface = interface.clone();
                    return Ok(Opened {
                        interface,
                        id,
                        answer,
                    });
                }
            }
        }
    }

    /// What a card does not declare must not be called (A2A 1.0 §3.3.4).
    fn refuse_undeclared(&self, method: Method, options: &CallOptions) -> Result<(), Error> {
        let declared = &self.shared.capabilities;
        let (capability, is_declared) = match method {
            Method::SendStreamingMessage | Method::SubscribeToTask => {
                ("streaming", declared.streaming)
            }
            Method::CreateTaskPushNotificationConfig
            | Method::GetTaskPushNotificationConfig
            | Method::ListTaskPushNotificationConfigs
            | Method::DeleteTaskPushNotificationConfig => {
                ("pushNotifications", declared.push_notifications)
            }
            Method::GetExtendedAgentCard => ("extendedAgentCard", declared.extended_agent_card),
            Method::SendMessage | Method::GetTask | Method::ListTasks | Method::CancelTask => {
                return Ok(());
            }
        };
        if is_declared == Some(true) || options.undeclared {
            return Ok(());
        }
        Err(Error::NotDeclared { method, capability })
    }

    /// The id of a request: that of its message, which is unique, else the next number.
    fn id_of(&self, operation: &Operation) -> Id {
        match operation {
            Operation::SendMessage(request) | Operation::SendStreamingMessage(request) => {
                Id::from(request.message.message_id.as_str())
            }
            _ => Id::from(self.shared.next_id.fetch_add(1, Ordering::Relaxed)),
        }
    }
}

/// One request to one interface.
struct Call<'a> {
    egress: &'a Egress,
    interface: &'a Interface,
    options: &'a CallOptions,
    last_event_id: Option<&'a str>,
}

impl Call<'_> {
    /// Sends the request, and once more where the answer says how it would have been understood.
    async fn send(&self, mut outgoing: Outgoing, method: Method) -> Result<Incoming, Error> {
        let answer = self.request(&outgoing)?.open().await?;
        match answer.status {
            // The protocol's text and its definition name different verbs.
            StatusCode::METHOD_NOT_ALLOWED
                if method == Method::SubscribeToTask && outgoing.verb == Verb::Get =>
            {
                outgoing.verb = Verb::Post;
            }
            // Agents from before 1.0.1 may know the older media type only.
            StatusCode::UNSUPPORTED_MEDIA_TYPE if outgoing.content_type == MEDIA_TYPE => {
                outgoing.content_type = MEDIA_TYPE_JSON;
            }
            _ => return Ok(answer),
        }
        Ok(self.request(&outgoing)?.open().await?)
    }

    fn request(&self, outgoing: &Outgoing) -> Result<Request<'_>, Error> {
        let url = outgoing.url.as_str();
        let body = Bytes::from(outgoing.body.clone().unwrap_or_default());
        let mut request = match outgoing.verb {
            Verb::Get => self.egress.get(url),
            Verb::Post => self.egress.post(url, body),
            Verb::Delete => self.egress.delete(url),
        };
        for (name, value) in wire::media_headers(outgoing) {
            request = request.header(name, value);
        }
        #[cfg(feature = "grpc")]
        if self.interface.binding == Binding::Grpc {
            let trailers = HeaderValue::from_static("trailers");
            request = request.http2().header(http::header::TE, trailers);
        }
        let (name, value) = version_header(self.interface.version);
        request = request.header(name, value);
        let extensions = &self.options.extensions;
        let extensions = wire::extensions_header(self.interface.version, extensions)?;
        if let Some((name, value)) = extensions {
            request = request.header(name, value);
        }
        if let Some(id) = self.last_event_id.filter(|id| !id.is_empty()) {
            // One that does not fit into a header cannot be asked for; the stream begins anew.
            if let Ok(value) = HeaderValue::from_str(id) {
                request = request.header(HeaderName::from_static("last-event-id"), value);
            }
        }
        for (name, value) in &self.options.headers {
            request = request.header(name.clone(), value.clone());
        }
        if let Some(timeout) = self.options.timeout {
            request = request.timeout(timeout);
        }
        Ok(request)
    }
}

/// The header that says which version a request speaks (A2A 1.0 §3.6.1).
fn version_header(version: ProtocolVersion) -> (HeaderName, HeaderValue) {
    let value = match version {
        ProtocolVersion::V0_3 => HeaderValue::from_static("0.3"),
        _ => HeaderValue::from_static("1.0"),
    };
    (HeaderName::from_static("a2a-version"), value)
}

/// Whether a subscription is refused as that of a task that has ended (A2A 1.0 §3.1.6). Agents from
/// before 1.0 call the parameters invalid.
fn may_mean_ended(error: &a2a::error::Error) -> bool {
    use a2a::error::ErrorKind::{InvalidParams, UnsupportedOperation};
    matches!(error.kind, UnsupportedOperation | InvalidParams)
}

/// Whether the agent has seen nothing of the request.
fn was_not_sent(error: &egress::Error) -> bool {
    matches!(
        error,
        egress::Error::Unreachable { .. }
            | egress::Error::Tls { .. }
            | egress::Error::AddressBlocked { .. }
            | egress::Error::SchemeNotAllowed { .. }
            | egress::Error::InvalidUrl { .. }
    )
}

fn task(outcome: Outcome) -> Result<Task, Error> {
    expect(outcome, |outcome| match outcome {
        Outcome::Task(task) => Some(task),
        _ => None,
    })
}

fn push_config(outcome: Outcome) -> Result<TaskPushNotificationConfig, Error> {
    expect(outcome, |outcome| match outcome {
        Outcome::PushConfig(config) => Some(config),
        _ => None,
    })
}

/// The outcome's value. An outcome is read by its operation, so that it is of no other kind.
fn expect<T>(outcome: Outcome, value: impl FnOnce(Outcome) -> Option<T>) -> Result<T, Error> {
    value(outcome).ok_or_else(|| Error::Unwritable {
        why: "the operation and its outcome differ in kind".to_owned(),
    })
}
