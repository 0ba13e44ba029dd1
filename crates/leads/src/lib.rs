//! Accepting a lead: consent kept verbatim, repeats, idempotency, appointment requests, and what
//! is due for delivery.
//!
//! It validates no payload (`aap` does), finds no vehicle (`inventory` does) and sends nothing: the
//! caller hands in the payload and the listing that it found, and a delivery row waits in the
//! outbox for whoever sends it.
//!
//! Start reading at [`replay()`] and [`accept()`], which are the two calls of a `lead.submit`.
//!
//! ```
//! use aap::lead::{DealerContact, LeadStatus};
//! use leads::{Caller, Error, HashKey, Idempotency, NewLead, Vault, VehicleMatch};
//! use store::{Clock, Store};
//!
//! # #[tokio::main]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let payload = r#"{
//!     "type": "lead.submit.request",
//!     "customer": { "first_name": "Ada", "last_name": "Example", "email": "ada@example.com" },
//!     "consent": {
//!         "granted_at": "2026-05-01T10:00:00Z",
//!         "allowed_channels": ["email"],
//!         "consent_text": "Demo Motors may write to me about this inquiry.",
//!         "scope": ["lead_submission"]
//!     },
//!     "source_agent": { "name": "example-agent" },
//!     "idempotency_key": "ada-1"
//! }"#;
//! let store = Store::temporary(&[leads::MIGRATIONS], Clock::system())?;
//! let dealer: dealers::DealerId = "demo-motors".parse()?;
//! let hash_key = HashKey::new([0; 32]);
//! let now = store.clock().now();
//! let caller = Caller::new("example-agent");
//!
//! let idempotency = Idempotency::new(&hash_key, &caller, "ada-1", payload)?;
//! let earlier = store
//!     .read({
//!         let (dealer, idempotency) = (dealer.clone(), idempotency.clone());
//!         move |conn| leads::replay(conn, &dealer, &idempotency, now)
//!     })
//!     .await?;
//! assert!(earlier.is_none(), "a first request");
//!
//! let submission = NewLead {
//!     dealer,
//!     lead_id: store.clock().new_id().into(),
//!     appointment_id: store.clock().new_id().into(),
//!     deliveries: vec![leads::NewDelivery {
//!         delivery_id: store.clock().new_id().into(),
//!         destination: "crm".to_owned(),
//!         purpose: leads::Purpose::Lead,
//!     }],
//!     standing: dealers::Standing::Open,
//!     origin: leads::Origin::Agent,
//!     rejected: None,
//!     now,
//!     request: serde_json::from_str(payload)?,
//!     payload: payload.to_owned(),
//!     caller,
//!     idempotency: Some(idempotency),
//!     vehicle: VehicleMatch::None,
//!     rooftop: Some("North".to_owned()),
//!     calendar: None,
//!     contact: DealerContact::default(),
//!     hash_key,
//! }
//! .prepare()?;
//! let vault = Vault::open();
//! let accepted = store
//!     .write(move |conn| leads::accept(conn, &vault, &submission))
//!     .await?;
//! assert_eq!(accepted.result.status, LeadStatus::Received);
//! # Ok(())
//! # }
//! ```

mod accept;
pub mod adf;
pub mod appointment;
mod caller;
mod car;
pub mod daily;
mod delivery;
mod earlier;
mod erase;
mod error;
mod export;
mod hash;
mod held;
mod hold;
mod id;
mod idempotency;
mod import;
mod inquiry;
mod insert;
mod made_up;
mod mask;
mod origin;
pub mod outbox;
mod person;
mod personal;
mod preview;
mod query;
pub mod readiness;
mod rekey;
mod report;
mod revoke;
mod rights;
mod schema;
mod submission;
mod totals;
mod vault;
mod wire;
mod words;

pub use accept::{Accepted, accept};
pub use appointment::{AppointmentStatus, Calendar};
pub use caller::Caller;
pub use car::{VehicleMatch, VehicleState};
pub use delivery::{DeliveryState, NotAState, Purpose};
pub use earlier::is_own_repeat;
pub use erase::{
    Erasure, Order, Told, erase, erase_lost, erase_older, erasures_of, has_person, told,
};
pub use error::Error;
pub use export::{KeptAttempts, KeptLead, export};
pub use hash::HashKey;
pub use held::{HeldCount, HeldLead, count_held, held, release};
pub use hold::{hold, unhold};
pub use id::{AppointmentId, DeliveryId, LeadId};
pub use idempotency::{Idempotency, replay};
pub use import::{Import, Imported, import};
pub use inquiry::Inquiry;
pub use made_up::{MadeUp, made_up};
pub use origin::Origin;
pub use outbox::Arrival;
pub use person::{Whom, WhomFault, leads_of};
pub use personal::Personal;
pub use query::{
    AppointmentSummary, Counts, Cursor, Enquiry, ExportFormat, Filter, Lead, LeadSummary,
    NotACursor, Page, Person, Search, count, enquiries, list, search, search_whole, show,
};
pub use rekey::{Rekeyed, rekey};
pub use report::{AgentReport, report};
pub use revoke::{Revocation, Revoked, revoke};
pub use rights::Rights;
pub use schema::{MIGRATIONS, claim};
pub use submission::{NewDelivery, NewLead, Submission};
pub use totals::{Totals, totals};
pub use vault::{KeyFault, KeyId, KeyIdFault, Vault, VaultError, VaultKey, keys_in_use};
