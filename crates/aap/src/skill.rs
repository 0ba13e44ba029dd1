//! The five skills of the protocol and the names each goes by on the wire.

use serde::{Deserialize, Serialize};

/// One of the five skills of the Auto Agent Protocol (AAP 1.3, `skills.yaml`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Skill {
    /// The dealership's public profile.
    #[serde(rename = "dealer.information")]
    DealerInformation,
    /// Counts and ranges over the stock.
    #[serde(rename = "inventory.facets")]
    InventoryFacets,
    /// Search over the stock.
    #[serde(rename = "inventory.search")]
    InventorySearch,
    /// One vehicle by VIN, stock number or dealer's identifier.
    #[serde(rename = "inventory.vehicle")]
    InventoryVehicle,
    /// A consented lead.
    #[serde(rename = "lead.submit")]
    LeadSubmit,
}

impl Skill {
    /// Every skill, in the order in which a card lists them.
    pub const ALL: [Self; 5] = [
        Self::DealerInformation,
        Self::InventoryFacets,
        Self::InventorySearch,
        Self::InventoryVehicle,
        Self::LeadSubmit,
    ];

    /// The identifier on an agent card, for example `inventory.search`.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::DealerInformation => "dealer.information",
            Self::InventoryFacets => "inventory.facets",
            Self::InventorySearch => "inventory.search",
            Self::InventoryVehicle => "inventory.vehicle",
            Self::LeadSubmit => "lead.submit",
        }
    }

    /// The skill with this identifier.
    #[must_use]
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|skill| skill.id() == id)
    }

    /// The `type` of a request payload, for example `inventory.search.request`.
    #[must_use]
    pub const fn request_type(self) -> &'static str {
        match self {
            Self::DealerInformation => "dealer.information.request",
            Self::InventoryFacets => "inventory.facets.request",
            Self::InventorySearch => "inventory.search.request",
            Self::InventoryVehicle => "inventory.vehicle.request",
            Self::LeadSubmit => "lead.submit.request",
        }
    }

    /// The `type` of a response payload, for example `inventory.search.response`.
    #[must_use]
    pub const fn response_type(self) -> &'static str {
        match self {
            Self::DealerInformation => "dealer.information.response",
            Self::InventoryFacets => "inventory.facets.response",
            Self::InventorySearch => "inventory.search.response",
            Self::InventoryVehicle => "inventory.vehicle.response",
            Self::LeadSubmit => "lead.submit.response",
        }
    }

    /// The skill that a request payload of this `type` calls.
    #[must_use]
    pub fn from_request_type(request_type: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|skill| skill.request_type() == request_type)
    }

    /// The stem that media types and schema files share. It differs from the identifier for
    /// `inventory.vehicle`, whose files are named `vehicle-detail`.
    const fn stem(self) -> &'static str {
        match self {
            Self::DealerInformation => "dealer-information",
            Self::InventoryFacets => "inventory-facets",
            Self::InventorySearch => "inventory-search",
            Self::InventoryVehicle => "vehicle-detail",
            Self::LeadSubmit => "lead-submit",
        }
    }

    /// The media type of the request's data part.
    #[must_use]
    pub fn request_media_type(self) -> String {
        format!("application/vnd.autoagent.{}-request+json", self.stem())
    }

    /// The media type of the response's data part.
    #[must_use]
    pub const fn response_media_type(self) -> &'static str {
        match self {
            Self::DealerInformation => "application/vnd.autoagent.dealer-information-response+json",
            Self::InventoryFacets => "application/vnd.autoagent.inventory-facets-response+json",
            Self::InventorySearch => "application/vnd.autoagent.inventory-search-response+json",
            Self::InventoryVehicle => "application/vnd.autoagent.vehicle-detail-response+json",
            Self::LeadSubmit => "application/vnd.autoagent.lead-submit-response+json",
        }
    }

    /// The file name of the request's JSON Schema below a version's schema folder.
    #[must_use]
    pub fn request_schema(self) -> String {
        format!("{}-request.schema.json", self.stem())
    }

    /// The file name of the response's JSON Schema below a version's schema folder.
    #[must_use]
    pub fn response_schema(self) -> String {
        format!("{}-response.schema.json", self.stem())
    }
}

impl std::fmt::Display for Skill {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.id())
    }
}
