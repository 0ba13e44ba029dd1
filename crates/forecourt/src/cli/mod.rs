//! The command line: what each command takes, and the file that does it.

mod a2a;
mod adf;
mod alarm;
mod appointments;
mod ask;
mod backup;
mod card;
mod catalogs;
mod config;
mod deliveries;
mod feeds;
mod import;
mod key;
mod leads;
mod migrate_store;
pub mod outcome;
mod person;
mod serve;
mod site;
mod status;
pub(crate) mod text;
mod vehicles;
mod webhooks;

use std::{ffi::OsString, path::PathBuf, process::ExitCode};

use clap::{
    Args, Parser, Subcommand,
    builder::{OsStringValueParser, TypedValueParser},
    error::ErrorKind,
};
use url::Url;

use self::outcome::{Failure, complain, print_json};
use crate::{buyer::command::BuyerCommand, config::UrlText};

/// Put a seller on the agent network.
#[derive(Debug, Parser)]
#[command(
    name = "forecourt",
    version,
    after_help = "Example:\n  forecourt serve --demo\n\nExit status: 0 done; 1 refused or failed; 2 wrong command line or configuration;\nbuyer, a2a: 3 unreachable, 4 not a dealer's agent, or no agent"
)]
pub struct Cli {
    #[command(flatten)]
    common: Common,
    #[command(subcommand)]
    command: Command,
}

/// Flags of every command.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Common options")]
pub struct Common {
    /// Folder of the database and what belongs to it [default: the configuration's `data`, else forecourt-data]
    #[arg(
        long,
        global = true,
        env = "FORECOURT_DATA",
        hide_env_values = true,
        value_parser = path(),
        display_order = 1000,
        value_name = "DIR"
    )]
    pub data: Option<PathBuf>,
    /// Configuration file [default: forecourt.toml in the data folder, else in this folder]
    #[arg(
        long,
        global = true,
        env = "FORECOURT_CONFIG",
        hide_env_values = true,
        value_parser = path(),
        display_order = 1001,
        value_name = "FILE"
    )]
    pub config: Option<PathBuf>,
    /// PostgreSQL server in place of the database in the data folder [default: the configuration's
    /// `store.url`]
    #[arg(
        long,
        global = true,
        env = "FORECOURT_STORE",
        hide_env_values = true,
        display_order = 1001,
        value_name = "URL"
    )]
    pub store: Option<UrlText>,
    /// Dealer; may be left out where there is only one
    #[arg(
        long,
        global = true,
        env = "FORECOURT_DEALER",
        hide_env_values = true,
        display_order = 1002,
        value_name = "ID"
    )]
    pub dealer: Option<String>,
    /// Print one JSON document instead of tables, errors too
    #[arg(long, global = true, display_order = 1003)]
    pub json: bool,
}

/// Takes an empty path too, which [`Common::drop_empty`] drops.
fn path() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().map(PathBuf::from)
}

