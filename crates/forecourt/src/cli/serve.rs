//! `serve`: answer buyers' agents until the program is told to stop.

mod patience;
mod upkeep;

use std::{
    io::ErrorKind,
    net::{SocketAddr, TcpListener},
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
    time::Duration,
};

use a2a_server::{
    serve::{ServeOptions, Server},
    tls::Tls,
};
use arc_swap::ArcSwap;
use clap::Args;
use inventory::intake::{self, Arrival};
use leads::HashKey;
use outside::delivery::Wake;
use store::{Clock, Store};

use self::patience::Patience;
use super::{
    Common, Public,
    outcome::{Failure, say},
    site,
};
use crate::{
    agent,
    app::App,
    config::{Config, Limits, LogFormat, UrlText},
    demo::{
        self,
        fault::{Fault, Faults},
    },
    errands::Errands,
    readiness::{self, Digests},
    telemetry,
};

/// What `serve` takes; a flag wins over the environment, and that over the configuration.
#[derive(Debug, Clone, Args)]
pub(super) struct ServeArgs {
    /// Serve a made-up dealer with two rooftops and 240 vehicles, and a catalog of outdoor furniture; no configuration is read, and
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

/// What wins over the configuration, also when that is read again.
#[derive(Debug, Clone)]
struct Overrides {
    args: ServeArgs,
    dealer: Option<String>,
    store: Option<UrlText>,
}

impl Overrides {
    fn apply(&self, config: &mut Config) -> Result<(), Failure> {
        let args = &self.args;
        config.listen = args.listen.unwrap_or(config.listen);
        config.public_url = args.public.public_url.clone().or(config.public_url.take());
        config.log.format = args.log_format.unwrap_or(config.log.format);
        config.log.level = args.log_level.clone().or(config.log.level.take());
        if let Some(url) = &self.store {
            config.store = Some(config.store.take().unwrap_or_default().at(url.clone()));
        }
        if let Some(wanted) = &self.dealer {
            let known = config.dealers.keys().any(|id| id.as_str() == wanted);
            if !known {
                return Err(Failure::usage(format!(
                    "there is no dealer {wanted:?} in the configuration; --dealer names the only one that is served"
                )));
            }
            config.dealers.retain(|id, _| id.as_str() == wanted);
        }
        if args.demo && agent::preview_fault(config, config.listen).is_some() {
            // The demo is for any address; the preview is not.
            config.aap.preview = None;
        }
        Ok(())
    }
}

/// Where the configuration comes from.
#[derive(Debug)]
struct Source {
    /// `None` for the demo.
    config_file: Option<PathBuf>,
    overrides: Overrides,
}

/// Where what is served comes from.
#[derive(Debug)]
struct Origin {
    source: Source,
    data: PathBuf,
    hash_key: HashKey,
    /// Tells the worker of the deliveries that a lead was taken, whatever configuration it has.
    wake: Wake,
}

impl Source {
    /// Reads the configuration, whole and checked, as it is at this moment.
    fn config(&self) -> Result<Config, Failure> {
        let mut config = match &self.config_file {
            Some(path) => Config::read_to_serve(path, Clock::system().now())?,
            None => demo::config()?,
        };
        self.overrides.apply(&mut config)?;
        Ok(config)
    }
}

impl Origin {
    /// The errands that a configuration asks for.
    fn errands(&self, config: &Config, store: &Store) -> Result<Errands, Failure> {
        let base = match &self.source.config_file {
            Some(path) => site::base(path),
            None => self.data.clone(),
        };
        Errands::new(config, &base, &self.data, store, &self.hash_key, &self.wake)
            .map_err(|error| Failure::usage(crate::explain(&error)))
    }
}

pub(super) fn serve(common: &Common, args: ServeArgs) -> Result<ExitCode, Failure> {
    // Held until the server has stopped: the demo's data goes with it.
    let mut temporary = None;
    let faults = args.fault.clone();
    let as_demo = args.demo;
    let source = Source {
        config_file: (!as_demo).then(|| site::config_path(common)),
        overrides: Overrides {
            args,
            dealer: common.dealer.clone(),
            store: common.store.clone(),
        },
    };
    let config = source.config()?;
    let data = match (&source.config_file, &common.data) {
        (Some(path), _) => site::data_folder(common, &config, path),
        (None, Some(data)) => data.clone(),
        (None, None) => temporary.insert(tempfile::tempdir()?).path().to_owned(),
    };
    telemetry::start(&config.log).map_err(Failure::usage)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let database = site::database(common, Some(&config), &data)?;
        let patience = Patience::of(database.start_patience);
        let _in_use = site::make_folder(&data)?;
        let open = async || Store::open(database.options.clone());
        let store = patience.insist("opening", open).await?;
        let key = async || site::hash_key(&data, &store, database.is_shared).await;
        let hash_key = patience.insist("the key of the hashes", key).await?;
        let origin = Origin {
            hash_key,
            source,
            data,
            wake: Wake::default(),
        };
        if as_demo {
            fill_demo(&config, &store, &origin.data).await?;
        }
        let faults = Faults::new(faults, store.clock().clone());
        let errands = origin.errands(&config, &store)?;
        if as_demo {
            open_demo(&config, &store, &origin.data, errands.digests()).await?;
        }
        run(
            &config,
            store,
            &origin,
            faults,
            ArcSwap::from_pointee(errands),
            &patience,
        )
        .await
    })?;
    drop(temporary);
    Ok(ExitCode::SUCCESS)
}

