//! `serve`: answer buyers' agents until the program is told to stop.

use std::{
    io::ErrorKind,
    net::{SocketAddr, TcpListener},
    path::Path,
    process::ExitCode,
    time::Duration,
};

use a2a_server::serve::ServeOptions;
use clap::Args;
use inventory::intake::{self, Arrival};
use store::Store;

use super::{
    Common, Public,
    outcome::{Failure, say},
    site,
};
use crate::{
    agent,
    app::App,
    config::{Config, Limits, LogFormat},
    demo::{
        self,
        fault::{Fault, Faults},
    },
    errands::Errands,
    telemetry,
};

/// What `serve` takes; a flag wins over the environment, and that over the configuration.
#[derive(Debug, Args)]
pub(super) struct ServeArgs {
    /// Serve a made-up dealer with two rooftops and 240 vehicles; no configuration is read, and
    /// the data are temporary unless --data is given
    #[arg(long)]
    demo: bool,
    /// With --demo: fail on purpose, for agents to be tested against; may be repeated, then the calls
    /// suffer the faults in turn
    #[arg(long, requires = "demo", value_name = "NAME")]
    fault: Vec<Fault>,
    /// Address and port; port 0 takes a free one [default: the configuration's `listen`, else
    /// 127.0.0.1:8080]
    #[arg(
        long,
        env = "FORECOURT_LISTEN",
        hide_env_values = true,
        value_parser = crate::config::listen_address,
        value_name = "HOST:PORT"
    )]
    listen: Option<SocketAddr>,
    #[command(flatten)]
    public: Public,
    /// Form of the log on standard error: text or json [default: the configuration's `log.format`]
    #[arg(
        long,
        env = "FORECOURT_LOG_FORMAT",
        hide_env_values = true,
        hide_possible_values = true,
        value_name = "FORMAT"
    )]
    log_format: Option<LogFormat>,
    /// Least severity, or a filter such as forecourt=debug,warn [default: the configuration's
    /// `log.level`, else info]
    #[arg(
        long,
        env = "FORECOURT_LOG",
        hide_env_values = true,
        value_name = "LEVEL"
    )]
    log_level: Option<String>,
}

impl ServeArgs {
    fn override_settings(self, config: &mut Config) {
        config.listen = self.listen.unwrap_or(config.listen);
        config.public_url = self.public.public_url.or(config.public_url.take());
        config.log.format = self.log_format.unwrap_or(config.log.format);
        config.log.level = self.log_level.or(config.log.level.take());
    }
}

pub(super) fn serve(common: &Common, args: ServeArgs) -> Result<ExitCode, Failure> {
    // Held until the server has stopped: the demo's data goes with it.
    let mut temporary = None;
    let as_demo = args.demo;
    let (mut config, data, base) = if as_demo {
        let config = demo::config()?;
        let data = match &common.data {
            Some(data) => data.clone(),
            None => temporary.insert(tempfile::tempdir()?).path().to_owned(),
        };
        (config, data.clone(), data)
    } else {
        let path = site::config_path(common);
        let config = Config::read(&path)?;
        let data = site::data_folder(common, &config, &path);
        (config, data, site::base(&path))
    };
    let faults = args.fault.clone();
    args.override_settings(&mut config);
    if as_demo && agent::preview_fault(&config, config.listen).is_some() {
        // The demo is for any address; the preview is not.
        config.aap.preview = None;
    }
    telemetry::start(&config.log).map_err(Failure::usage)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let store = site::open_store(&data)?;
        if as_demo {
            fill_demo(&config, &store, &data).await?;
        }
        let faults = Faults::new(faults, store.clock().clone());
        let errands = Errands::new(&config, &base, &data, &store)
            .map_err(|error| Failure::usage(crate::explain(&error)))?;
        run(&config, store, &data, faults, &errands).await
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
            let arrival = Arrival {
                feed: name,
                file_name: None,
                bytes,
            };
            intake::publish(store, id, dealer, arrival).await?;
        }
    }
    Ok(())
}

async fn run(
    config: &Config,
    store: Store,
    data: &Path,
    faults: Faults,
    errands: &Errands,
) -> Result<(), Failure> {
    let listener = listen(config.listen)?;
    let address = listener.local_addr()?;
    let hash_key = site::hash_key(data)?;
    let app = App::open(config, store.clone(), &hash_key, address).await?;
    tracing::info!(
        dealers = config.dealers.len(),
        vehicles = app.vehicles(),
        data = %data.display(),
        "ready"
    );
    for feature in config.unheeded() {
        tracing::warn!(
            settings = feature.settings.join(", "),
            "{}",
            feature.message
        );
    }
    let stop = stop_signal()?;
    announce(address)?;
    let routes = faults.over(app.router());
    let serving = a2a_server::serve::serve(listener, routes, serve_options(config.limits), stop);
    tokio::select! {
        served = serving => served.map_err(|error| Failure::refused("serve", crate::explain(&error)))?,
        () = app.keep_fresh() => {}
        () = Box::pin(errands.run()) => {}
    }
    errands.release().await;
    tracing::info!("stopped");
    Ok(())
}

/// The one line on standard output, by which a script knows that the server is ready.
fn announce(address: SocketAddr) -> Result<(), Failure> {
    say(format!("listening on http://{address}"))
}

fn listen(address: SocketAddr) -> Result<TcpListener, Failure> {
    TcpListener::bind(address).map_err(|error| {
        let advice = match error.kind() {
            ErrorKind::AddrInUse => "; another program listens there, --listen names another port",
            ErrorKind::AddrNotAvailable => "; this machine has no such address",
            ErrorKind::PermissionDenied => "; ports below 1024 need a privilege",
            _ => "",
        };
        Failure::refused(
            "listen",
            format!("cannot listen on {address}: {error}{advice}"),
        )
    })
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