impl Common {
    /// An empty environment variable counts as none.
    fn drop_empty(&mut self) {
        let is_named = |path: &PathBuf| !path.as_os_str().is_empty();
        self.data = self.data.take().filter(is_named);
        self.config = self.config.take().filter(is_named);
        self.store = self.store.take().filter(|it| !it.is_empty());
        self.dealer = self.dealer.take().filter(|it| !it.is_empty());
    }
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve the dealers to buyers' agents
    #[command(
        after_help = "Example:\n  forecourt serve --config forecourt.toml --listen 0.0.0.0:8080"
    )]
    Serve(serve::ServeArgs),
    /// Write a configuration file with every setting explained
    #[command(after_help = "Example:\n  forecourt init --config forecourt.toml")]
    Init {
        /// Replace a file that is already there
        #[arg(long)]
        force: bool,
    },
    /// Look at the configuration
    #[command(subcommand, after_help = "Example:\n  forecourt config check")]
    Config(ConfigCommand),
    /// Read a vendor's feed file and publish what it holds
    #[command(
        after_help = "Examples:\n  forecourt import export.csv --dry-run --json\n  forecourt import export.csv --dealer group --feed used\n  forecourt import garden.csv --catalog garden"
    )]
    Import {
        /// The file that the vendor exports
        file: PathBuf,
        /// Feed of the configuration that the file belongs to; may be left out where there is one
        #[arg(long, value_name = "NAME")]
        feed: Option<String>,
        /// Catalog of the configuration that the file is, instead of a dealer's stock
        #[arg(long, value_name = "NAME", conflicts_with = "feed")]
        catalog: Option<String>,
        /// Only report what would be published; needs neither server nor data folder
        #[arg(long)]
        dry_run: bool,
    },
    /// See how each feed stands, what its files did, and apply one that was not believed
    #[command(
        args_conflicts_with_subcommands = true,
        after_help = "Examples:\n  forecourt feeds\n  forecourt feeds runs --feed used"
    )]
    Feeds(feeds::FeedsArgs),
    /// See how each catalog of a seller without cars stands, and apply a file that was not believed
    #[command(
        after_help = "Examples:\n  forecourt catalogs\n  forecourt catalogs runs --catalog garden"
    )]
    Catalogs(catalogs::CatalogsArgs),
    /// Look at the published stock, and take units off the lot
    #[command(
        subcommand,
        after_help = "Example:\n  forecourt vehicles list --make Honda"
    )]
    Vehicles(vehicles::VehiclesCommand),
    /// Ask the analyst about the stock or a catalog, its history, the leads, and CSV files
    #[command(
        after_help = "Examples:\n  forecourt ask \"What has been on the lot over 60 days, by store?\"\n  forecourt ask \"Where are the gaps in outdoor furniture?\" --catalog garden\n  forecourt ask \"Where are the gaps in outdoor furniture?\" --file ours.csv --file market.csv\n  forecourt ask --url https://dealer.example/analyst --key-file analyst.key \"What lacks photos?\""
    )]
    Ask(ask::AskArgs),
    /// Look at the leads that were taken, and send them once more
    #[command(subcommand, after_help = "Example:\n  forecourt leads list --limit 10")]
    Leads(leads::AllLeadsCommand),
    /// See leads on their way to the CRM, try them again, and pause a destination
    #[command(
        subcommand,
        after_help = "Example:\n  forecourt deliveries list --state failed"
    )]
    Deliveries(deliveries::DeliveriesCommand),
    /// See push notifications of tasks that receivers did not take, and send them once more
    #[command(subcommand, after_help = "Example:\n  forecourt webhooks list")]
    Webhooks(webhooks::WebhooksCommand),
    /// See what buyers want to come for, confirm it, call it off, and find free times
    #[command(
        subcommand,
        after_help = "Example:\n  forecourt appointments list --status requested"
    )]
    Appointments(appointments::AppointmentsCommand),
    /// Look at ADF documents, by which leads reach a CRM
    #[command(
        subcommand,
        after_help = "Example:\n  forecourt adf write lead.json --demo"
    )]
    Adf(adf::AdfCommand),
    /// Talk to a dealer's agent as a buyer's agent does
    #[command(
        subcommand,
        after_help = "Example:\n  forecourt buyer search http://127.0.0.1:8080 --make Honda"
    )]
    Buyer(BuyerCommand),
    /// Talk to any A2A agent
    #[command(
        subcommand,
        after_help = "Example:\n  forecourt a2a send https://agent.example \"What do you sell?\""
    )]
    A2a(Box<a2a::A2aCommand>),
    /// Make and take back keys of the dealer's API, and make keys that encrypt personal data
    #[command(after_help = "Example:\n  forecourt key create --name \"feed vendor\" --scope feeds")]
    Key(key::KeyArgs),
    /// Copy database, hash key and configuration into a new folder, also while the server runs
    #[command(after_help = "Example:\n  forecourt backup /var/backups/forecourt")]
    Backup(backup::BackupArgs),
    /// Put the data of a backup in place; the server has to be stopped
    #[command(
        after_help = "Example:\n  forecourt restore /var/backups/forecourt/forecourt-2026-05-01T030000.000Z"
    )]
    Restore(backup::RestoreArgs),
    /// Move all data from one database to another, as from SQLite to PostgreSQL
    #[command(
        after_help = "Example:\n  forecourt migrate-store --from sqlite:forecourt-data/forecourt.db --to postgres://forecourt@db.example/forecourt\n\nServers on the database that is read have to be stopped. The target is an empty database; it gets\neverything or nothing, and each table is read back and compared."
    )]
    MigrateStore(migrate_store::MigrateStoreArgs),
    /// Print everything that is kept about a person as JSON
    #[command(after_help = "Example:\n  forecourt export --person ada@example.com > ada.json")]
    Export(person::ExportArgs),
    /// Take everything that identifies a person out of the data, and keep a proof without it
    #[command(
        after_help = "Examples:\n  forecourt erase --person ada@example.com --person +14155550123 --dry-run\n  forecourt erase --person ada@example.com --reason \"deletion request 17\"\n\nWhile it removes what was deleted from the disk, leads wait: about a second for 100 MB."
    )]
    Erase(person::EraseArgs),
    /// See how the feeds stand and what needs a person; ends with 1 while something does
    #[command(after_help = "Example:\n  forecourt status --json")]
    Status,
    /// Try out the ways by which alarms leave
    #[command(subcommand, after_help = "Example:\n  forecourt alarm test")]
    Alarm(alarm::AlarmCommand),
    /// Print the dealer's agent card; check, sign or verify any agent's
    #[command(
        after_help = "Examples:\n  forecourt card --dealer group\n  forecourt card check https://agent.example"
    )]
    Card(card::CardArgs),
}

