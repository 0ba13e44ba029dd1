//! What every binding does with an operation once it has read it.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use a2a::card::AgentCard;
use a2a::error::{Error, ErrorKind};
use a2a::headers::ProtocolVersion;
use a2a::method::Method;
use a2a::model::{
    Message, SendMessageRequest, SendMessageResponse, StreamResponse, TaskPushNotificationConfig,
};
use a2a::operation::{Operation, Outcome};
use futures_util::FutureExt as _;

use crate::task::push::Push;
use crate::task::{Begun, Owner, StreamEvent, Subscription, TaskKey, Tasks, shorten};
use crate::{Agent, Answer, Call, Turn, correlation_id};

/// Carries out operations for agents. It holds no agent, so that one handler can serve whichever agent a
/// request is for.
#[derive(Debug, Clone, Default)]
pub struct Handler {
    tasks: Option<Tasks>,
    push: Option<Push>,
    /// Streams and subscriptions are refused, as a card without `streaming` says.
    without_streams: bool,
    extended_card: ExtendedCard,
    /// What callers read of internal errors.
    internal_words: Option<&'static str>,
}

/// The card that only callers see who have proven who they are.
#[derive(Debug, Clone, Default)]
enum ExtendedCard {
    #[default]
    NotDeclared,
    /// The agent's card declares one.
    Missing,
    Card(Arc<AgentCard>),
}

/// What an operation comes to.
#[derive(Debug)]
pub enum Reply {
    /// One result.
    Once(Box<Outcome>),
    /// Events until the stream ends.
    Stream(EventStream),
}

/// The events of an answer.
#[derive(Debug)]
pub struct EventStream(Source);

#[derive(Debug)]
enum Source {
    /// A direct answer and nothing else.
    Message(Option<Box<Message>>),
    Task(Subscription),
}

impl EventStream {
    /// The next event; `None` at the end of the stream.
    ///
    /// # Errors
    /// When the task cannot be read any more. Nothing follows then.
    pub async fn next(&mut self) -> Result<Option<StreamEvent>, Error> {
        match &mut self.0 {
            Source::Message(message) => Ok(message.take().map(|message| StreamEvent {
                number: 0,
                event: StreamResponse::Message(*message),
                is_last: true,
            })),
            Source::Task(subscription) => subscription.next().await,
        }
    }

    /// The next event, if it is at hand and nothing has to be waited for.
    pub(crate) fn at_hand(&mut self) -> Option<StreamEvent> {
        match &mut self.0 {
            Source::Message(_) => None,
            Source::Task(subscription) => subscription.at_hand(),
        }
    }
}

impl Handler {
    /// A handler for agents that answer directly and have no tasks.
    #[must_use]
    pub const fn direct() -> Self {
        Self {
            tasks: None,
            push: None,
            without_streams: false,
            extended_card: ExtendedCard::NotDeclared,
            internal_words: None,
        }
    }

    /// A handler for agents that have tasks.
    #[must_use]
    pub const fn with_tasks(tasks: Tasks) -> Self {
        Self {
            tasks: Some(tasks),
            push: None,
            without_streams: false,
            extended_card: ExtendedCard::NotDeclared,
            internal_words: None,
        }
    }

    /// The same handler for an agent whose card does not offer streaming (A2A 1.0 §3.3.4).
    #[must_use]
    pub const fn without_streams(mut self) -> Self {
        self.without_streams = true;
        self
    }

    /// The same handler for agents whose card declares an extended one (`capabilities.extendedAgentCard`);
    /// `None` as long as there is none (A2A 1.0 §3.1.11). It is for authenticated callers, so that the
    /// endpoint needs a [`Guard`](crate::Guard) that finds out who calls.
    #[must_use]
    pub fn with_extended_card(mut self, card: Option<AgentCard>) -> Self {
        self.extended_card = match card {
            None => ExtendedCard::Missing,
            Some(card) => ExtendedCard::Card(Arc::new(card)),
        };
        self
    }

