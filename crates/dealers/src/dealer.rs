//! A dealer and its rooftops.

use aap::{
    Skill,
    dealer::{Address, DealerInformation, Geo, NamedValue, Schedule},
    vehicle::DealerFee,
};
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::{
    AdfSettings, AgentPolicy, AppointmentSettings, Destination, FeedSettings, LeadSettings, Period,
    Regions,
};

/// A dealer, as its `[dealers.ID]` table states it. Rooftops keep the order of the file, because
/// an ambiguous stock number means the first one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dealer {
    /// Name shown to buyers.
    pub name: String,
    /// Greeting that a buyer's agent may show.
    #[serde(default)]
    pub welcome_message: Option<String>,
    /// Host names under which this dealer is served without a path prefix.
    #[serde(default)]
    pub hosts: Vec<String>,
    /// Rooftop of leads without a car and of feed rows without a rooftop; the first when absent.
    #[serde(default)]
    pub default_rooftop: Option<String>,
    /// Skills that the dealer serves.
    #[serde(default = "all_skills")]
    pub skills: Vec<Skill>,
    /// How many vehicles a search returns.
    #[serde(default)]
    pub page: PageLimits,
    /// How long sold and withdrawn units are remembered.
    #[serde(default = "ninety_days")]
    pub remember_sold: Period,
    /// How long published prices and feed runs are kept.
    #[serde(default = "two_years")]
    pub keep_history: Period,
    /// Rooftops in the order in which they own a unit that several of them list: buyers see the
    /// price of the first. Those that are not named follow in the order of the file.
    #[serde(default)]
    pub ownership: Vec<String>,
    /// What becomes of leads after they were taken.
    #[serde(default)]
    pub leads: LeadSettings,
    /// Which buyers' agents are trusted.
    #[serde(default)]
    pub agents: AgentPolicy,
    /// The regions that the dealer serves.
    #[serde(default)]
    pub serves: Regions,
    /// Form of the ADF documents.
    #[serde(default)]
    pub adf: AdfSettings,
    /// Locations by name, at least one.
    #[serde(default)]
    pub rooftops: IndexMap<String, Rooftop>,
    /// Feeds by name.
    #[serde(default)]
    pub feeds: IndexMap<String, FeedSettings>,
}

/// Page sizes of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PageLimits {
    /// Vehicles on a page when the request names no limit.
    pub default: u64,
    /// Most vehicles on a page; larger wishes are cut to it. At most 1000.
    pub most: u64,
}

impl Default for PageLimits {
    fn default() -> Self {
        Self {
            default: 20,
            most: 100,
        }
    }
}

/// One location of a dealer.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Rooftop {
    /// What the feeds' dealer column calls this rooftop.
    pub feed_id: Option<String>,
    /// Mailbox of the CRM: short for a destination called `crm`.
    pub crm: Option<String>,
    /// Who gets a lead that a destination refuses for good: a mailbox, or the name of one of
    /// `destinations`, which then gets no other leads.
    pub fallback: Option<String>,
    /// Where the leads go, by name; each gets every lead.
    pub destinations: IndexMap<String, Destination>,
    /// When appointments are taken; every wish waits for a person when absent.
    pub appointments: Option<AppointmentSettings>,
    /// Registered name.
    pub legal_name: Option<String>,
    /// Website.
    pub website: Option<String>,
    /// Position.
    pub geo: Option<Geo>,
    /// Mail addresses for buyers.
    pub emails: Vec<NamedValue>,
    /// Telephone numbers for buyers.
    pub phones: Vec<NamedValue>,
    /// Postal address.
    pub address: Option<Address>,
    /// Opening hours by department.
    pub schedules: Vec<Schedule>,
    /// IANA zone.
    pub timezone: Option<String>,
    /// Notes for buyers.
    pub notes: Option<String>,
    /// Default charges; absent means not disclosed.
    pub fees: Option<Vec<DealerFee>>,
    /// What the rooftop does.
    pub capabilities: Vec<String>,
}

