use std::{collections::HashSet, fs, path::PathBuf};

use jsonschema::{Resource, Validator};

use super::*;
use crate::{
    Money, Skill, Value,
    finding::{Grid, Outcome, Piece, Sentence},
};

/// The schemas of A2UI, where they lie beside the repository.
fn schemas() -> Option<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/a2ui");
    if !folder.is_dir() {
        println!("skipped: no A2UI schemas at {}", folder.display());
        return None;
    }
    Some(folder)
}

fn read(path: PathBuf) -> Json {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// The judge of a version's messages.
fn validator(folder: &std::path::Path, version: Version) -> Validator {
    let mut options = jsonschema::options().should_validate_formats(true);
    let name = match version {
        Version::V0_8 => {
            let schema = folder.join("v0.8/json/server_to_client_with_standard_catalog.json");
            return options.build(&read(schema)).unwrap();
        }
        Version::V0_9 => "v0.9",
        Version::V0_9_1 => "v0.9.1",
    };
    let folder = folder.join(name);
    let catalog = read(folder.join("catalogs/basic/catalog.json"));
    // The envelope names the surface's catalog by an address of its own.
    let mut named = catalog.clone();
    named["$id"] = "https://a2ui.org/specification/v0_9/catalog.json".into();
    let common = read(folder.join("json/common_types.json"));
    let registry = jsonschema::Registry::new()
        .add(
            "https://a2ui.org/specification/v0_9/catalogs/basic/catalog.json",
            Resource::from_contents(catalog),
        )
        .unwrap()
        .add(
            "https://a2ui.org/specification/v0_9/catalog.json",
            Resource::from_contents(named),
        )
        .unwrap()
        .add(
            "https://a2ui.org/specification/v0_9/common_types.json",
            Resource::from_contents(common),
        )
        .unwrap()
        .prepare()
        .unwrap();
    options = options.with_registry(&registry);
    options
        .build(&read(folder.join("json/server_to_client.json")))
        .unwrap()
}

fn finding() -> Finding {
    let mut finding = Finding::new(Skill::Lookup);
    finding.headline = Sentence(vec![
        Piece::Value(Value::Count(25)),
        Piece::Words(" of 30 sofas, the dearest ".to_owned()),
        Piece::Value(Value::Text("<b>*Oslo*</b>".to_owned())),
    ]);
    finding.rule = vec![Sentence(vec![Piece::Words("By price.".to_owned())])];
    let row = |number: u64| {
        vec![
            Value::Id(format!("S_{number}_X")),
            Value::Text("[a](javascript:alert(1)) ${/t0}".to_owned()),
            Value::Money(Money {
                amount: number.into(),
                currency: None,
            }),
            Value::None,
        ]
    };
    finding.grid = Some(Grid {
        columns: ["id", "title", "price", "colour"].map(str::to_owned).into(),
        rows: (1..=25).map(row).collect(),
        left_out: 0,
    });
    finding
}

#[test]
fn messages_validate_against_the_published_schemas() {
    let Some(folder) = schemas() else { return };
    let mut nothing = finding();
    nothing.grid = None;
    nothing.outcome = Outcome::Nothing { rows: 3 };
    let mut bare = Finding::new(Skill::Gaps);
    bare.grid = Some(Grid::default());
    for version in Version::ALL {
        let validator = validator(&folder, version);
        for finding in [&finding(), &nothing, &bare] {
            for message in messages(finding, "task-1", version) {
                let problems: Vec<String> = validator
                    .iter_errors(&message)
                    .map(|problem| format!("{}: {problem}", problem.instance_path()))
                    .collect();
                assert!(
                    problems.is_empty(),
                    "{version:?}: {problems:#?}\n{message:#}"
                );
            }
        }
        let broken = serde_json::json!({ "version": "v0.9", "createSurface": {} });
        assert!(!validator.is_valid(&broken));
    }
}

#[test]
fn every_child_is_a_component_and_every_path_has_its_value() {
    let layout = Layout::of(&finding());
    let ids: HashSet<&str> = layout.nodes.iter().map(|node| node.id.as_str()).collect();
    assert_eq!(ids.len(), layout.nodes.len());
    let model = &messages(&finding(), "s", Version::V0_9)[2]["updateDataModel"]["value"];
    for node in &layout.nodes {
        match &node.kind {
            layout::Kind::Row(children) | layout::Kind::Column(children) => {
                assert!(children.iter().all(|child| ids.contains(child.as_str())));
            }
            layout::Kind::Card(child) => assert!(ids.contains(child.as_str())),
            layout::Kind::Text { path, .. } => assert!(model.pointer(path).unwrap().is_string()),
            layout::Kind::Divider => {}
        }
    }
}

#[test]
fn twenty_rows_are_drawn_and_the_others_counted() {
    let layout = Layout::of(&finding());
    assert_eq!(layout.rows.len(), 20);
    assert!(layout.texts.iter().any(|(_, text)| text == "5 more"));
}

#[test]
fn text_of_data_is_in_no_component_and_is_no_markup() {
    for version in Version::ALL {
        let sent = messages(&finding(), "s", version);
        let of_data = sent
            .iter()
            .find(|message| {
                message
                    .get("updateDataModel")
                    .or(message.get("dataModelUpdate"))
                    .is_some()
            })
            .unwrap();
        for message in sent.iter().filter(|message| *message != of_data) {
            let message = message.to_string();
            assert!(
                !message.contains("Oslo") && !message.contains("javascript"),
                "{message}"
            );
        }
        let of_data = of_data.to_string();
        assert!(of_data.contains(r"\\<b>\\*Oslo\\*\\</b>"), "{of_data}");
        assert!(of_data.contains("S_7_X"), "{of_data}");
    }
}

#[test]
fn what_is_escaped_stands_in_a_body_and_nothing_looks_like_a_list() {
    let layout = Layout::of(&finding());
    let styled = |wanted: &str| {
        layout.nodes.iter().find_map(|node| match &node.kind {
            layout::Kind::Text { path, style } if path == wanted => Some(style.name()),
            _ => None,
        })
    };
    assert_eq!(styled("/t0"), Some("body"), "the headline names *Oslo*");
    assert_eq!(styled("/t1"), Some("caption"), "a header of the table");
    let cells = layout.rows.iter().flat_map(|(_, cells)| cells);
    let all = layout.texts.iter().chain(cells);
    for (_, text) in all {
        assert!(!text.starts_with("- ") && text != "-", "{text}");
    }
}

#[test]
fn a_version_is_found_by_its_extension() {
    for version in Version::ALL {
        assert_eq!(Version::of_extension(version.extension()), Some(version));
        assert!(Version::is_media_type(version.media_type()));
    }
    assert_eq!(
        Version::of_extension("https://a2ui.org/a2a-extension/a2ui/v1.0"),
        None
    );
}