    /// The same handler, which also sends push notifications of its tasks. Somebody has to
    /// [run](Push::run) them.
    #[must_use]
    pub fn with_push(mut self, push: Push) -> Self {
        self.push = Some(push);
        self
    }

    /// The same handler, which tells callers nothing but these words of whatever fails on this side, where
    /// it otherwise tells them under which id that is in the log.
    #[must_use]
    pub const fn saying(mut self, words: &'static str) -> Self {
        self.internal_words = Some(words);
        self
    }

    /// Whether an operation is served at all. One that the protocol knows gets the error that says so,
    /// instead of "method not found" (A2A 1.0 §3.3.4).
    ///
    /// # Errors
    /// The error for the caller.
    pub fn offers(&self, method: Method) -> Result<(), Error> {
        match method {
            Method::SendMessage => Ok(()),
            Method::CreateTaskPushNotificationConfig
            | Method::GetTaskPushNotificationConfig
            | Method::ListTaskPushNotificationConfigs
            | Method::DeleteTaskPushNotificationConfig => self.push().map(drop),
            Method::GetExtendedAgentCard => self.extended_card().map(drop),
            _ if self.without_streams && method.streams() => {
                Err(Error::unsupported_operation(method))
            }
            _ if self.tasks.is_some() => Ok(()),
            _ => Err(Error::unsupported_operation(method)),
        }
    }

    /// Carries out an operation.
    ///
    /// # Errors
    /// The error for the caller.
    pub async fn call<A: Agent>(
        &self,
        agent: &A,
        operation: Operation,
        call: Call,
    ) -> Result<Reply, Error> {
        let reply = self.carry_out(agent, operation, call).await;
        reply.map_err(|error| match self.internal_words {
            Some(words) if error.kind == ErrorKind::Internal => Error::internal(words),
            _ => error,
        })
    }

    async fn carry_out<A: Agent>(
        &self,
        agent: &A,
        operation: Operation,
        call: Call,
    ) -> Result<Reply, Error> {
        let method = operation.method();
        self.offers(method)?;
        let tenant = call.tenant().or(operation.tenant()).map(str::to_owned);
        let call = call.with_tenant(tenant);
        let owner = Owner::new(call.tenant(), call.caller());
        let tasks = || {
            self.tasks
                .as_ref()
                .ok_or(Error::unsupported_operation(method))
        };
        let key = |id: String| TaskKey::new(owner.clone(), id);
        match operation {
            Operation::SendMessage(request) => {
                let sent = self.send(agent, request, call, owner).await?;
                Ok(once(Outcome::Sent(sent)))
            }
            Operation::SendStreamingMessage(request) => {
                let stream = self.stream(agent, request, call, owner).await?;
                Ok(Reply::Stream(EventStream(stream)))
            }
            Operation::GetTask(request) => {
                let mut task = tasks()?.get(&key(request.id)).await?;
                shorten(&mut task, request.history_length);
                Ok(once(Outcome::Task(task)))
            }
            Operation::ListTasks(request) => {
                let page = tasks()?.list(owner, &request).await?;
                Ok(once(Outcome::Tasks(page)))
            }
            Operation::CancelTask(request) => {
                let task = tasks()?.cancel(&key(request.id)).await?;
                Ok(once(Outcome::Task(task)))
            }
            Operation::SubscribeToTask(request) => {
                let seen = last_seen(&call)?;
                let subscription = tasks()?.subscribe(&key(request.id), seen).await?;
                Ok(Reply::Stream(EventStream(Source::Task(subscription))))
            }
            Operation::CreateTaskPushNotificationConfig(config) => {
                let created = self.push()?.create(owner, config, call.version()).await?;
                Ok(once(Outcome::PushConfig(created)))
            }
            Operation::GetTaskPushNotificationConfig(request) => {
                let found = self.push()?.get(owner, request).await?;
                Ok(once(Outcome::PushConfig(found)))
            }
            Operation::ListTaskPushNotificationConfigs(request) => {
                let page = self.push()?.list(owner, request).await?;
                Ok(once(Outcome::PushConfigs(page)))
            }
            Operation::DeleteTaskPushNotificationConfig(request) => {
                self.push()?.delete(owner, request).await?;
                Ok(once(Outcome::Deleted))
            }
            Operation::GetExtendedAgentCard(_) => {
                let card = self.extended_card()?;
                if call.caller().is_none() {
                    return Err(Error::unauthenticated());
                }
                Ok(once(Outcome::AgentCard(Box::new(card.clone()))))
            }
        }
    }

