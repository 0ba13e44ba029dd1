//! What a running server does for itself: it reads its configuration again when it is told to, renews
//! its certificate, and makes its backups.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use a2a_server::tls::Tls;
use arc_swap::ArcSwap;
use jiff::Timestamp;
use outside::alarm::{Cause, Kind};
use store::{Address, Clock, Store};

use super::{Origin, tell_lacks};
use crate::{
    app::{App, with_schema},
    backup,
    cli::outcome::Failure,
    config::{BackupSettings, Config},
    errands::Errands,
    nodes::{self, Turn},
    tls::{self, Pair},
};

/// How often it is looked whether a backup is due.
const LOOK_EVERY: Duration = Duration::from_secs(10);
/// How often it is looked whether a person has to be told something.
const WATCH_EVERY: Duration = Duration::from_secs(60);
/// How long a failed backup waits before it is tried again.
const AFTER_FAILURE: Duration = Duration::from_secs(600);

/// The certificate that the configuration names.
pub(super) fn certificate(config: &Config, clock: &Clock) -> Result<Option<Pair>, Failure> {
    let pair = config.tls.as_ref().map(|it| tls::read(it, clock.now()));
    pair.transpose()
        .map_err(|fault| Failure::usage(format!("tls: {}", fault.message)))
}

/// Wishes to read the configuration again.
pub(super) struct Hangups(#[cfg(unix)] tokio::signal::unix::Signal);

/// Listens for them from here on: SIGHUP, where there are signals.
pub(super) fn hangups() -> Result<Hangups, Failure> {
    Ok(Hangups(
        #[cfg(unix)]
        tokio::signal::unix::signal(tokio::signal::unix::SignalKind::hangup())?,
    ))
}

impl Hangups {
    async fn next(&mut self) {
        #[cfg(unix)]
        if self.0.recv().await.is_some() {
            return;
        }
        std::future::pending().await
    }
}

/// Runs the errands, reads the configuration again at each wish, and serves it when all of it can be
/// used.
pub(super) async fn keep_configured(
    app: &Arc<App>,
    origin: &Origin,
    store: &Store,
    errands: &ArcSwap<Errands>,
    mut wishes: Hangups,
) {
    loop {
        let running = errands.load_full();
        tokio::select! {
            () = wishes.next() => {}
            () = running.run() => {}
        }
        let read = origin.source.config();
        let read = read.and_then(|config| Ok((origin.errands(&config, store)?, config)));
        let (renewed, config) = match read {
            Ok(read) => read,
            Err(failure) => {
                tracing::error!(
                    problems = failure.message,
                    "the configuration cannot be used; the one before stays"
                );
                continue;
            }
        };
        let before = app.config();
        match app.reload(&config, renewed.digests()).await {
            Ok(()) => {
                tracing::info!(
                    dealers = config.dealers.len(),
                    vehicles = app.vehicles(),
                    "serving the configuration as it is now"
                );
                tell_lacks(app);
            }
            Err(error) => {
                tracing::error!(
                    error = %crate::explain(&error),
                    "the configuration cannot be served; the one before stays"
                );
                continue;
            }
        }
        running.release().await;
        errands.store(Arc::new(renewed));
        for setting in unchangeable(&before, &config) {
            tracing::warn!(setting, "takes effect at the next start only");
        }
    }
}

/// Settings in which two configurations differ and which a running server does not change.
fn unchangeable(before: &Config, now: &Config) -> Vec<&'static str> {
    let (old, new) = (before.limits, now.limits);
    [
        ("listen", before.listen != now.listen),
        ("data", before.data != now.data),
        ("store", before.store != now.store),
        ("tls", before.tls.is_some() != now.tls.is_some()),
        ("log.level", before.log.level != now.log.level),
        ("log.format", before.log.format != now.log.format),
        (
            "limits.header_seconds",
            old.header_seconds != new.header_seconds,
        ),
        ("limits.body_seconds", old.body_seconds != new.body_seconds),
        ("limits.idle_seconds", old.idle_seconds != new.idle_seconds),
        (
            "limits.shutdown_seconds",
            old.shutdown_seconds != new.shutdown_seconds,
        ),
    ]
    .into_iter()
    .filter_map(|(name, differs)| differs.then_some(name))
    .collect()
}

