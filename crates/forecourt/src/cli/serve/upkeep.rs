//! What a running server does for itself: it reads its configuration again when it is told to, renews
//! its certificate, and makes its backups.

use std::{path::PathBuf, sync::Arc, time::Duration};

use a2a_server::tls::Tls;
use jiff::Timestamp;
use store::Clock;

use super::Origin;
use crate::{
    app::App,
    backup,
    cli::outcome::Failure,
    config::{BackupSettings, Config},
    tls::{self, Pair},
};

/// How often it is looked whether a backup is due.
const LOOK_EVERY: Duration = Duration::from_secs(10);
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

/// Reads the configuration again at each wish, and serves it when all of it can be used.
pub(super) async fn keep_configured(app: &Arc<App>, origin: &Origin, mut wishes: Hangups) {
    loop {
        wishes.next().await;
        let config = match origin.config() {
            Ok(config) => config,
            Err(failure) => {
                tracing::error!(
                    problems = failure.message,
                    "the configuration cannot be used; the one before stays"
                );
                continue;
            }
        };
        let before = app.config();
        match app.reload(&config).await {
            Ok(()) => tracing::info!(
                dealers = config.dealers.len(),
                vehicles = app.vehicles(),
                "serving the configuration as it is now"
            ),
            Err(error) => {
                tracing::error!(
                    error = %crate::explain(&error),
                    "the configuration cannot be served; the one before stays"
                );
                continue;
            }
        }
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

/// Makes a backup whenever one is due, and keeps as many as are wanted.
pub(super) async fn keep_backed_up(app: &App, origin: &Origin, clock: &Clock) {
    loop {
        let mut wait = LOOK_EVERY;
        if let Some(settings) = app.config().backup.clone() {
            let (data, config_file) = (origin.data.clone(), origin.config_file.clone());
            let now = clock.now();
            let work = move || back_up_if_due(&settings, data, config_file, now);
            match tokio::task::spawn_blocking(work).await {
                Ok(Ok(None)) => {}
                Ok(Ok(Some(made))) => tracing::info!(backup = %made.display(), "backup made"),
                Ok(Err(error)) => {
                    tracing::error!(error = %crate::explain(&error), "no backup was made");
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
    data: PathBuf,
    config_file: Option<PathBuf>,
    now: Timestamp,
) -> Result<Option<PathBuf>, backup::Error> {
    let last = backup::newest(&settings.dir)?;
    let is_due =
        last.is_none_or(|(_, made_at)| now.duration_since(made_at) >= settings.every.duration());
    if !is_due {
        return Ok(None);
    }
    let made = backup::make(&data, config_file.as_deref(), &settings.dir, now)?;
    backup::thin_out(&settings.dir, settings.keep)?;
    Ok(Some(made))
}
