//! The AAP section of a card.

use aap::{Skill, Version, card};
use serde_json::{Value, json};

use testkit::contract::contract;

#[test]
fn a_card_of_ours_validates_and_reads_back() {
    let skills = [Skill::InventorySearch, Skill::LeadSubmit];
    let extension = card::extension(Version::V1_3, "0199-id", &skills);
    assert_eq!(extension["required"], true);
    assert_eq!(
        extension["params"]["skills"]["inventory.search"]["request_schema"],
        "https://autoagentprotocol.org/v1.3/schemas/inventory-search-request.schema.json"
    );

    let [advertised] = &card::advertised(entries(std::slice::from_ref(&extension)))[..] else {
        panic!("one version");
    };
    assert_eq!(advertised.version, Version::V1_3);
    assert_eq!(advertised.params_id.as_deref(), Some("0199-id"));
    assert_eq!(advertised.skills, skills);

    if let Some(contract) = contract() {
        let whole = json!({
            "name": "North Motors", "description": "A dealership", "version": "1",
            "supportedInterfaces": [
                { "url": "https://dealer.example/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0" }
            ],
            "capabilities": { "extensions": [extension] },
            "defaultInputModes": ["application/json"], "defaultOutputModes": ["application/json"],
            "skills": skills.map(card::skill_entry),
        });
        contract.assert_accepts("agent-card.schema.json", &whole);
    }
}

#[test]
fn the_extension_is_the_published_one() {
    let Some(contract) = contract() else { return };
    let (_, example) = contract.examples("agent-card").remove(0);
    let published = &example["capabilities"]["extensions"][0];
    let id = published["params"]["id"].as_str().unwrap();
    let ours = card::extension(Version::V1_3, id, &Skill::ALL);
    assert_eq!(ours["uri"], published["uri"]);
    assert_eq!(ours["params"], published["params"]);
}

#[test]
fn a_skill_entry_has_words_and_media_types() {
    for skill in Skill::ALL {
        let entry = serde_json::to_value(card::skill_entry(skill)).unwrap();
        assert_eq!(entry["id"], skill.id());
        assert!(!entry["tags"].as_array().unwrap().is_empty(), "{skill}");
        assert!(entry["description"].as_str().unwrap().len() > 40, "{skill}");
    }
    let entry = serde_json::to_value(card::skill_entry(Skill::InventoryVehicle)).unwrap();
    assert_eq!(
        entry["inputModes"],
        json!([
            "application/json",
            "application/vnd.autoagent.vehicle-detail-request+json"
        ])
    );
    assert_eq!(
        entry["outputModes"],
        json!([
            "application/json",
            "application/vnd.autoagent.vehicle-detail-response+json"
        ])
    );
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
