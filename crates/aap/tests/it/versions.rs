//! What a buyer's agent sends to dealers of each version.

use aap::{
    NotInVersion, PriceBasis, Request, Version,
    inventory::{FacetsRequest, Filters, SearchRequest, VehicleRequest},
    validate,
    vehicle::VehicleType,
};
use serde_json::{Value, json};

use testkit::contract::{contract, draft_contract};

use crate::{lead, now, without};

#[test]
fn a_version_is_known_by_its_extension_uri() {
    for (version, uri, schemas, semver, basis) in [
        (
            Version::V1_0,
            "https://autoagentprotocol.org/extensions/a2a-automotive-retail/v1.0",
            "https://autoagentprotocol.org/v1.0/schemas/",
            "1.0.0",
            PriceBasis::OutTheDoor,
        ),
        (
            Version::V1_1,
            "https://autoagentprotocol.org/extensions/aap/v1.1",
            "https://autoagentprotocol.org/v1.1/schemas/",
            "1.1.0",
            PriceBasis::OutTheDoor,
        ),
        (
            Version::V1_2,
            "https://autoagentprotocol.org/extensions/aap/v1.2",
            "https://autoagentprotocol.org/v1.2/schemas/",
            "1.2.0",
            PriceBasis::OutTheDoor,
        ),
        (
            Version::V1_3,
            "https://autoagentprotocol.org/extensions/aap/v1.3",
            "https://autoagentprotocol.org/v1.3/schemas/",
            "1.3.0",
            PriceBasis::Advertised,
        ),
        (
            Version::Draft2,
            "https://draft.autoagentprotocol.invalid/extensions/aap/latest",
            "https://draft.autoagentprotocol.invalid/latest/schemas/",
            "0.0.0-dev",
            PriceBasis::Advertised,
        ),
    ] {
        assert_eq!(Version::from_extension_uri(uri), Some(version));
        assert_eq!(version.extension_uri(), uri);
        assert_eq!(version.schema_base_url(), schemas);
        assert_eq!(version.semver(), semver);
        assert_eq!(version.price_basis(), basis);
        let released = version != Version::Draft2;
        assert_eq!(uri.ends_with(&format!("/v{version}")), released);
    }
    for other in [
        "https://autoagentprotocol.org/extensions/aap/v1.0",
        "https://autoagentprotocol.org/extensions/aap/v1.3.0",
        "HTTPS://autoagentprotocol.org/extensions/aap/v1.3",
        "https://autoagentprotocol.org/extensions/aap/v2.0",
        "https://draft.autoagentprotocol.invalid/extensions/aap/latest/",
        "",
    ] {
        assert_eq!(Version::from_extension_uri(other), None, "{other}");
    }
}

#[test]
fn a_version_of_the_protocol_is_told_from_another_extension() {
    for version in Version::ALL {
        assert!(Version::is_family(version.extension_uri()), "{version}");
    }
    for unknown in [
        "https://autoagentprotocol.org/extensions/a2a-automotive-retail/v0.2",
        "https://autoagentprotocol.org/extensions/aap/v2.0",
        "https://draft.autoagentprotocol.invalid/extensions/aap/next",
    ] {
        assert!(Version::is_family(unknown), "{unknown}");
        assert_eq!(Version::from_extension_uri(unknown), None, "{unknown}");
    }
    for other in [
        "https://autoagentprotocol.org/extensions/other/v1.0",
        "https://autoagentprotocol.example/extensions/aap/v1.3",
        "aap/v1.3",
        "",
    ] {
        assert!(!Version::is_family(other), "{other}");
    }
}

#[test]
fn the_drafts_payloads_are_those_of_1_3() {
    let (Some(released), Some(draft)) = (contract(), draft_contract()) else {
        return;
    };
    let (mut released, mut draft) = (released.demands(), draft.demands());
    for file in ["agent-card.schema.json", "error.schema.json"] {
        assert_ne!(released.remove(file), draft.remove(file), "{file}");
    }
    assert!(released.len() > 15);
    assert_eq!(released, draft);
}

