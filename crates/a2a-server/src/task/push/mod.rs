//! Push notifications (A2A 1.0 §4.3): webhooks that are told what happens to a task.
//!
//! A webhook is a place in its task's log, like a reader of a stream, but the place is kept in the
//! [`PushStore`]: after a restart it goes on where it was. Each webhook is told in order, by one worker at
//! a time, beside the work and its streams, which never wait for it. A receiver that fails is tried again
//! with growing waits; what it does not take in the end is a [`DeadLetter`], and the next notification is
//! tried.
//!
//! Where a webhook may lead is judged by `egress`, when it is registered and when it is called.
//!
//! Follow a registration through `Push::register`, and a notification through `worker` to `letter`.

mod check;
mod letter;
mod store;
mod worker;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use a2a::error::{Error, ErrorKind};
use a2a::fault::{Fault, Segment};
use a2a::headers::ProtocolVersion;
use a2a::model::{
    DeleteTaskPushNotificationConfigRequest, GetTaskPushNotificationConfigRequest,
    ListTaskPushNotificationConfigsRequest, ListTaskPushNotificationConfigsResponse,
    TaskPushNotificationConfig, Timestamp,
};
use egress::Egress;

pub use store::{Claim, Claimed, DeadLetter, Progress, PushStore, Webhook};

use super::{Owner, StoreError, TaskKey, Tasks};
use crate::random_id;
use crate::task::run::failed;

/// How webhooks are told.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct PushSettings {
    /// How many webhooks a task may have; 10 by default.
    pub most_per_task: usize,
    /// How long a receiver may take for its answer; 10 s by default (A2A 1.0 §13.2 advises 10 to 30 s).
    pub timeout: Duration,
    /// How often a receiver is tried that fails in a row before a notification is given up; 10 by
    /// default.
    pub attempts: u32,
    /// The first wait after a failure, which doubles each time; 2 s by default.
    pub first_wait: Duration,
    /// The longest wait; 15 minutes by default.
    pub longest_wait: Duration,
}

impl Default for PushSettings {
    fn default() -> Self {
        Self {
            most_per_task: 10,
            timeout: Duration::from_secs(10),
            attempts: 10,
            first_wait: Duration::from_secs(2),
            longest_wait: Duration::from_mins(15),
        }
    }
}

impl PushSettings {
    /// How long to wait after so many failures in a row, when the receiver asks for a wait or not.
    fn backoff(&self, failures: u32, asked_for: Option<Duration>) -> Duration {
        let doublings = failures.saturating_sub(1).min(20);
        let wait = self.first_wait.saturating_mul(1 << doublings);
        // Receivers that failed together do not come back together.
        let spread =
            wait.mul_f64(f64::from(getrandom::u32().unwrap_or_default()) / u32::MAX as f64);
        let wait = wait + spread / 4;
        wait.max(asked_for.unwrap_or_default())
            .min(self.longest_wait)
    }

    /// How long a worker has a webhook to itself: longer than one notification takes.
    const fn lease(&self) -> Duration {
        Duration::from_secs(30).saturating_add(self.timeout.saturating_mul(3))
    }
}

/// Push notifications of an agent's tasks. Cheap to clone.
#[derive(Clone)]
pub struct Push(Arc<Inner>);

struct Inner {
    tasks: Tasks,
    store: Arc<dyn PushStore>,
    egress: Egress,
    settings: PushSettings,
    /// This process among those that use the store.
    holder: String,
}

impl Push {
    /// Push notifications of `tasks`, whose store is also `store`. `egress` says where webhooks may lead.
    #[must_use]
    pub fn new(
        tasks: Tasks,
        store: Arc<dyn PushStore>,
        egress: Egress,
        settings: PushSettings,
    ) -> Self {
        Self(Arc::new(Inner {
            tasks,
            store,
            egress,
            settings,
            holder: random_id(),
        }))
    }

    /// Tells webhooks what happens to their tasks, until `stop` resolves. A process runs this once,
    /// beside its server; what it does not finish the next one does.
    pub async fn run(&self, stop: impl Future<Output = ()>) {
        worker::run(self.clone(), stop).await;
    }