    fn push(&self) -> Result<&Push, Error> {
        let push = self.push.as_ref();
        push.ok_or_else(Error::push_notification_not_supported)
    }

    fn extended_card(&self) -> Result<&AgentCard, Error> {
        match &self.extended_card {
            ExtendedCard::NotDeclared => {
                Err(Error::unsupported_operation(Method::GetExtendedAgentCard))
            }
            ExtendedCard::Missing => Err(Error::extended_agent_card_not_configured()),
            ExtendedCard::Card(card) => Ok(card),
        }
    }

    async fn send<A: Agent>(
        &self,
        agent: &A,
        request: SendMessageRequest,
        call: Call,
        owner: Owner,
    ) -> Result<SendMessageResponse, Error> {
        let configuration = request.configuration.as_ref();
        let at_once = configuration.is_some_and(|it| it.return_immediately);
        let history = configuration.and_then(|it| it.history_length);
        match self.turn(agent, request, call, owner).await? {
            Turned::Message(message) => Ok(SendMessageResponse::Message(message)),
            Turned::Task(begun) => {
                let task = begun.answer(at_once, history).await?;
                Ok(SendMessageResponse::Task(task))
            }
        }
    }

    async fn stream<A: Agent>(
        &self,
        agent: &A,
        request: SendMessageRequest,
        call: Call,
        owner: Owner,
    ) -> Result<Source, Error> {
        let seen = last_seen(&call)?;
        match self.turn(agent, request, call, owner).await? {
            Turned::Message(message) => Ok(Source::Message(Some(Box::new(message)))),
            Turned::Task(begun) => Ok(Source::Task(begun.follow(seen).await?)),
        }
    }

    /// The webhook that a message asks for. An answer that is a message has no use for it.
    async fn webhook(
        &self,
        request: &SendMessageRequest,
        version: ProtocolVersion,
    ) -> Result<Option<Asked<'_>>, Error> {
        let configuration = request.configuration.as_ref();
        let config = configuration.and_then(|it| it.task_push_notification_config.clone());
        let Some(config) = config else {
            return Ok(None);
        };
        let push = self.push()?;
        let name = if version == ProtocolVersion::V0_3 {
            "pushNotificationConfig"
        } else {
            "taskPushNotificationConfig"
        };
        push.check(&config, &["configuration", name]).await?;
        Ok(Some(Asked {
            push,
            config,
            version,
        }))
    }

    /// Hands a message to the agent, or to the work that waits for it.
    async fn turn<A: Agent>(
        &self,
        agent: &A,
        request: SendMessageRequest,
        call: Call,
        owner: Owner,
    ) -> Result<Turned, Error> {
        let Some(tasks) = &self.tasks else {
            return direct(agent, request, call).await;
        };
        let webhook = self.webhook(&request, call.version()).await?;
        let mut turn = Turn::new(request, call);
        // Since 1.0 a conversation that is not the task's is refused (A2A 1.0 §3.4.3). In 0.3 the task
        // decides: its clients make one up where they have not read the task's own.
        if turn.call.version() == ProtocolVersion::V0_3 && turn.message.task_id.is_some() {
            turn.message.context_id = None;
        }
        for id in &turn.message.reference_task_ids {
            let key = TaskKey::new(owner.clone(), id);
            turn.referenced.push(tasks.get(&key).await?);
        }
        let Some(id) = turn.message.task_id.clone() else {
            if let Some(begun) = tasks.repeated(&owner, &turn.message).await? {
                return Ok(Turned::Task(begun));
            }
            let message = turn.message.clone();
            return match answer(agent, turn).await? {
                Answer::Message(message) => Ok(Turned::Message(message)),
                Answer::Task(mut work) => {
                    let kept = work.kept.take();
                    let mut begun = tasks.begin(&owner, message, kept).await?;
                    if begun.is_new() {
                        // From its first entry, so that nothing is missed.
                        if let Err(error) = register(webhook, &begun, 0).await {
                            tasks.abandon(&begun).await;
                            return Err(error);
                        }
                        tasks.start(&mut begun, work);
                    }
                    Ok(Turned::Task(begun))
                }
            };
        };
        let key = TaskKey::new(owner, id);
        let (mut begun, delivered) = tasks.go_on(&key, turn.message.clone()).await?;
        if begun.is_new() {
            register(webhook, &begun, begun.number()).await?;
        }
        if !delivered {
            turn.task = Some(Box::new(begun.task()));
            match answer(agent, turn).await? {
                Answer::Message(message) => return Ok(Turned::Message(message)),
                Answer::Task(work) => tasks.start(&mut begun, work),
            }
        }
        Ok(Turned::Task(begun))
    }
}

