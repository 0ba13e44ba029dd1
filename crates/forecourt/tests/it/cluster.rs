//! Several nodes on one PostgreSQL, as processes of their own.

mod away;
mod clocks;
mod failover;
mod killed;
mod starting;
mod together;

use std::{
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use serde_json::{Value, json};
use tempfile::TempDir;
use testkit::{postgres::Postgres, webhook::WebhookSink};

use crate::support::{Server, program, ready_for_leads, request, run_json};

/// What the nodes of a test share.
struct Cluster {
    folder: TempDir,
    config: PathBuf,
    /// Where leads are delivered.
    crm: WebhookSink,
}

impl Cluster {
    /// Nodes on the database of this URL.
    fn on(url: &str) -> Self {
        Self::with(url, "")
    }

    /// The same with further settings of `[store]`.
    fn with(url: &str, settings: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let crm = WebhookSink::start();
        fs::create_dir_all(folder.path().join("drop")).unwrap();
        fs::create_dir_all(folder.path().join("desk")).unwrap();
        fs::write(folder.path().join("store.url"), url).unwrap();
        fs::write(
            folder.path().join("secret"),
            "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        )
        .unwrap();
        let config = folder.path().join("forecourt.toml");
        let text = format!(
            "public_url = \"https://agent.group.example\"\n\
             [store]\nurl_file = \"store.url\"\n{settings}\n\
             [outgoing]\nallow = [\"127.0.0.0/8\"]\n\
             [dealers.group]\nname = \"Group Motors\"\n\
             [dealers.group.rooftops.North]\ntimezone = \"America/Chicago\"\n\
             fallback = \"desk\"\n\
             [dealers.group.rooftops.North.destinations]\n\
             crm = {{ webhook = \"{}\", secret_file = \"secret\" }}\n\
             desk = {{ folder = \"desk\" }}\n\
             [dealers.group.feeds.used]\npath = \"drop/*.csv\"\nsettle = \"0s\"\n",
            crm.url("/leads")
        );
        fs::write(&config, text).unwrap();
        ready_for_leads(&config, &["--config", config.to_str().unwrap()]);
        Self {
            folder,
            config,
            crm,
        }
    }

    /// Starts a node. The first one makes the key of the personal hashes, the others get a copy.
    fn node(&self, name: &str) -> Server {
        self.node_with(name, &[])
    }

    /// The same with further variables of the environment.
    fn node_with(&self, name: &str, environment: &[(&str, &OsStr)]) -> Server {
        let data = self.data(name);
        let first = self.data("one").join(forecourt::backup::HASH_KEY_FILE);
        let key = data.join(forecourt::backup::HASH_KEY_FILE);
        if first.exists() && !key.exists() {
            fs::create_dir_all(&data).unwrap();
            fs::copy(&first, &key).unwrap();
        }
        let log = fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(self.log_file(name))
            .unwrap();
        Server::spawn(
            program(&["serve", "--config", self.config.to_str().unwrap()])
                .args(["--data", data.to_str().unwrap()])
                .envs(environment.iter().copied())
                .stderr(log),
        )
    }

    fn log_file(&self, name: &str) -> PathBuf {
        self.folder.path().join(format!("{name}.log"))
    }

    /// What a node logged so far.
    fn log(&self, name: &str) -> String {
        fs::read_to_string(self.log_file(name)).unwrap_or_default()
    }

    fn data(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn drop_folder(&self) -> PathBuf {
        self.folder.path().join("drop")
    }

    /// The output of a command with `--json`, which has to succeed.
    fn ask(&self, args: &[&str]) -> Value {
        let config = self.config.to_str().unwrap();
        let data = self.data("one");
        let data = data.to_str().unwrap();
        let args = [args, &["--config", config, "--data", data, "--json"]].concat();
        let (exit, document) = run_json(&args);
        assert_eq!(exit, 0, "{args:?}: {document:#}");
        document
    }

    /// A key for this work, as the value of a header.
    fn key(&self, scope: &str) -> String {
        let made = self.ask(&["key", "create", "--name", scope, "--scope", scope]);
        format!("Bearer {}", made["key"].as_str().unwrap())
    }

    /// The leads in the database.
    fn leads(&self) -> Vec<Value> {
        let list = self.ask(&["leads", "list", "--limit", "100000"]);
        list["leads"].as_array().unwrap().clone()
    }
}

/// What the analyst is asked over JSON-RPC.
fn question(method: &str, params: &Value) -> String {
    json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string()
}

/// Whether a node is ready, and why not.
fn readiness(node: &Server) -> (u16, Value) {
    let (status, body) = request(&node.address, "GET", "/readyz", &[], "").unwrap();
    (status, serde_json::from_str(&body).unwrap())
}

/// How many vehicles a node publishes.
fn published(node: &Server) -> u64 {
    let found = node.answer(&json!({ "type": "inventory.search.request" }));
    found["data"]["total"].as_u64().unwrap()
}

fn stock(units: usize) -> String {
    let rows: String = (0..units)
        .map(|number| format!("A{number},2022,Honda,Accord\n"))
        .collect();
    format!("Stock,Year,Make,Model\n{rows}")
}

/// Waits a little while a server does something by itself.
fn pause(milliseconds: u64) {
    std::thread::sleep(Duration::from_millis(milliseconds));
}

fn write(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
}
