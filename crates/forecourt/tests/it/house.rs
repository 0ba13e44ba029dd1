//! The house rules that a machine can hold: which crate may use which, and how long a file is.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;

/// What each crate uses of ours, as ARCHITECTURE.md draws it.
const EDGES: &[(&str, &[&str])] = &[
    ("analyst", &[]),
    ("a2a", &[]),
    ("a2a-server", &["a2a", "egress"]),
    ("a2a-client", &["a2a", "egress"]),
    ("aap", &[]),
    ("egress", &[]),
    ("store", &[]),
    ("dealers", &["aap", "store"]),
    ("inventory", &["aap", "store", "dealers"]),
    ("leads", &["aap", "store", "dealers"]),
    ("catalogs", &["analyst", "dealers", "inventory", "store"]),
    (
        "outside",
        &[
            "catalogs",
            "dealers",
            "egress",
            "inventory",
            "leads",
            "store",
        ],
    ),
    (
        "forecourt",
        &[
            "a2a",
            "a2a-server",
            "a2a-client",
            "aap",
            "analyst",
            "catalogs",
            "egress",
            "store",
            "dealers",
            "inventory",
            "leads",
            "outside",
        ],
    ),
    ("testkit", &[]),
    (
        "bench",
        &[
            "a2a",
            "a2a-server",
            "aap",
            "analyst",
            "dealers",
            "inventory",
            "forecourt",
            "store",
            "testkit",
        ],
    ),
];

/// Crates of others that only one of ours may use, because it is the one place that guards them.
const ONLY_IN: &[(&str, &[&str])] = &[
    ("reqwest", &["egress"]),
    ("lettre", &["outside"]),
    // A baseline stands beside what it is compared with, so it uses what lies below.
    ("rusqlite", &["store", "bench"]),
    ("tokio-postgres", &["store"]),
    ("axum", &["a2a-server", "forecourt", "bench"]),
];

const LONGEST_FILE: usize = 800;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .unwrap()
        .to_owned()
}

#[test]
fn the_crates_use_each_other_as_the_picture_shows() {
    let output = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--format-version",
            "1",
            "--no-deps",
            "--offline",
        ])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(output.status.success(), "cargo metadata failed");
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let picture: BTreeMap<&str, &[&str]> = EDGES.iter().copied().collect();
    let mut faults = Vec::new();
    let mut seen = BTreeSet::new();
    for package in metadata["packages"].as_array().unwrap() {
        let name = package["name"].as_str().unwrap();
        seen.insert(name);
        let Some(drawn) = picture.get(name) else {
            faults.push(format!("{name} is not in the picture"));
            continue;
        };
        let mut used_of_ours = BTreeSet::new();
        for dependency in package["dependencies"].as_array().unwrap() {
            if dependency["kind"] == "dev" {
                continue;
            }
            let used = dependency["name"].as_str().unwrap();
            if !dependency["path"].is_null() {
                used_of_ours.insert(used);
            }
            for (guarded, owners) in ONLY_IN {
                if used == *guarded && !owners.contains(&name) {
                    faults.push(format!("{name} must not use {guarded}"));
                }
            }
        }
        let drawn: BTreeSet<&str> = drawn.iter().copied().collect();
        for missing in used_of_ours.difference(&drawn) {
            faults.push(format!("{name} must not use {missing}"));
        }
        for idle in drawn.difference(&used_of_ours) {
            faults.push(format!(
                "{name} does not use {idle}, which the picture shows"
            ));
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
    let drawn: BTreeSet<&str> = picture.keys().copied().collect();
    assert_eq!(seen, drawn, "the picture and the workspace differ");
}

#[test]
fn no_source_file_is_longer_than_the_limit() {
    let mut long = Vec::new();
    let mut folders = ["bench", "crates", "tests"]
        .map(|it| root().join(it))
        .to_vec();
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                // What a workspace of its own has built.
                if !path.ends_with("target") {
                    folders.push(path);
                }
            } else if path.extension().is_some_and(|it| it == "rs") {
                files += 1;
                let lines = std::fs::read_to_string(&path).unwrap().lines().count();
                if lines > LONGEST_FILE {
                    long.push(format!("{}: {lines} lines", path.display()));
                }
            }
        }
    }
    assert!(files > 10, "the walk found no source files");
    assert!(long.is_empty(), "{long:#?}");
}

#[test]
fn the_key_of_every_table_begins_with_the_dealer() {
    let mut tables = 0;
    for migration in forecourt::app::migrations().into_iter().flatten() {
        for statement in migration.sql.split("CREATE TABLE ").skip(1) {
            let name = statement.split_whitespace().next().unwrap();
            let statement = statement.split(';').next().unwrap();
            let key = statement.split("PRIMARY KEY").nth(1).unwrap_or_default();
            tables += 1;
            assert!(
                key.trim_start().starts_with("(dealer"),
                "table {name} has the key {key:?}"
            );
        }
    }
    assert!(tables > 5, "only {tables} tables were found");
}