/// A webhook that a message asks for, judged and not yet registered.
struct Asked<'a> {
    push: &'a Push,
    config: TaskPushNotificationConfig,
    version: ProtocolVersion,
}

/// Registers the webhook that a message asks for; it is told what follows the entry `from`.
async fn register(asked: Option<Asked<'_>>, begun: &Begun, from: u64) -> Result<(), Error> {
    let Some(mut asked) = asked else {
        return Ok(());
    };
    // The same for a message that comes once more.
    let id = asked.config.id.take().filter(|id| !id.is_empty());
    asked.config.id = id.or_else(|| Some(begun.key().id.clone()));
    let (push, config) = (asked.push, asked.config);
    let registered = push.register(begun.key(), config, asked.version, Some(from));
    registered.await.map(drop)
}

enum Turned {
    Message(Message),
    Task(Begun),
}

/// Answers without anything that tasks need.
async fn direct<A: Agent>(
    agent: &A,
    request: SendMessageRequest,
    call: Call,
) -> Result<Turned, Error> {
    // Answers are direct, so there is no task that a message could continue (A2A 1.0 §3.4.2).
    if let Some(task) = &request.message.task_id {
        return Err(Error::task_not_found(task));
    }
    match answer(agent, Turn::new(request, call)).await? {
        Answer::Message(message) => Ok(Turned::Message(message)),
        Answer::Task(_) => {
            let correlation = correlation_id();
            tracing::error!(correlation, "the agent began a task where none are kept");
            let message = format!("the agent's answer is none; it is logged as {correlation}");
            Err(Error::new(ErrorKind::InvalidAgentResponse, message))
        }
    }
}

/// The panic itself may hold a caller's data, so it goes neither to the caller nor to the log; the
/// panic hook has told where it happened.
async fn answer<A: Agent>(agent: &A, turn: Turn) -> Result<Answer, Error> {
    let answer = AssertUnwindSafe(async { agent.answer(turn).await }).catch_unwind();
    answer.await.unwrap_or_else(|_panic| {
        let correlation = correlation_id();
        tracing::error!(correlation, "the agent panicked");
        let message = format!("internal error; it is logged as {correlation}");
        Err(Error::internal(message))
    })
}

fn once(outcome: Outcome) -> Reply {
    Reply::Once(Box::new(outcome))
}

/// The event behind which a client goes on.
fn last_seen(call: &Call) -> Result<Option<u64>, Error> {
    let Some(id) = call.last_event_id() else {
        return Ok(None);
    };
    id.trim().parse().map(Some).map_err(|_| {
        let message =
            "Last-Event-ID is not an id of this server; leave it out to begin with the task";
        Error::invalid_request(message)
    })
}
