//! The command line: what each command takes, and the file that does it.

mod card;
mod config;
mod import;
mod leads;
pub mod outcome;
mod serve;
mod site;
mod vehicles;

use std::{net::SocketAddr, path::PathBuf, process::ExitCode};

use clap::{Args, Parser, Subcommand};

use crate::buyer::command::BuyerCommand;
use outcome::{Failure, print_json};

/// Put a seller on the agent network.
#[derive(Debug, Parser)]
#[command(
    name = "forecourt",
    version,
    after_help = "Example:\n  forecourt serve --demo"
)]
pub struct Cli {
    #[command(flatten)]
    common: Common,
    #[command(subcommand)]
    command: Command,
}

/// Flags of every command.
#[derive(Debug, Clone, Args)]
pub struct Common {
    /// Folder of the database [default: the configuration's `data`, else forecourt-data]
    #[arg(long, global = true, env = "FORECOURT_DATA", value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Configuration file [default: forecourt.toml in the data folder, else in this folder]
    #[arg(long, global = true, env = "FORECOURT_CONFIG", value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Dealer; may be left out where there is only one
    #[arg(long, global = true, env = "FORECOURT_DEALER", value_name = "ID")]
    pub dealer: Option<String>,
    /// Print one JSON document instead of tables
    #[arg(long, global = true)]
    pub json: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve the dealers to buyers' agents
    #[command(
        after_help = "Example:\n  forecourt serve --config forecourt.toml --listen 0.0.0.0:8080"
    )]
    Serve {
        /// Serve a made-up dealer with two rooftops and 240 vehicles
        #[arg(long)]
        demo: bool,
        /// Address and port; port 0 takes a free one [default: the configuration's `listen`]
        #[arg(long, env = "FORECOURT_LISTEN", value_name = "HOST:PORT")]
        listen: Option<SocketAddr>,
    },
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
        after_help = "Examples:\n  forecourt import export.csv --dry-run --json\n  forecourt import export.csv --dealer group --feed used"
    )]
    Import {
        /// The file that the vendor exports
        file: PathBuf,
        /// Feed of the configuration that the file belongs to; may be left out where there is one
        #[arg(long, value_name = "NAME")]
        feed: Option<String>,
        /// Only report what would be published; needs neither server nor data folder
        #[arg(long)]
        dry_run: bool,
    },
    /// Look at the published stock
    #[command(
        subcommand,
        after_help = "Example:\n  forecourt vehicles list --make Honda"
    )]
    Vehicles(vehicles::VehiclesCommand),
    /// Look at the leads that were taken
    #[command(subcommand, after_help = "Example:\n  forecourt leads list --limit 10")]
    Leads(leads::LeadsCommand),
    /// Talk to a dealer's agent as a buyer's agent does
    #[command(
        subcommand,
        after_help = "Example:\n  forecourt buyer search http://127.0.0.1:8080 --make Honda"
    )]
    Buyer(BuyerCommand),
    /// Print the dealer's agent card
    #[command(after_help = "Example:\n  forecourt card --dealer group")]
    Card,
}

#[derive(Debug, Subcommand)]
enum ConfigCommand {
    /// Read the configuration and list everything that cannot work
    #[command(after_help = "Example:\n  forecourt config check --config forecourt.toml")]
    Check,
}

/// Runs a command and says with which status the program ends.
#[must_use]
pub fn run(cli: Cli) -> ExitCode {
    let json = cli.common.json;
    match dispatch(cli) {
        Ok(code) => code,
        Err(failure) => {
            if json {
                // A closed standard output leaves nobody to tell.
                let _ = print_json(&failure.document);
            }
            eprintln!("forecourt: {}", failure.message);
            ExitCode::from(failure.exit as u8)
        }
    }
}

fn dispatch(cli: Cli) -> Result<ExitCode, Failure> {
    let common = cli.common;
    match cli.command {
        Command::Serve { demo, listen } => serve::serve(&common, demo, listen),
        Command::Init { force } => config::init(&common, force),
        Command::Config(ConfigCommand::Check) => config::check(&common),
        Command::Import {
            file,
            feed,
            dry_run,
        } => import::import(&common, &file, feed.as_deref(), dry_run),
        Command::Vehicles(command) => vehicles::run(&common, command),
        Command::Leads(command) => leads::run(&common, command),
        Command::Buyer(command) => crate::buyer::command::run(command, common.json),
        Command::Card => card::print(&common),
    }
}
