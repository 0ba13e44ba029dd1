//! `serve`: answer buyers' agents until the program is told to stop.

use std::{
    io::Write,
    net::{SocketAddr, TcpListener},
    path::Path,
    process::ExitCode,
    time::Duration,
};

use a2a_server::serve::ServeOptions;
use store::Store;

use super::{
    Common, import,
    outcome::{Failure, explain},
    site,
};
use crate::{
    app::App,
    config::{Config, Limits},
    demo, telemetry,
};

pub(super) fn serve(
    common: &Common,
    as_demo: bool,
    listen: Option<SocketAddr>,
) -> Result<ExitCode, Failure> {
    // Held until the server has stopped: the demo's data goes with it.
    let mut temporary = None;
    let (config, data) = if as_demo {
        let config = demo::config()?;
        let data = match &common.data {
            Some(data) => data.clone(),
            None => temporary.insert(tempfile::tempdir()?).path().to_owned(),
        };
        (config, data)
    } else {
        let path = site::config_path(common);
        let config = Config::read(&path)?;
        let data = site::data_folder(common, &config, &path);
        (config, data)
    };
    telemetry::start(&config.log).map_err(Failure::usage)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let store = site::open_store(&data)?;
        if as_demo {
            fill_demo(&config, &store, &data).await?;
        }
        run(&config, store, &data, listen.unwrap_or(config.listen)).await
    })?;
    drop(temporary);
    Ok(ExitCode::SUCCESS)
}

/// Imports the demo's feeds, and writes its configuration beside the data so that the other
/// commands find it.
async fn fill_demo(config: &Config, store: &Store, data: &Path) -> Result<(), Failure> {
    let file = data.join(crate::config::DEFAULT_FILE);
    if !file.exists() {
        std::fs::write(&file, demo::CONFIGURATION)?;
    }
    let feeds = demo::feeds().map_err(|error| Failure::refused("demo", error.to_string()))?;
    for (id, dealer) in &config.dealers {
        for (name, bytes) in &feeds {
            let source = import::Source {
                feed: name,
                file_name: None,
                bytes,
            };
            import::publish(store, id, dealer, source).await?;
        }
    }
    Ok(())
}

async fn run(
    config: &Config,
    store: Store,
    data: &Path,
    listen: SocketAddr,
) -> Result<(), Failure> {
    let listener = TcpListener::bind(listen).map_err(|error| {
        Failure::refused("listen", format!("cannot listen on {listen}: {error}"))
    })?;
    let address = listener.local_addr()?;
    let hash_key = site::hash_key(data)?;
    let app = App::open(config, store.clone(), &hash_key, address).await?;
    tracing::info!(
        dealers = config.dealers.len(),
        vehicles = app.vehicles(),
        data = %data.display(),
        "ready"
    );
    for (id, dealer) in &config.dealers {
        for (name, feed) in &dealer.feeds {
            if let Some(path) = &feed.path {
                tracing::warn!(
                    dealer = %id,
                    feed = name,
                    path,
                    "drop folders are not watched; run `forecourt import FILE` when a file arrives"
                );
            }
        }
    }
    let stop = stop_signal()?;
    announce(address)?;
    let serving =
        a2a_server::serve::serve(listener, app.router(), serve_options(config.limits), stop);
    tokio::select! {
        served = serving => served.map_err(|error| Failure::refused("serve", explain(&error)))?,
        () = app.keep_fresh() => {}
    }
    tracing::info!("stopped");
    Ok(())
}

/// The one line on standard output, by which a script knows that the server is ready.
fn announce(address: SocketAddr) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "listening on http://{address}")?;
    out.flush()?;
    Ok(())
}

fn serve_options(limits: Limits) -> ServeOptions {
    let mut options = ServeOptions::default();
    options.header_timeout = Duration::from_secs(limits.header_seconds);
    options.body_timeout = Duration::from_secs(limits.body_seconds);
    options.idle_timeout = Duration::from_secs(limits.idle_seconds);
    options.shutdown_deadline = Duration::from_secs(limits.shutdown_seconds);
    options
}

/// Listens for the wish to stop from here on: an interrupt, or a termination signal.
fn stop_signal() -> Result<impl Future<Output = ()>, Failure> {
    #[cfg(unix)]
    let mut terminate = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
    Ok(async move {
        #[cfg(unix)]
        tokio::select! {
            _ = tokio::signal::ctrl_c() => {}
            _ = terminate.recv() => {}
        }
        #[cfg(not(unix))]
        drop(tokio::signal::ctrl_c().await);
        tracing::info!("stopping");
    })
}
