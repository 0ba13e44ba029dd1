//! The AAP section of an A2A agent card (AAP 1.3 and the 2.0 draft, agent card page): writing it for a
//! dealer, and reading what a dealer advertises. The card itself belongs to the A2A layer.

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::{
    Skill,
    version::{Profile, Version},
};

/// The entry of `capabilities.extensions[]` that declares AAP.
///
/// `params_id` identifies this state of the card; a new one tells buyers that the card has changed.
#[must_use]
pub fn extension(version: Version, params_id: &str, skills: &[Skill]) -> Value {
    let base = version.schema_base_url();
    let schemas: Map<String, Value> = skills
        .iter()
        .map(|skill| {
            let schemas = json!({
                "request_schema": format!("{base}{}", skill.request_schema()),
                "response_schema": format!("{base}{}", skill.response_schema()),
            });
            (skill.id().to_owned(), schemas)
        })
        .collect();
    json!({
        "uri": version.extension_uri(),
        "description": format!("Speaks the Auto Agent Protocol {version}: typed payloads for a dealership's stock and for leads."),
        "required": true,
        "params": {
            "id": params_id,
            "version": version.semver(),
            "schema_base_url": base,
            "skills": schemas,
        },
    })
}

/// An entry of a card's `skills[]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SkillEntry {
    /// Identifier, for example `inventory.search`.
    pub id: &'static str,
    /// Name for people.
    pub name: &'static str,
    /// What the skill does and takes, for people and models that choose among skills.
    pub description: &'static str,
    /// Search words.
    pub tags: &'static [&'static str],
    /// Media types of the request.
    pub input_modes: Vec<String>,
    /// Media types of the response.
    pub output_modes: Vec<String>,
}

/// The entry of `skills[]` for a skill. Under AAP 1.3 it names plain JSON beside the skill's own pair of
/// media types; the 2.0 draft knows the pair only.
#[must_use]
pub fn skill_entry(profile: Profile, skill: Skill) -> SkillEntry {
    let (name, description, tags) = wording(skill);
    let modes = |own: String| match profile {
        Profile::V1_3 => vec![JSON.to_owned(), own],
        Profile::Draft2 => vec![own],
    };
    SkillEntry {
        id: skill.id(),
        name,
        description,
        tags,
        input_modes: modes(skill.request_media_type()),
        output_modes: modes(skill.response_media_type().to_owned()),
    }
}

/// A card's `defaultInputModes`: plain JSON (AAP 1.3), or the media type of each skill's request (the 2.0
/// draft).
#[must_use]
pub fn default_input_modes(profile: Profile, skills: &[Skill]) -> Vec<String> {
    match profile {
        Profile::V1_3 => vec![JSON.to_owned()],
        Profile::Draft2 => skills
            .iter()
            .map(|skill| skill.request_media_type())
            .collect(),
    }
}

/// A card's `defaultOutputModes`: plain JSON (AAP 1.3), or the media type of each skill's response (the
/// 2.0 draft).
#[must_use]
pub fn default_output_modes(profile: Profile, skills: &[Skill]) -> Vec<String> {
    match profile {
        Profile::V1_3 => vec![JSON.to_owned()],
        Profile::Draft2 => skills
            .iter()
            .map(|skill| skill.response_media_type().to_owned())
            .collect(),
    }
}

const JSON: &str = "application/json";

const fn wording(skill: Skill) -> (&'static str, &'static str, &'static [&'static str]) {
    match skill {
        Skill::DealerInformation => (
            "Dealership profile",
            "Who the dealership is: its rooftops with addresses, telephone numbers, opening hours and time zones, what each rooftop does, and its standing charges. Takes no input.",
            &["dealership", "rooftops", "hours", "contact", "fees"],
        ),
        Skill::InventoryFacets => (
            "Stock overview",
            "What is on the lot in numbers: how many vehicles per make, model, year, condition, body, colour and rooftop, and the spans of price, mileage, year, displacement and electric range. Takes the same filters as the search.",
            &["inventory", "facets", "counts", "filters"],
        ),
        Skill::InventorySearch => (
            "Stock search",
            "Finds vehicles of every kind (cars, trucks, motorcycles, trailers, recreational vehicles) by make, model, trim, year, condition, price, mileage, body, colour, drivetrain, electric range, rooftop or free text, sorted and in pages. Needs no personal data.",
            &["inventory", "search", "vehicles", "cars", "motorcycles"],
        ),
        Skill::InventoryVehicle => (
            "One vehicle",
            "Everything known about one vehicle, named by VIN, stock number or the dealer's identifier: status, prices and charges, equipment, photos, and the page that shows it.",
            &["inventory", "vehicle", "vin", "stock number"],
        ),
        Skill::LeadSubmit => (
            "Lead with consent",
            "Hands an enquiry to the dealership: the person, the consent they gave, and any of a vehicle of interest, a trade-in, an appointment and a message. Refused without consent.",
            &["lead", "consent", "appointment", "test drive", "trade-in"],
        ),
    }
}

/// A version that a card advertises.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Advertised {
    /// The version.
    pub version: Version,
    /// `params.id`, which changes with the card.
    pub params_id: Option<String>,
    /// The skills whose schemas `params.skills` names, in the order of [`Skill::ALL`]; cards of 1.0
    /// name none. What may be called is what the card's `skills[]` lists: see [`listed_skills`].
    pub skills: Vec<Skill>,
}

/// The AAP versions that a card advertises, newest first, from the `uri` and `params` of its
/// extensions. Empty for an agent that does not speak AAP, or in no version that this crate knows.
#[must_use]
pub fn advertised<'a>(
    extensions: impl IntoIterator<Item = (&'a str, Option<&'a Value>)>,
) -> Vec<Advertised> {
    let mut found: Vec<Advertised> = Vec::new();
    for (uri, params) in extensions {
        let Some(version) = Version::from_extension_uri(uri) else {
            continue;
        };
        let member = |name| params.and_then(|params| params.get(name));
        let named = member("skills").and_then(Value::as_object);
        found.push(Advertised {
            version,
            params_id: member("id").and_then(Value::as_str).map(str::to_owned),
            skills: listed_skills(named.into_iter().flat_map(Map::keys).map(String::as_str)),
        });
    }
    found.sort_by_key(|advertised| std::cmp::Reverse(advertised.version));
    found.dedup_by_key(|advertised| advertised.version);
    found
}

/// The AAP skills among these identifiers, in the order of [`Skill::ALL`]. Other skills, which a
/// card may list too, are left out.
#[must_use]
pub fn listed_skills<'a>(ids: impl IntoIterator<Item = &'a str>) -> Vec<Skill> {
    let mut skills: Vec<_> = ids.into_iter().filter_map(Skill::from_id).collect();
    skills.sort_unstable();
    skills.dedup();
    skills
}
