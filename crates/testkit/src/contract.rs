//! AAP's own schemas and examples, offline, with formats asserted.

use std::{
    collections::{BTreeMap, HashMap},
    error::Error,
    fs,
    path::{Path, PathBuf},
    sync::OnceLock,
};

use jsonschema::{Retrieve, Uri, Validator};
use serde_json::{Value, json};

/// The published contract of one version of AAP.
pub struct Contract {
    folder: PathBuf,
    schemas: HashMap<String, Value>,
    validators: OnceLock<HashMap<String, Validator>>,
}

/// The contract of AAP 1.3, or `None` where its folder is absent, which is printed once.
pub fn contract() -> Option<&'static Contract> {
    static CONTRACT: OnceLock<Option<Contract>> = OnceLock::new();
    CONTRACT.get_or_init(|| Contract::load("v1.3")).as_ref()
}

/// The contract of the 2.0 draft, or `None` where its folder is absent, which is printed once.
pub fn draft_contract() -> Option<&'static Contract> {
    static CONTRACT: OnceLock<Option<Contract>> = OnceLock::new();
    CONTRACT
        .get_or_init(|| Contract::load("draft-2.0"))
        .as_ref()
}

impl Contract {
    fn load(version: &str) -> Option<Self> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../../shared/aap")
            .join(version);
        if !folder.is_dir() {
            println!(
                "skipped: checks against AAP's schemas ({version}), which are not beside this project"
            );
            return None;
        }
        Some(Self {
            schemas: schemas(&folder.join("schemas")),
            folder,
            validators: OnceLock::new(),
        })
    }

    /// Whether the schema in this file accepts a payload.
    pub fn accepts(&self, schema_file: &str, payload: &Value) -> bool {
        self.validator(schema_file).is_valid(payload)
    }

    /// Panics with the schema's reasons when it does not accept the payload.
    pub fn assert_accepts(&self, schema_file: &str, payload: &Value) {
        let errors: Vec<_> = self
            .validator(schema_file)
            .iter_errors(payload)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{schema_file}: {errors:#?}");
    }

    /// The example payloads whose file name contains `part`, with their names; at least one.
    pub fn examples(&self, part: &str) -> Vec<(String, Value)> {
        let mut found: Vec<_> = json_files(&self.folder.join("examples"))
            .into_iter()
            .filter(|(name, _)| name.contains(part) && !name.contains("jsonrpc"))
            .collect();
        assert!(!found.is_empty(), "no example is named {part}");
        found.sort_by(|a, b| a.0.cmp(&b.0));
        found
    }

    /// One example, which may be a whole JSON-RPC envelope.
    pub fn example(&self, name: &str) -> Value {
        read(&self.folder.join("examples").join(name))
    }

    /// What every schema demands, by file name: the schemas without identifiers and words for people.
    pub fn demands(&self) -> BTreeMap<&str, Value> {
        self.schemas
            .iter()
            .map(|(id, schema)| (file_name(id), without_words(schema)))
            .collect()
    }

    fn validator(&self, schema_file: &str) -> &Validator {
        let validators = self.validators.get_or_init(|| {
            let build = |schema| {
                jsonschema::options()
                    .should_validate_formats(true)
                    .with_retriever(Offline(self.schemas.clone()))
                    .build(schema)
                    .unwrap()
            };
            self.schemas
                .iter()
                .map(|(id, schema)| (file_name(id).to_owned(), build(schema)))
                .collect()
        });
        &validators[schema_file]
    }
}

/// The schema of a string with a format or pattern, for comparing formats alone.
pub fn string_schema(keyword: &str, value: &str) -> Validator {
    jsonschema::options()
        .should_validate_formats(true)
        .build(&json!({ "type": "string", keyword: value }))
        .unwrap()
}

fn without_words(schema: &Value) -> Value {
    match schema {
        Value::Object(members) => members
            .iter()
            .filter(|(name, value)| {
                let words = ["$id", "title", "description", "examples"].contains(&name.as_str());
                // A property of that name is an object, not a text or list.
                !words || value.is_object()
            })
            .map(|(name, value)| (name.clone(), without_words(value)))
            .collect(),
        Value::Array(elements) => elements.iter().map(without_words).collect(),
        other => other.clone(),
    }
}

struct Offline(HashMap<String, Value>);

impl Retrieve for Offline {
    fn retrieve(&self, uri: &Uri<String>) -> Result<Value, Box<dyn Error + Send + Sync>> {
        let known = self.0.get(uri.as_str());
        Ok(known
            .ok_or_else(|| format!("{uri} is not in the folder"))?
            .clone())
    }
}

fn schemas(folder: &Path) -> HashMap<String, Value> {
    json_files(folder)
        .into_iter()
        .chain(json_files(&folder.join("_primitives")))
        .map(|(_, schema)| (schema["$id"].as_str().unwrap().to_owned(), schema))
        .collect()
}

fn json_files(folder: &Path) -> Vec<(String, Value)> {
    fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "json")
        })
        .map(|path| {
            let name = file_name(path.to_str().unwrap()).to_owned();
            (name, read(&path))
        })
        .collect()
}

fn read(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
