//! A manager's questions over six small catalogs, each with what it must be understood as.
//!
//! `*.toml` hold the questions, `data/` the tables, `arithmetic.py` computes what the answers must say.

mod notation;
mod numbers;

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use analyst::question::{Understood, understand};
use analyst::table::Limits;
use analyst::{Attachment, Intent, Sources, Table};
use serde::Deserialize;

/// The questions of one file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Set {
    own: Option<String>,
    #[serde(default)]
    attached: Vec<String>,
    questions: Vec<Question>,
}

/// A question and what it must be understood as.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    ask: String,
    /// The question before it in the same context.
    after: Option<String>,
    /// `none` where nothing that can be asked must be recognised.
    skill: Option<String>,
    #[serde(default)]
    filters: Vec<String>,
    #[serde(default)]
    params: Vec<String>,
    #[serde(default)]
    unknown: Vec<String>,
    #[serde(default)]
    beyond: Vec<String>,
    /// What else is asked, in the order of the question.
    #[serde(default)]
    also: Vec<Also>,
    /// The wording allows more than one scope, so none is demanded.
    #[serde(default)]
    either: bool,
    language: Option<String>,
    /// How the answer must come out: `found` where it is not said.
    #[serde(default)]
    outcome: Option<String>,
    /// Whether `numbers.json` has what the answer must say.
    #[serde(default)]
    number: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Also {
    skill: String,
    #[serde(default)]
    params: Vec<String>,
}

const SETS: [&str; 8] = [
    "cars",
    "furniture",
    "fashion",
    "feed",
    "tools",
    "market",
    "rivals",
    "snapshots",
];

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/it/questions")
}

fn set(name: &str) -> Set {
    let path = folder().join(format!("{name}.toml"));
    let text = std::fs::read_to_string(&path).expect("the set can be read");
    toml::from_str(&text).unwrap_or_else(|error| panic!("{name}.toml: {error}"))
}

fn table(name: &str) -> Table {
    let bytes = std::fs::read(folder().join("data").join(name)).expect("the table can be read");
    Table::read(name, &bytes, &Limits::default()).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn sources(set: &Set) -> Sources {
    let mut sources = Sources::default();
    sources.own = set.own.as_deref().map(|name| table(name).into());
    sources.attached = set
        .attached
        .iter()
        .map(|name| Attachment::Table(table(name)))
        .collect();
    sources
}

/// Asks a question, and before it the one that it goes on from.
fn ask(question: &Question, set: &Set, sources: &Sources) -> Understood {
    let previous = question.after.as_ref().map_or_else(Vec::new, |after| {
        assert!(
            set.questions.iter().any(|other| other.ask == *after),
            "{after} is not in the set"
        );
        understand(after, sources, &[]).intents
    });
    understand(&question.ask, sources, &previous)
}

#[test]
fn every_question_is_understood_as_its_asker_means_it() {
    let mut asked = 0;
    let mut wrong = String::new();
    for name in SETS {
        let set = set(name);
        let sources = sources(&set);
        for question in &set.questions {
            asked += 1;
            let understood = ask(question, &set, &sources);
            let differences = differences(question, &understood);
            if !differences.is_empty() {
                let _ = writeln!(
                    wrong,
                    "{name}: {}\n    {}",
                    question.ask,
                    differences.join("\n    ")
                );
            }
        }
    }
    assert!(asked >= 150, "{asked} questions are too few");
    let count = wrong.lines().filter(|line| !line.starts_with(' ')).count();
    assert!(
        wrong.is_empty(),
        "{count} of {asked} are misunderstood:\n{wrong}"
    );
}

fn differences(question: &Question, understood: &Understood) -> Vec<String> {
    let mut differences = Vec::new();
    let mut compare = |what: &str, expected: Vec<String>, found: Vec<String>| {
        if expected != found {
            differences.push(format!("{what}: expected {expected:?}, found {found:?}"));
        }
    };
    let expected_skills: Vec<String> = question
        .skill
        .iter()
        .filter(|skill| *skill != "none")
        .cloned()
        .chain(question.also.iter().map(|also| also.skill.clone()))
        .collect();
    compare(
        "skills",
        expected_skills,
        notation::skills(&understood.intents),
    );
    compare(
        "beyond",
        question.beyond.clone(),
        notation::beyond(understood),
    );
    if let Some(language) = &question.language {
        compare(
            "language",
            vec![language.clone()],
            vec![understood.language.code().to_owned()],
        );
    }
    let Some(first) = understood.intents.first() else {
        let has_three = understood.suggestions.len() == 3;
        compare(
            "suggestions",
            vec!["3".to_owned()],
            vec![if has_three { "3" } else { "fewer" }.to_owned()],
        );
        return differences;
    };
    if question.either {
        return differences;
    }
    compare(
        "filters",
        sorted(&question.filters),
        sorted(&notation::filters(first)),
    );
    compare(
        "params",
        sorted(&question.params),
        sorted(&notation::params(first)),
    );
    compare(
        "unknown",
        sorted(&question.unknown),
        sorted(&first.scope.unknown),
    );
    for (also, intent) in question.also.iter().zip(&understood.intents[1..]) {
        compare(
            "further params",
            sorted(&also.params),
            sorted(&notation::params(intent)),
        );
    }
    differences
}

fn sorted(list: &[String]) -> Vec<String> {
    let mut list = list.to_vec();
    list.sort();
    list
}

#[test]
fn suggested_questions_are_understood() {
    for name in SETS {
        let sources = sources(&set(name));
        let suggestions = understand("hello", &sources, &[]).suggestions;
        assert_eq!(suggestions.len(), 3, "{name}");
        for suggestion in suggestions {
            let understood = understand(&suggestion, &sources, &[]);
            let unknown: Vec<&str> = understood
                .intents
                .iter()
                .flat_map(|intent| intent.scope.unknown.iter().map(String::as_str))
                .collect();
            assert_eq!(understood.intents.len(), 1, "{name}: {suggestion}");
            assert!(unknown.is_empty(), "{name}: {suggestion}: {unknown:?}");
        }
    }
}

#[test]
fn a_question_is_understood_the_same_each_time() {
    let set = set("furniture");
    let sources = sources(&set);
    let mut seen: HashMap<&str, Vec<Intent>> = HashMap::new();
    for _ in 0..2 {
        for question in &set.questions {
            let intents = understand(&question.ask, &sources, &[]).intents;
            let before = seen.entry(&question.ask).or_insert_with(|| intents.clone());
            assert_eq!(*before, intents, "{}", question.ask);
        }
    }
}