#[test]
fn a_lead_names_its_agent_in_the_way_of_the_version() {
    let payload = without(lead(), "/vehicle_of_interest/fees");
    let request = validate(&payload, now()).unwrap();
    for version in Version::ALL.into_iter().skip(1) {
        assert_eq!(
            request.to_payload(version),
            Ok(payload.clone()),
            "{version}"
        );
    }
    let in_1_0 = request.to_payload(Version::V1_0).unwrap();
    assert_eq!(in_1_0["source_agent"], "fixture-agent");
    assert_eq!(in_1_0["consent"]["source_agent"], "fixture-agent");
    // Nothing else differs.
    let mut without_agent = in_1_0;
    without_agent["source_agent"] = payload["source_agent"].clone();
    assert_eq!(without(without_agent, "/consent/source_agent"), payload);
}

#[test]
fn fees_are_sent_from_1_3_on() {
    let mut payload = lead();
    payload["trade_in"]["fees"] = json!([]);
    let request = validate(&payload, now()).unwrap();
    for version in [Version::V1_3, Version::Draft2] {
        assert_eq!(
            request.to_payload(version),
            Ok(payload.clone()),
            "{version}"
        );
    }
    for version in [Version::V1_0, Version::V1_1, Version::V1_2] {
        let members = vec!["/vehicle_of_interest/fees", "/trade_in/fees"];
        let refused = request.to_payload(version).unwrap_err();
        assert_eq!(refused.members, members, "{version}");
    }
}

#[test]
fn filters_that_a_version_does_not_know_are_reported() {
    let filters = Some(Filters {
        make: vec!["Zero".to_owned()],
        vehicle_type: vec![VehicleType::Motorcycle],
        electric_range_mi_min: Some(100),
        electric_range_mi_max: Some(200),
        dc_fast_charge: Some(false),
        charge_port: vec!["j1772".to_owned()],
        displacement_cc_min: Some(0),
        displacement_cc_max: Some(0),
        ..Filters::default()
    });
    let newer = [
        "/filters/vehicle_type",
        "/filters/electric_range_mi_min",
        "/filters/electric_range_mi_max",
        "/filters/dc_fast_charge",
        "/filters/charge_port",
        "/filters/displacement_cc_min",
        "/filters/displacement_cc_max",
    ];
    let search = Request::InventorySearch(SearchRequest {
        filters: filters.clone(),
        ..SearchRequest::default()
    });
    let facets = Request::InventoryFacets(FacetsRequest { filters });
    for request in [search, facets] {
        for version in [Version::V1_0, Version::V1_1] {
            let NotInVersion { members, .. } = request.to_payload(version).unwrap_err();
            assert_eq!(members, newer, "{version}");
        }
        for version in [Version::V1_2, Version::V1_3, Version::Draft2] {
            let payload = request.to_payload(version).unwrap();
            assert_eq!(payload["filters"]["vehicle_type"], json!(["motorcycle"]));
            assert_eq!(validate(&payload, now()).as_ref(), Ok(&request));
        }
    }
    let refused = NotInVersion {
        version: Version::V1_1,
        members: vec![newer[0], newer[4]],
    };
    assert_eq!(
        refused.to_string(),
        "AAP 1.1 does not know /filters/vehicle_type, /filters/charge_port"
    );
}

#[test]
fn old_filters_go_to_every_version() {
    let search = Request::InventorySearch(SearchRequest {
        filters: Some(Filters {
            make: vec!["Ford".to_owned()],
            year_min: Some(2020),
            query: Some("crew cab".to_owned()),
            ..Filters::default()
        }),
        ..SearchRequest::default()
    });
    let vehicle = Request::InventoryVehicle(VehicleRequest {
        stock: Some("N-1".to_owned()),
        ..VehicleRequest::default()
    });
    for version in Version::ALL {
        assert_eq!(
            search.to_payload(version).unwrap(),
            json!({
                "type": "inventory.search.request",
                "filters": { "make": ["Ford"], "year_min": 2020, "query": "crew cab" },
            })
        );
        let sent = |request: &Request| -> Value { request.to_payload(version).unwrap() };
        assert_eq!(
            sent(&vehicle),
            json!({ "type": "inventory.vehicle.request", "stock": "N-1" })
        );
        assert_eq!(
            sent(&Request::DealerInformation),
            json!({ "type": "dealer.information.request" })
        );
    }
}
