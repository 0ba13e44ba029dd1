//! From a message to artifacts.

use std::sync::Arc;

use a2a::{
    error::{Error, ErrorKind},
    model::{Artifact, Metadata, Part, TaskState},
};
use a2a_server::{
    Answer, BoxError, Turn, Work,
    task::{Ended, ListQuery, Owner, TaskSink, TaskStore},
};
use analyst::{Finding, Intent, Plan, Sources, render};
use serde_json::json;
use store::Store;

use super::{
    access, asked::Asked, context::Context, contract::CATALOG_CONTEXT, kept::KeptTables,
    model::Model, own, seller::Seller, surface::Surface,
};
use crate::{config::AnalystSettings, tasks::TenantTasks};

/// What a client reads when an answer fails for reasons that are none of its business.
pub(crate) const FAILED: &str = "The analysis service encountered an error. Please try again.";
/// The member of an artifact's metadata with what the next question of the conversation goes on with.
const INTENTS: &str = "intents";

/// One seller's analyst, for one message.
#[derive(Debug)]
pub(crate) struct Analyst {
    pub(crate) seller: Seller,
    pub(crate) tables: Arc<KeptTables>,
    pub(crate) store: Store,
    pub(crate) tasks: Arc<TenantTasks>,
    pub(crate) settings: AnalystSettings,
    pub(crate) model: Option<Arc<Model>>,
}

/// What is to be counted, and how it is handed out.
struct Analysis {
    asked: Asked,
    sources: Sources,
    /// What every answer says of the sources.
    remarks: Vec<String>,
    previous: Vec<Intent>,
    context: Context,
    surface: Option<Surface>,
    repeats_parts: bool,
    model: Option<Arc<Model>>,
}

impl Analyst {
    /// Answers a message with a task.
    ///
    /// # Errors
    /// A key of another seller, a `catalog_context` that is none, and what the database does not do.
    pub(crate) async fn answer(self, turn: Turn) -> Result<Answer, Error> {
        let id = self.seller.id();
        if !self.settings.open && !access::is_of(&turn.call, id) {
            let words = "the key is another seller's";
            return Err(Error::new(ErrorKind::PermissionDenied, words));
        }
        let is_trusted = access::is_trusted(&turn.call);
        let context = turn.metadata.as_ref();
        let context = context.and_then(|metadata| metadata.get(CATALOG_CONTEXT));
        let context = Context::read(context, is_trusted, id)?;
        let own = self.tables.of(&self.seller).await;
        let own = own.map_err(|error| self.internal(&error))?;
        let mut sources = own.sources();
        let leads = own::leads(&self.store, &self.seller).await;
        sources.leads = leads.map_err(|error| self.internal(&error))?;
        let previous = self.previous(&turn).await?;
        let surface = Surface::wanted(&turn.call, &turn.message);
        let asked = Asked::of(turn.message);
        let kept = asked.kept.clone();
        let analysis = Analysis {
            asked,
            sources,
            remarks: own.remarks.clone(),
            previous,
            context,
            surface,
            repeats_parts: self.settings.repeat_parts,
            model: self.model,
        };
        let work = Work::new(move |sink| async move { analysis.run(&sink).await });
        Ok(Answer::Task(work.keeping(kept)))
    }

    /// What the last question of the same conversation asked for.
    async fn previous(&self, turn: &Turn) -> Result<Vec<Intent>, Error> {
        let Some(context_id) = turn.message.context_id.clone() else {
            return Ok(Vec::new());
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
        let page = self.tasks.list(&query).await;
        let page = page.map_err(|error| self.internal(&error))?;
        let last = page.tasks.first().and_then(|task| task.artifacts.first());
        let metadata = last.and_then(|artifact| artifact.metadata.as_ref());
        let intents = metadata.and_then(|metadata| metadata.get(INTENTS));
        let intents = intents.and_then(|intents| serde_json::from_str(intents.get()).ok());
        Ok(intents.unwrap_or_default())
    }

    /// An error of ours, whose cause is for the log.
    fn internal(&self, error: &dyn std::error::Error) -> Error {
        let correlation = self.store.clock().new_id();
        let error = crate::explain(error);
        tracing::error!(%correlation, %error, "the analyst could not answer");
        Error::internal(FAILED)
    }
}

/// Why work on a task ends early.
enum Broken {
    /// The task has ended without it.
    Ended,
    /// A thread was lost.
    Lost(tokio::task::JoinError),
}

impl From<Ended> for Broken {
    fn from(_: Ended) -> Self {
        Self::Ended
    }
}

impl Analysis {
    async fn run(self, sink: &TaskSink) -> Result<(), BoxError> {
        match self.count(sink).await {
            Ok(()) | Err(Broken::Ended) => Ok(()),
            Err(Broken::Lost(error)) => {
                tracing::error!(task = sink.task_id(), %error, "an analysis broke off");
                let message = sink.message(vec![Part::text(FAILED)]);
                Ok(sink.status(TaskState::Failed, Some(message)).await?)
            }
        }
    }

