//! The form of the ADF documents by which leads reach a CRM.

use serde::{Deserialize, Serialize};

/// The form of the ADF documents by which leads reach a CRM, as CRMs differ in what they read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AdfSettings {
    /// Whether the person's name is one element or two.
    pub name: AdfName,
    /// Form of telephone numbers.
    pub phone: AdfPhone,
    /// Whether the document begins with an XML declaration.
    pub declaration: bool,
    /// Who is called the provider, which CRMs show as the source of the lead.
    pub provider: AdfProvider,
    /// The network, where `provider` is `network`.
    pub network: Option<AdfNetwork>,
    /// Where the condition of a trade-in stands.
    pub trade_in_condition: AdfCondition,
    /// The vehicle of a lead that names none.
    pub placeholder: AdfPlaceholder,
}

impl Default for AdfSettings {
    fn default() -> Self {
        Self {
            name: AdfName::Full,
            phone: AdfPhone::E164,
            declaration: true,
            provider: AdfProvider::Agent,
            network: None,
            trade_in_condition: AdfCondition::Comments,
            placeholder: AdfPlaceholder::default(),
        }
    }
}

/// Whether a person's name is one element or two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AdfName {
    /// `<name part="full">`.
    Full,
    /// `<name part="first">` and `<name part="last">`.
    Parts,
}

/// Form of telephone numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum AdfPhone {
    /// `+12125550100`.
    #[serde(rename = "e164")]
    E164,
    /// The ten digits of a North American number: `2125550100`. Other numbers stay E.164.
    #[serde(rename = "ten-digits")]
    TenDigits,
}

/// Who is called the provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AdfProvider {
    /// The buyer's agent that sent the lead.
    Agent,
    /// The network of the settings; the agent is its service.
    Network,
}

/// Where the condition of a trade-in stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AdfCondition {
    /// In the vehicle's comments, as the document type of ADF 1.0 allows.
    Comments,
    /// In an element `<condition>`, which many CRMs read although the document type has no place for
    /// it.
    Element,
}

/// The network through which leads come.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AdfNetwork {
    /// Name, as the CRM knows the source.
    pub name: String,
    /// Home page.
    #[serde(default)]
    pub url: Option<String>,
    /// Mail address.
    #[serde(default)]
    pub email: Option<String>,
    /// Telephone number.
    #[serde(default)]
    pub phone: Option<String>,
}

/// The vehicle of a lead that names none: ADF 1.0 asks for year, make and model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AdfPlaceholder {
    /// Year.
    pub year: String,
    /// Make.
    pub make: String,
    /// Model.
    pub model: String,
}

impl Default for AdfPlaceholder {
    fn default() -> Self {
        let unknown = || "Unknown".to_owned();
        Self {
            year: unknown(),
            make: unknown(),
            model: unknown(),
        }
    }
}