fn all_skills() -> Vec<Skill> {
    Skill::ALL.to_vec()
}

const fn ninety_days() -> Period {
    Period::days(90)
}

/// California's SB 766 asks dealers to keep their advertisements for two years.
const fn two_years() -> Period {
    Period::days(730)
}

impl Dealer {
    /// The public profile, which is the answer to `dealer.information`.
    #[must_use]
    pub fn information(&self) -> DealerInformation {
        DealerInformation {
            name: self.name.clone(),
            welcome_message: self.welcome_message.clone(),
            rooftops: self
                .rooftops
                .iter()
                .map(|(name, rooftop)| rooftop.profile(name))
                .collect(),
        }
    }

    /// The rooftop of leads and feed rows that name none.
    #[must_use]
    pub fn default_rooftop(&self) -> Option<&str> {
        self.default_rooftop
            .as_deref()
            .or_else(|| self.rooftops.keys().next().map(String::as_str))
    }

    /// Every rooftop, the owner of a unit that several of them list first.
    #[must_use]
    pub fn ownership(&self) -> Vec<&str> {
        let named = self.ownership.iter().map(String::as_str);
        let known = named.filter(|name| self.rooftops.contains_key(*name));
        let others = self.rooftops.keys().map(String::as_str);
        let others = others.filter(|name| !self.ownership.iter().any(|named| named == name));
        known.chain(others).collect()
    }

    /// A telephone number in E.164 form for follow-up: the named rooftop's first, else the
    /// default rooftop's.
    #[must_use]
    pub fn phone(&self, rooftop: Option<&str>) -> Option<&str> {
        rooftop
            .into_iter()
            .chain(self.default_rooftop())
            .filter_map(|name| self.rooftops.get(name))
            .flat_map(|rooftop| &rooftop.phones)
            .map(|phone| phone.value.as_str())
            .find(|value| aap::formats::is_e164(value))
    }
}

impl Rooftop {
    /// The name of the destination that `crm` is short for.
    pub const CRM: &str = "crm";
    /// The name of the destination that a `fallback` mailbox is.
    pub const FALLBACK: &str = "fallback";

    /// Where the leads go, by name, the fallback left out.
    #[must_use]
    pub fn destinations(&self) -> IndexMap<String, Destination> {
        let crm = self.crm.iter().map(|mailbox| {
            let destination = Destination::mailbox(mailbox);
            (Self::CRM.to_owned(), destination)
        });
        let named = self.destinations.iter();
        let named = named.filter(|(name, _)| self.fallback.as_ref() != Some(*name));
        let named = named.map(|(name, destination)| (name.clone(), destination.clone()));
        crm.chain(named).collect()
    }

    /// Who gets a lead that a destination refuses for good, by name.
    #[must_use]
    pub fn fallback(&self) -> Option<(String, Destination)> {
        let fallback = self.fallback.as_ref()?;
        Some(match self.destinations.get(fallback) {
            Some(destination) => (fallback.clone(), destination.clone()),
            None => (Self::FALLBACK.to_owned(), Destination::mailbox(fallback)),
        })
    }

    /// Every place where leads may go, by name: the destinations, then the fallback.
    #[must_use]
    pub fn every_destination(&self) -> IndexMap<String, Destination> {
        self.destinations()
            .into_iter()
            .chain(self.fallback())
            .collect()
    }

    fn profile(&self, name: &str) -> aap::dealer::Rooftop {
        aap::dealer::Rooftop {
            name: name.to_owned(),
            legal_name: self.legal_name.clone(),
            website: self.website.clone(),
            geo: self.geo,
            emails: self.emails.clone(),
            phones: self.phones.clone(),
            address: self.address.clone(),
            schedules: self.schedules.clone(),
            timezone: self.timezone.clone(),
            notes: self.notes.clone(),
            fees: self.fees.clone(),
            capabilities: self.capabilities.clone(),
        }
    }
}