    /// Hands out an artifact for each analysis as it is ready, the first one with the answer to the
    /// first question.
    async fn count(self, sink: &TaskSink) -> Result<(), Broken> {
        let Self {
            asked,
            mut sources,
            remarks,
            previous,
            context,
            surface,
            repeats_parts,
            model,
        } = self;
        working(sink, "Reading the data").await?;
        let Asked {
            question, files, ..
        } = asked;
        let words = question.clone();
        let (sources, previous, mut plan) = aside(move || {
            sources.attached = files.into_iter().map(super::asked::File::read).collect();
            let plan = Plan::of(&words, &sources, &previous);
            (sources, previous, plan)
        })
        .await?;
        if let Some(model) = &model {
            plan = model.read(plan, &question, &sources, &previous).await;
        }
        plan.narrow(&[], &remarks);
        context.narrow(&mut plan);
        let (sources, plan) = (Arc::new(sources), Arc::new(plan));
        let skills: Vec<_> = plan.skills().collect();
        let mut parts = Vec::new();
        for (place, skill) in skills.into_iter().enumerate() {
            working(sink, &format!("Counting: {}", skill.title())).await?;
            let id = format!("{}-{}", place + 1, skill.id());
            let surface_id = format!("{}-{id}", sink.task_id());
            let found = {
                let (sources, plan) = (Arc::clone(&sources), Arc::clone(&plan));
                aside(move || plan.find(place, &sources))
            };
            let Some(mut finding) = found.await? else {
                continue;
            };
            if let Some(model) = &model {
                model.word(&mut finding, &question).await;
            }
            let plan = Arc::clone(&plan);
            let artifact =
                aside(move || artifact(&id, &finding, &plan, surface, &surface_id)).await?;
            if repeats_parts {
                parts.extend(artifact.parts.iter().cloned());
            }
            sink.artifact(artifact).await?;
        }
        let message = (!parts.is_empty()).then(|| sink.message(parts));
        Ok(sink.complete(message).await?)
    }
}

async fn working(sink: &TaskSink, words: &str) -> Result<(), Broken> {
    let message = sink.message(vec![Part::text(words)]);
    Ok(sink.working(Some(message)).await?)
}

/// Counting takes milliseconds to seconds, during which the runtime has requests to serve.
async fn aside<T: Send + 'static>(count: impl FnOnce() -> T + Send + 'static) -> Result<T, Broken> {
    tokio::task::spawn_blocking(count)
        .await
        .map_err(Broken::Lost)
}

/// A finding for clients: the text first, all rows as CSV where the text has cut them, then what draws it.
fn artifact(
    id: &str,
    finding: &Finding,
    plan: &Plan,
    surface: Option<Surface>,
    surface_id: &str,
) -> Artifact {
    let mut artifact = Artifact::new(id).with_name(finding.skill.title());
    artifact.parts.push(Part::text(render::text(finding)));
    if let Some(csv) = render::csv(finding) {
        let file = Part::raw(csv).with_media_type("text/csv");
        let name = format!("{}.csv", finding.skill.id());
        artifact.parts.push(file.with_filename(name));
    }
    if let Some(surface) = surface {
        artifact.parts.extend(surface.parts(finding, surface_id));
        artifact.extensions.push(surface.extension().to_owned());
    }
    let metadata = json!({
        "evidence": render::evidence(finding),
        "finding": render::finding(finding),
        INTENTS: plan.intents,
    });
    artifact.metadata = Metadata::new(&metadata).ok();
    artifact
}