/// Publishes the demo's stock, and writes its configuration beside the data so that the other
/// commands find it.
async fn fill_demo(config: &Config, store: &Store, data: &Path) -> Result<(), Failure> {
    let file = data.join(crate::config::DEFAULT_FILE);
    if !file.exists() {
        std::fs::write(&file, demo::CONFIGURATION)?;
    }
    publish_demo(config, store).await
}

/// Imports the demo's feeds and its catalog.
pub(super) async fn publish_demo(config: &Config, store: &Store) -> Result<(), Failure> {
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
    for (id, catalog) in &config.catalogs {
        let arrival = catalogs::Arrival {
            file_name: None,
            bytes: demo::CATALOG_FILE.as_bytes(),
        };
        catalogs::publish(store, id, catalog, arrival).await?;
    }
    Ok(())
}

/// The demo takes leads at once: its destinations are folders beside its data, which need no test.
async fn open_demo(
    config: &Config,
    store: &Store,
    data: &Path,
    digests: &Digests,
) -> Result<(), Failure> {
    let rooftops = config.dealers.values().flat_map(|it| it.rooftops.values());
    for rooftop in rooftops {
        let all = rooftop.every_destination().into_values();
        for folder in all.filter_map(|destination| destination.folder) {
            std::fs::create_dir_all(data.join(folder))?;
        }
    }
    let leads = data.join(demo::LEADS);
    tracing::info!(folder = %leads.display(), "each lead becomes an ADF file in this folder");
    readiness::pass_all(store, digests).await?;
    Ok(())
}

async fn run(
    config: &Config,
    store: Store,
    origin: &Origin,
    faults: Faults,
    errands: ArcSwap<Errands>,
    patience: &Patience,
) -> Result<(), Failure> {
    let listener = listen(config.listen)?;
    let address = listener.local_addr()?;
    let open = async || {
        let (store, wake) = (store.clone(), origin.wake.clone());
        let digests = errands.load().digests().clone();
        App::open(config, store, &origin.hash_key, address, &digests, wake).await
    };
    let app = patience.insist("loading the dealers", open).await?;
    tracing::info!(
        dealers = config.dealers.len(),
        vehicles = app.vehicles(),
        data = %origin.data.display(),
        "ready"
    );
    if config.store.is_some() && config.public_url.is_none() {
        tracing::warn!("without public_url, each node's cards name its own address");
    }
    for file in config.privacy.exposed() {
        tracing::warn!(
            file = %file.display(),
            "others than its owner can read the key of the personal data; chmod 600 it"
        );
    }
    tell_lacks(&app);
    let mut server = Server::new(listener, serve_options(config.limits));
    let certificate = upkeep::certificate(config, store.clock())?;
    let tls = certificate.as_ref().map(|pair| Tls::new(&pair.certificate));
    if let Some(tls) = &tls {
        server = server.tls(tls.clone());
    }
    app.count_connections(server.connections());
    app.appear().await;
    let stop = stop_signal(&app)?;
    let hangup = upkeep::hangups()?;
    let backups = upkeep::BackupTurn::new(&store);
    announce(config, address)?;
    let serving = server.serve(faults.over(app.router()), stop);
    let upkeep = async {
        tokio::join!(
            app.keep_fresh(),
            upkeep::keep_configured(&app, origin, &store, &errands, hangup),
            upkeep::keep_watch(&app, &store, &backups),
            upkeep::keep_certified(&app, certificate.zip(tls), store.clock()),
            upkeep::keep_backed_up(&app, origin, store.clock(), &backups),
            app.keep_present(),
            app.keep_tasks(),
        );
    };
    tokio::select! {
        served = serving => served.map_err(|error| Failure::refused("serve", crate::explain(&error)))?,
        () = Box::pin(upkeep) => {}
    }
    app.close_tasks(Duration::from_secs(config.limits.shutdown_seconds))
        .await;
    errands.load_full().release().await;
    backups.release().await;
    app.leave().await;
    tracing::info!("stopped");
    Ok(())
}

/// Says which dealers take no leads yet, and what to do about it.
fn tell_lacks(app: &App) {
    for (dealer, lacks) in app.lacks() {
        let lacks: Vec<String> = lacks.iter().map(ToString::to_string).collect();
        tracing::warn!(%dealer, lacks = lacks.join("; "), "takes no leads: lead.submit is not offered");
    }
}

/// The one line on standard output, by which a script knows that the server is ready.
fn announce(config: &Config, address: SocketAddr) -> Result<(), Failure> {
    let scheme = if config.tls.is_some() {
        "https"
    } else {
        "http"
    };
    say(format!("listening on {scheme}://{address}"))
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
fn stop_signal(app: &Arc<App>) -> Result<impl Future<Output = ()> + use<>, Failure> {
    let app = Arc::clone(app);
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
        app.stop();
        tracing::info!("stopping");
    })
}
