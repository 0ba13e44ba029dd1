//! Leads out of the ADF of other systems, however they write it.
//!
//! [`source`] finds the documents in a file, [`tree`] reads them without insisting on anything,
//! [`prospect`] and [`vehicle`] look for what is meant.

mod prospect;
mod source;
mod tree;
mod vehicle;

#[cfg(test)]
mod tests;

use aap::{lead::Customer, vehicle::Vehicle};
use jiff::{
    Timestamp,
    tz::{Offset, TimeZone},
};
use serde::Serialize;

use super::loose::Loose;

/// Largest file that is read, in bytes.
pub const LARGEST: usize = 32 << 20;
/// Most prospects of one file.
const MOST_PROSPECTS: usize = 10_000;

/// What was read from a file.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Reading {
    /// The leads, in the order of the file.
    pub prospects: Vec<ReadProspect>,
    /// What was odd, or could not be read.
    pub doubts: Vec<Doubt>,
}

/// Something in a file that was odd. It repeats nothing that a person wrote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Doubt {
    /// The prospect that it is about, the first being 1; `None` for the file.
    pub prospect: Option<usize>,
    /// What was found and what was made of it.
    pub what: String,
}

impl std::fmt::Display for Doubt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.prospect {
            Some(number) => write!(f, "prospect {number}: {}", self.what),
            None => f.write_str(&self.what),
        }
    }
}

/// A lead of another system. Nothing of it is judged: any of it may be missing.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct ReadProspect {
    /// Whether the document says that the lead is sent once more.
    pub is_resend: bool,
    /// Identifiers, each with who gave it.
    pub ids: Vec<ReadId>,
    /// `requestdate`, as it stands.
    pub requestdate: Option<String>,
    /// Who enquires. Names are empty where the document has none; a telephone number that no E.164
    /// number can be made of stands as it is.
    pub customer: Customer,
    /// The vehicle that the person wants; placeholders such as `Unknown` are left out.
    pub vehicle: Option<Vehicle>,
    /// The vehicle that the person gives in payment.
    pub trade_in: Option<Vehicle>,
    /// Whether a test drive is asked for.
    pub wants_test_drive: bool,
    /// Comments, and what else people should read, one thought on a line.
    pub message: Option<String>,
    /// The dealership that the lead is for.
    pub vendor: Option<String>,
    /// Who sent it, which CRMs show as its source.
    pub provider: Option<String>,
    /// Home page of who sent it.
    pub provider_url: Option<String>,
}

/// An identifier in a [`ReadProspect`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ReadId {
    /// Who gave it.
    pub source: Option<String>,
    /// The identifier.
    pub value: String,
}

impl ReadProspect {
    /// When the person asked, with the offset that counts there; `None` when the document does not
    /// say. Where it names no offset, `zone` is meant.
    #[must_use]
    pub fn requested_at(&self, zone: &TimeZone) -> Option<(Timestamp, Offset)> {
        let loose = Loose::parse(self.requestdate.as_deref()?)?;
        let at = match loose.offset {
            Some(offset) => offset.to_timestamp(loose.civil),
            None => zone.to_timestamp(loose.civil),
        };
        let at = at.ok()?;
        let offset = loose.offset.unwrap_or_else(|| zone.to_offset(at));
        Some((at, offset))
    }
}

/// Leaves out what is the person's, so that it does not reach a log.
impl std::fmt::Debug for ReadProspect {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ReadProspect")
            .field("ids", &self.ids)
            .field("requestdate", &self.requestdate)
            .field("vendor", &self.vendor)
            .field("provider", &self.provider)
            .finish_non_exhaustive()
    }
}

/// Reads every lead of a file: an ADF document, several one after another, or a mail that holds
/// one as its text, in its HTML, in an HTML comment or attached.
///
/// It never fails and insists on nothing: declarations may be missing, elements may stand in any order
/// and any case, times may lack their offset, and what was odd is told among the doubts. A file
/// without any lead has a doubt that says so.
///
/// ```
/// let file = b"<adf><prospect><customer><contact><name part='first'>Ada</name>
///     <phone>(212) 555-0123</phone></contact></customer></prospect></adf>";
/// let reading = leads::adf::read(file);
/// let customer = &reading.prospects[0].customer;
/// assert_eq!(customer.first_name, "Ada");
/// assert_eq!(customer.phone.as_deref(), Some("+12125550123"));
/// ```
#[must_use]
pub fn read(bytes: &[u8]) -> Reading {
    let mut doubts = Vec::new();
    if bytes.len() > LARGEST {
        doubts.push(Doubt {
            prospect: None,
            what: format!(
                "the file has more than {} MiB; split it",
                LARGEST / (1 << 20)
            ),
        });
        return Reading {
            prospects: Vec::new(),
            doubts,
        };
    }
    let mut of_file = Vec::new();
    let trees = match source::document(bytes, &mut of_file) {
        Some(text) => tree::read(&text, &mut of_file),
        None => Vec::new(),
    };
    let mut nodes = tree::prospects(&trees);
    if nodes.is_empty() {
        of_file.push("no ADF prospect in it".to_owned());
    }
    if nodes.len() > MOST_PROSPECTS {
        of_file.push(format!(
            "only the first {MOST_PROSPECTS} prospects are read"
        ));
        nodes.truncate(MOST_PROSPECTS);
    }
    doubts.extend(of_file.into_iter().map(|what| Doubt {
        prospect: None,
        what,
    }));
    let mut prospects = Vec::with_capacity(nodes.len());
    for (number, node) in (1..).zip(nodes) {
        let mut odd = Vec::new();
        prospects.push(prospect::of(node, &mut odd));
        doubts.extend(odd.into_iter().map(|what| Doubt {
            prospect: Some(number),
            what,
        }));
    }
    Reading { prospects, doubts }
}
