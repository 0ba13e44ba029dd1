//! The AAP section of a card.

use aap::{Profile, Skill, Version, card};
use serde_json::{Value, json};

use testkit::contract::{contract, draft_contract};

#[test]
fn a_card_of_ours_validates_and_reads_back() {
    let skills = [Skill::InventorySearch, Skill::LeadSubmit];
    for (profile, contract, schemas) in [
        (
            Profile::V1_3,
            contract(),
            "https://autoagentprotocol.org/v1.3/schemas/",
        ),
        (
            Profile::Draft2,
            draft_contract(),
            "https://draft.autoagentprotocol.invalid/latest/schemas/",
        ),
    ] {
        let version = profile.version();
        let extension = card::extension(version, "0199-id", &skills);
        assert_eq!(extension["required"], true);
        assert_eq!(
            extension["params"]["skills"]["inventory.search"]["request_schema"],
            format!("{schemas}inventory-search-request.schema.json")
        );

        let [advertised] = &card::advertised(entries(std::slice::from_ref(&extension)))[..] else {
            panic!("one version");
        };
        assert_eq!(advertised.version, version);
        assert_eq!(advertised.params_id.as_deref(), Some("0199-id"));
        assert_eq!(advertised.skills, skills);

        if let Some(contract) = contract {
            let whole = json!({
                "name": "North Motors", "description": "A dealership", "version": "1",
                "supportedInterfaces": [
                    { "url": "https://dealer.example/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0" }
                ],
                "capabilities": { "extensions": [extension] },
                "defaultInputModes": card::default_input_modes(profile, &skills),
                "defaultOutputModes": card::default_output_modes(profile, &skills),
                "skills": skills.map(|skill| card::skill_entry(profile, skill)),
            });
            contract.assert_accepts("agent-card.schema.json", &whole);
        }
    }
}

#[test]
fn the_extension_is_the_published_one() {
    for (version, contract) in [
        (Version::V1_3, contract()),
        (Version::Draft2, draft_contract()),
    ] {
        let Some(contract) = contract else { return };
        let example = contract.example("agent-card.example.json");
        let published = &example["capabilities"]["extensions"][0];
        let id = published["params"]["id"].as_str().unwrap();
        let ours = card::extension(version, id, &Skill::ALL);
        assert_eq!(ours["uri"], published["uri"]);
        assert_eq!(ours["params"], published["params"]);
    }
}

#[test]
fn a_skill_entry_has_words_and_media_types() {
    for skill in Skill::ALL {
        let entry = serde_json::to_value(card::skill_entry(Profile::V1_3, skill)).unwrap();
        assert_eq!(entry["id"], skill.id());
        assert!(!entry["tags"].as_array().unwrap().is_empty(), "{skill}");
        assert!(entry["description"].as_str().unwrap().len() > 40, "{skill}");
    }
    let entry = card::skill_entry(Profile::V1_3, Skill::InventoryVehicle);
    assert_eq!(
        entry.input_modes,
        [
            "application/json",
            "application/vnd.autoagent.vehicle-detail-request+json"
        ]
    );
    assert_eq!(
        entry.output_modes,
        [
            "application/json",
            "application/vnd.autoagent.vehicle-detail-response+json"
        ]
    );
}

#[test]
fn the_drafts_media_types_are_the_published_ones() {
    let Some(contract) = draft_contract() else {
        return;
    };
    let published = contract.example("agent-card.example.json");
    let (profile, skills) = (Profile::Draft2, &Skill::ALL);
    assert_eq!(
        json!(card::default_input_modes(profile, skills)),
        published["defaultInputModes"]
    );
    assert_eq!(
        json!(card::default_output_modes(profile, skills)),
        published["defaultOutputModes"]
    );
    for (skill, published) in skills.iter().zip(published["skills"].as_array().unwrap()) {
        let entry = serde_json::to_value(card::skill_entry(profile, *skill)).unwrap();
        for member in ["id", "inputModes", "outputModes"] {
            assert_eq!(entry[member], published[member], "{skill} {member}");
        }
    }
}

#[test]
fn cards_of_other_versions_and_agents_are_read() {
    let extensions = [
        json!({ "uri": "https://autoagentprotocol.org/extensions/a2a-automotive-retail/v1.0", "params": { "id": 5 } }),
        json!({ "uri": "https://a2ui.example/v1", "params": {} }),
        json!({ "uri": "https://autoagentprotocol.org/extensions/aap/v1.2", "params": {
            "skills": { "lead.submit": {}, "inventory.search": null, "service.quote": {} }
        } }),
        json!({ "uri": "https://autoagentprotocol.org/extensions/aap/v1.2" }),
        json!({ "uri": "https://autoagentprotocol.org/extensions/aap/v1.2/" }),
        json!({ "uri": "https://autoagentprotocol.org/extensions/a2a-automotive-retail/v0.2" }),
    ];
    let advertised = card::advertised(entries(&extensions));
    let versions: Vec<_> = advertised.iter().map(|it| it.version).collect();
    assert_eq!(versions, [Version::V1_2, Version::V1_0]);
    assert_eq!(
        advertised[0].skills,
        [Skill::InventorySearch, Skill::LeadSubmit]
    );
    assert_eq!(
        (
            advertised[1].params_id.as_deref(),
            advertised[1].skills.as_slice()
        ),
        (None, &[][..])
    );

    assert!(card::advertised(entries(&extensions[1..2])).is_empty());
    let listed = ["lead.submit", "chat", "dealer.information", "lead.submit"];
    assert_eq!(
        card::listed_skills(listed),
        [Skill::DealerInformation, Skill::LeadSubmit]
    );
}

fn entries(extensions: &[Value]) -> impl Iterator<Item = (&str, Option<&Value>)> {
    extensions
        .iter()
        .map(|extension| (extension["uri"].as_str().unwrap(), extension.get("params")))
}