    /// Notifications that were given up, the oldest first, at most `most`.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn dead_letters(&self, most: usize) -> Result<Vec<DeadLetter>, StoreError> {
        self.0.store.dead_letters(most).await
    }

    /// Sends a notification once more that was given up, and forgets it when it is taken.
    ///
    /// # Errors
    /// [`ResendError`].
    pub async fn resend(&self, letter: &DeadLetter) -> Result<(), ResendError> {
        let webhooks = self.0.store.webhooks(&letter.key).await?;
        let webhook = webhooks.iter().find(|it| it.id() == letter.webhook_id);
        let webhook = webhook.ok_or(ResendError::NoWebhook)?;
        let body = self.body(webhook, letter).await?;
        let timeout = self.0.settings.timeout;
        let sent = letter::send(&self.0.egress, webhook, body, timeout).await;
        sent.map_err(|refusal| ResendError::Refused(refusal.reason))?;
        Ok(self.0.store.forget_dead_letter(letter).await?)
    }

    async fn body(
        &self,
        webhook: &Webhook,
        letter: &DeadLetter,
    ) -> Result<bytes::Bytes, ResendError> {
        let mut writer = letter::Writer::new(webhook.version);
        let before = letter.number.saturating_sub(1);
        let mut place = if writer.reads_everything() { 0 } else { before };
        while place < letter.number {
            let store = self.0.tasks.store();
            let entries = store.entries(&letter.key, place, 64).await?;
            for entry in &entries {
                let body = writer.body(entry).map_err(|_| ResendError::NoEntry)?;
                if entry.number == letter.number {
                    return body.ok_or(ResendError::NoEntry);
                }
            }
            place = entries.last().ok_or(ResendError::NoEntry)?.number;
        }
        Err(ResendError::NoEntry)
    }

    /// Judges a webhook before anything is done; `path` leads to it in the request.
    ///
    /// # Errors
    /// Invalid params with every fault.
    pub(crate) async fn check(
        &self,
        config: &TaskPushNotificationConfig,
        path: &[&str],
    ) -> Result<(), Error> {
        check::check(&self.0.egress, config, path).await
    }

    /// Registers a webhook that was judged. It is told what follows the entry `from`, or what comes from here on.
    pub(crate) async fn register(
        &self,
        key: &TaskKey,
        mut config: TaskPushNotificationConfig,
        version: ProtocolVersion,
        from: Option<u64>,
    ) -> Result<TaskPushNotificationConfig, Error> {
        config.task_id = Some(key.id.clone());
        let webhook = Webhook { config, version };
        let most = self.0.settings.most_per_task;
        let kept = self.0.store.put(key, &webhook, from, most).await;
        if !kept.map_err(|error| failure(key, &error))? {
            let message = format!("a task has at most {most} webhooks; delete one first");
            let place = vec![Segment::Member("id".to_owned())];
            return Err(Error::invalid_params(&[Fault::new(place, message)]));
        }
        self.0.tasks.told().registered();
        Ok(webhook.config)
    }

    /// Carries out `CreateTaskPushNotificationConfig`.
    pub(crate) async fn create(
        &self,
        owner: Owner,
        mut config: TaskPushNotificationConfig,
        version: ProtocolVersion,
    ) -> Result<TaskPushNotificationConfig, Error> {
        let key = TaskKey::new(owner, config.task_id.clone().unwrap_or_default());
        // Whether the task is there at all comes first.
        self.webhooks(&key).await?;
        let path: &[&str] = if version == ProtocolVersion::V0_3 {
            &["pushNotificationConfig"]
        } else {
            &[]
        };
        self.check(&config, path).await?;
        // Peers of 0.3 know one webhook of a task, by the task's id.
        let id = config.id.take().filter(|id| !id.is_empty());
        config.id = Some(id.unwrap_or_else(|| {
            if version == ProtocolVersion::V0_3 {
                key.id.clone()
            } else {
                random_id()
            }
        }));
        self.register(&key, config, version, None).await
    }

    /// Carries out `GetTaskPushNotificationConfig`.
    pub(crate) async fn get(
        &self,
        owner: Owner,
        request: GetTaskPushNotificationConfigRequest,
    ) -> Result<TaskPushNotificationConfig, Error> {
        let key = TaskKey::new(owner, request.task_id);
        let webhooks = self.webhooks(&key).await?;
        let found = webhooks.into_iter().find(|it| it.id() == request.id);
        found.map(|webhook| webhook.config).ok_or_else(|| {
            let message = "the task has no push notification configuration of this id";
            Error::new(ErrorKind::TaskNotFound, message)
        })
    }

    /// Carries out `ListTaskPushNotificationConfigs`. A page token is the id of the last one before.
    pub(crate) async fn list(
        &self,
        owner: Owner,
        request: ListTaskPushNotificationConfigsRequest,
    ) -> Result<ListTaskPushNotificationConfigsResponse, Error> {
        let key = TaskKey::new(owner, request.task_id);
        let token = request.page_token.unwrap_or_default();
        let webhooks = self.webhooks(&key).await?;
        let mut following = webhooks.into_iter().filter(|it| it.id() > token.as_str());
        let size = usize::try_from(request.page_size).map_err(|_| {
            let place = vec![Segment::Member("pageSize".to_owned())];
            Error::invalid_params(&[Fault::new(place, "is negative")])
        })?;
        let most = if size == 0 { usize::MAX } else { size };
        let page = following.by_ref().take(most);
        let configs: Vec<_> = page.map(|webhook| webhook.config).collect();
        let last = configs.last().and_then(|config| config.id.clone());
        Ok(ListTaskPushNotificationConfigsResponse {
            next_page_token: following.next().and(last).unwrap_or_default(),
            configs,
        })
    }

    /// Carries out `DeleteTaskPushNotificationConfig`.
    pub(crate) async fn delete(
        &self,
        owner: Owner,
        request: DeleteTaskPushNotificationConfigRequest,
    ) -> Result<(), Error> {
        let key = TaskKey::new(owner, request.task_id);
        let removed = self.0.store.remove(&key, &request.id).await;
        removed.map_err(|error| failure(&key, &error))
    }

    async fn webhooks(&self, key: &TaskKey) -> Result<Vec<Webhook>, Error> {
        let found = self.0.store.webhooks(key).await;
        found.map_err(|error| failure(key, &error))
    }

    fn now(&self) -> Timestamp {
        self.0.tasks.now()
    }
}

/// Why a notification that was given up was not sent once more.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ResendError {
    /// The webhook was deleted.
    #[error("the webhook is not there any more")]
    NoWebhook,
    /// The log does not hold it, or nothing is said about it.
    #[error("the task's log does not hold the notification")]
    NoEntry,
    /// The receiver did not take it.
    #[error("it was not taken: {0}")]
    Refused(String),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl fmt::Debug for Push {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Push")
            .field("settings", &self.0.settings)
            .finish_non_exhaustive()
    }
}

/// The answer to a caller whose task is not there, or whose store failed.
fn failure(key: &TaskKey, error: &StoreError) -> Error {
    match error {
        StoreError::Gone => Error::task_not_found(&key.id),
        other => failed(key, other),
    }
}