/// Where the server is reached.
#[derive(Debug, Clone, Args)]
struct Public {
    /// Address that stands on the card [default: the configuration's `public_url`, else the
    /// listening address]
    #[arg(
        long,
        env = "FORECOURT_PUBLIC_URL",
        hide_env_values = true,
        value_parser = crate::config::public_url,
        value_name = "URL"
    )]
    public_url: Option<Url>,
}

#[derive(Debug, Subcommand)]
enum ConfigCommand {
    /// Read the configuration and list everything that cannot work
    #[command(after_help = "Example:\n  forecourt config check --config forecourt.toml")]
    Check,
}

/// Runs the command that the program's arguments name and says with which status the program ends.
#[must_use]
pub fn run() -> ExitCode {
    run_with(std::env::args_os())
}

/// Runs the command that these arguments name, the program's own name first.
#[must_use]
pub fn run_with(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let mut cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(error) => return misused(&error),
    };
    cli.common.drop_empty();
    let json = cli.common.json;
    match dispatch(cli) {
        Ok(code) => code,
        Err(failure) => {
            if json {
                // A closed standard output leaves nobody to tell.
                let _ = print_json(&failure.document);
            }
            complain(failure.message);
            ExitCode::from(failure.exit as u8)
        }
    }
}

/// Ends a command line that is wrong, or one that asks for help or the version.
fn misused(error: &clap::Error) -> ExitCode {
    // A closed output leaves nobody to tell.
    let _ = error.print();
    if !error.use_stderr() {
        return ExitCode::SUCCESS;
    }
    if std::env::args_os().any(|argument| argument == "--json") {
        let _ = print_json(&Failure::usage(complaint(error)).document);
    }
    ExitCode::from(outcome::Exit::Usage as u8)
}

/// What is wrong with a command line, without the usage that stands below it.
fn complaint(error: &clap::Error) -> String {
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        return "a command is missing; --help lists them".to_owned();
    }
    let text = error.render().to_string();
    let about = text.split("\n\nUsage:").next().unwrap_or_default();
    let about = about.split("\n\nFor more information").next();
    let about = about.unwrap_or_default().trim();
    about.strip_prefix("error: ").unwrap_or(about).to_owned()
}

fn dispatch(cli: Cli) -> Result<ExitCode, Failure> {
    let common = cli.common;
    match cli.command {
        Command::Serve(args) => serve::serve(&common, args),
        Command::Init { force } => config::init(&common, force),
        Command::Config(ConfigCommand::Check) => config::check(&common),
        Command::Import {
            file,
            feed,
            catalog,
            dry_run,
        } => match catalog {
            Some(name) => catalogs::import(&common, &file, &name, dry_run),
            None => import::import(&common, &file, feed.as_deref(), dry_run),
        },
        Command::Feeds(args) => feeds::run(&common, args),
        Command::Catalogs(args) => catalogs::run(&common, &args),
        Command::Vehicles(command) => vehicles::run(&common, command),
        Command::Ask(args) => ask::run(&common, args),
        Command::Leads(command) => leads::run_all(&common, command),
        Command::Deliveries(command) => deliveries::run(&common, command),
        Command::Webhooks(command) => webhooks::run(&common, command),
        Command::Adf(command) => adf::run(&common, command),
        Command::Appointments(command) => appointments::run(&common, command),
        Command::Buyer(command) => crate::buyer::command::run(command, common.json),
        Command::A2a(command) => a2a::run(&common, *command),
        Command::Export(args) => person::export(&common, args),
        Command::Erase(args) => person::erase(&common, args),
        Command::Status => status::status(&common),
        Command::Alarm(command) => alarm::run(&common, command),
        Command::Key(args) => key::run(&common, args),
        Command::Backup(args) => backup::make(&common, args),
        Command::Restore(args) => backup::restore(&common, &args),
        Command::MigrateStore(args) => migrate_store::migrate_store(&common, &args),
        Command::Card(args) => card::run(&common, args),
    }
}

/// What a command waits on: everything runs on the thread that calls it.
pub(crate) fn runtime() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
}
