//! From a message to artifacts.

use std::sync::Arc;

use a2a::{
    error::Error,
    model::{Artifact, Metadata, Part, TaskState},
};
use a2a_server::{
    Answer, BoxError, Call, Turn,
    task::{Ended, ListQuery, Owner, TaskSink, TaskStore},
};
use analyst::{Finding, Scope, Sources, analysis, question, render};
use leads::Vault;
use serde_json::json;
use store::Store;

use super::{
    access,
    asked::Asked,
    contract::CATALOG_CONTEXT,
    own,
    surface::Surface,
};
use crate::{config::analyst::AnalystSettings, lot::Lot, tasks::TenantTasks};

/// What a client reads when an answer fails for reasons that are none of its business.
const FAILED: &str = "The analysis service encountered an error. Please try again.";
/// The member of an artifact's metadata that the next question of the conversation goes on with.
const SCOPE: &str = "scope";

/// One dealer's analyst, for one message.
#[derive(Debug)]
pub(crate) struct Analyst {
    pub(crate) dealer: Arc<Lot>,
    pub(crate) store: Store,
    pub(crate) vault: Vault,
    pub(crate) tasks: Arc<TenantTasks>,
    pub(crate) settings: AnalystSettings,
}

/// What the work of a task needs.
struct Work {
    asked: Asked,
    sources: Sources,
    previous: Option<Scope>,
    surface: Option<Surface>,
    remarks: Vec<String>,
    repeats_parts: bool,
}

impl Analyst {
    /// Answers a message with a task.
    ///
    /// # Errors
    /// A key of another dealer, and what the database does not do.
    pub(crate) async fn answer(self, turn: Turn) -> Result<Answer, Error> {
        let dealer = self.dealer.id();
        if !self.settings.open && !access::is_of(&turn.call, dealer) {
            return Err(Error::permission_denied("the key is another dealer's"));
        }
        let surface = Surface::wanted(&turn.call, &turn.message);
        let context = turn.metadata.as_ref().and_then(|it| it.get(CATALOG_CONTEXT));
        let remarks = context.map(|context| self.hear(&turn.call, context));
        let sources = own::read(&self.store, &self.vault, dealer, self.dealer.dealer());
        let sources = sources.await.map_err(|error| internal(&error))?;
        let previous = self.previous(&turn).await?;
        let asked = Asked::of(turn.message);
        let kept = asked.kept.clone();
        let work = Work {
            asked,
            sources,
            previous,
            surface,
            remarks: remarks.unwrap_or_default(),
            repeats_parts: self.settings.repeat_parts,
        };
        let work = a2a_server::Work::new(move |sink| async move { work.run(&sink).await });
        Ok(Answer::Task(work.keeping(kept)))
    }

    /// The scope of the last question of the same conversation.
    async fn previous(&self, turn: &Turn) -> Result<Option<Scope>, Error> {
        let Some(context_id) = turn.message.context_id.clone() else {
            return Ok(None);
        };
        let query = ListQuery {
            owner: Owner::new(turn.call.tenant(), turn.call.caller()),
            context_id: Some(context_id),
            state: Some(TaskState::Completed),
            since: None,
            after: None,
            limit: 1,
            artifacts: true,
        };
        let page = self.tasks.list(&query).await.map_err(|error| internal(&error))?;
        let last = page.tasks.first().and_then(|task| task.artifacts.last());
        let metadata = last.and_then(|artifact| artifact.metadata.as_ref());
        let scope = metadata.and_then(|metadata| metadata.get(SCOPE));
        Ok(scope.and_then(|scope| serde_json::from_str(scope.get()).ok()))
    }
}

/// An error of ours: the cause is for the log.
fn internal(error: &dyn std::error::Error) -> Error {
    tracing::error!(error = %crate::explain(error), "the analyst could not answer");
    Error::internal(FAILED)
}

impl Work {
    async fn run(self, sink: &TaskSink) -> Result<(), BoxError> {
        match self.count(sink).await {
            Ok(()) => Ok(()),
            Err(Broken::Ended(_)) => Ok(()),
            Err(Broken::Interrupted(error)) => {
                tracing::error!(task = sink.task_id(), %error, "an analysis broke off");
                let message = sink.message(vec![Part::text(FAILED)]);
                Ok(sink.status(TaskState::Failed, Some(message)).await?)
            }
        }
    }
}
