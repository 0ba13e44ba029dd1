//! The buyer's side of the Auto Agent Protocol: discover a dealer's agent, browse its stock, and
//! hand it a lead with consent. Written for developers of buyers' agents; the `buyer` commands are
//! made of it.
//!
//! A dealer is spoken to in exactly the AAP version that its card advertises (1.0 to 1.3 or the 2.0
//! draft; live dealers differ), and only the skills that the card lists are called. Prices carry
//! what they cover, because `price` means out-the-door up to 1.2 and advertised from 1.3 on. A lead
//! is kept on disk until it is answered, so that a repeat is the same lead.
//!
//! What it is not: a client for other A2A agents (that is `a2a-client`), or a judge of offers.
//!
//! Start reading at [`Dealer`], then [`Lead`]; [`market`] asks many dealers at once.
//!
//! ```no_run
//! use aap::inventory::{Filters, SearchRequest};
//! use forecourt::buyer::Dealer;
//! use store::Clock;
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let egress = egress::Egress::new(egress::Options::default())?;
//! let dealer = Dealer::discover(&egress, "https://dealer.example", &Clock::system()).await?;
//! let request = SearchRequest {
//!     filters: Some(Filters { make: vec!["Honda".to_owned()], ..Filters::default() }),
//!     ..SearchRequest::default()
//! };
//! let answer = dealer.search(&request).await?;
//! for vehicle in &answer.data.result.vehicles {
//!     match dealer.price(vehicle) {
//!         Some(price) => println!("{:?}: ${} {}", vehicle.model, price.dollars, price.basis.as_str()),
//!         None => println!("{:?}: price not stated", vehicle.model),
//!     }
//! }
//! # Ok(())
//! # }
//! ```

pub(crate) mod command;
mod dealer;
mod error;
mod lead;
pub mod market;
pub mod pending;
mod price;
mod reach;
mod retry;

pub use dealer::{Agent, Answer, Dealer, GenericAgent, SearchPage, discover_agent};
pub use error::{Error, ErrorKind};
pub use lead::Lead;
pub use price::Price;
pub use retry::Retry;