/// Renews the certificate when its files change.
pub(super) async fn keep_certified(app: &App, served: Option<(Pair, Tls)>, clock: &Clock) {
    let Some((pair, tls)) = served else {
        return;
    };
    let settings = || app.config().tls.clone();
    tls::keep_renewed(pair, settings, clock, |renewed| tls.replace(renewed)).await;
}

/// Tells people about a certificate that ends and backups that are too old.
pub(super) async fn keep_watch(app: &App, store: &Store, backups: &BackupTurn) {
    let since = store.clock().now();
    loop {
        let (config, now) = (app.config(), store.clock().now());
        let is_backed_up = config.backup.is_some();
        let certificate_of = nodes::of_this_machine("tls", &config);
        let look = move || {
            let certificate = config.tls.as_ref().and_then(|it| tls::finding(it, now));
            let backups = config.backup.as_ref();
            (
                certificate,
                backups.and_then(|it| backup::age_finding(it, since, now)),
            )
        };
        let Ok((certificate, age)) = tokio::task::spawn_blocking(look).await else {
            return;
        };
        let mut findings = vec![(Kind::Certificate, certificate_of.as_str(), certificate)];
        // Without the setting nobody makes any, and what was told of them is over.
        if backups.is_ours() || !is_backed_up {
            findings.push((Kind::Backup, "backup", age));
        }
        for (kind, subject, finding) in findings {
            let cause = Cause::of_server(kind, subject);
            if let Err(error) = outside::alarm::set(store, &cause, finding).await {
                tracing::error!(error = %crate::explain(&error), "an alarm could not be kept");
            }
        }
        tokio::time::sleep(WATCH_EVERY).await;
    }
}

/// Which of several nodes makes the backups.
#[derive(Debug)]
pub(super) struct BackupTurn {
    turn: Turn,
    database: Address,
    is_ours: AtomicBool,
}

impl BackupTurn {
    pub(super) fn new(store: &Store) -> Self {
        Self {
            turn: Turn::new(store.clone(), "backup"),
            database: store.address().clone(),
            is_ours: AtomicBool::new(false),
        }
    }

    async fn take(&self) -> bool {
        let is_ours = self.turn.take().await;
        self.is_ours.store(is_ours, Ordering::Relaxed);
        is_ours
    }

    fn is_ours(&self) -> bool {
        self.is_ours.load(Ordering::Relaxed)
    }

    /// Lets another node make them.
    pub(super) async fn release(&self) {
        if self.is_ours.swap(false, Ordering::Relaxed) {
            self.turn.release().await;
        }
    }
}

/// Makes a backup whenever one is due, and keeps as many as are wanted.
pub(super) async fn keep_backed_up(
    app: &App,
    origin: &Origin,
    clock: &Clock,
    backups: &BackupTurn,
) {
    loop {
        let mut wait = LOOK_EVERY;
        if let Some(settings) = app.config().backup.clone()
            && backups.take().await
        {
            let (data, config_file) = (origin.data.clone(), origin.source.config_file.clone());
            let now = clock.now();
            let database = with_schema(store::Options::of(&backups.database));
            let work =
                move || back_up_if_due(&settings, &database, &data, config_file.as_deref(), now);
            match tokio::task::spawn_blocking(work).await {
                Ok(Ok(None)) => {}
                Ok(Ok(Some(made))) => tracing::info!(backup = %made.display(), "backup made"),
                Ok(Err(error)) => {
                    tracing::error!(error = %crate::explain(&error), "no backup was made");
                    backups.release().await;
                    wait = AFTER_FAILURE;
                }
                // The program is stopping.
                Err(_) => return,
            }
        }
        tokio::time::sleep(wait).await;
    }
}

fn back_up_if_due(
    settings: &BackupSettings,
    database: &store::Options,
    data: &Path,
    config_file: Option<&Path>,
    now: Timestamp,
) -> Result<Option<PathBuf>, backup::Error> {
    let last = backup::newest(&settings.dir)?;
    let is_due =
        last.is_none_or(|(_, made_at)| now.duration_since(made_at) >= settings.every.duration());
    if !is_due {
        return Ok(None);
    }
    let made = backup::make(database, data, config_file, &settings.dir, now)?;
    backup::thin_out(&settings.dir, settings.keep)?;
    Ok(Some(made))
}
