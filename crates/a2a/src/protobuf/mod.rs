//! The protocol in protocol buffers, for gRPC (A2A 1.0 §10, A2A 0.3 §3.5.2).
//!
//! [`v1`] and [`v0_3`] are generated from the files in `proto/`. Each of their messages is a [`Form`] of
//! one type of the model: a server [reads](Form::read) requests and [writes](Form::write) answers, and
//! those of 0.3 are translated on the way, as [`v03`](crate::v03) tells. Services are generated where they
//! are served, from [`FILE_DESCRIPTOR_SET`]; its bytes also answer reflection.
//!
//! A message is checked as the JSON form is, with faults at the same places, so that a request is refused
//! in the same words on every binding.
//!
//! Numbers in free-form data are doubles here. One that is whole and within ±2^53 becomes an integer in
//! JSON; an integer beyond that would change on its way, and is a fault.
//!
//! ```
//! use a2a::model::{Message, Part};
//! use a2a::protobuf::{Form, v1};
//!
//! let message = Message::user("m-1").with_part(Part::text("Is it still there?"));
//! let encoded = v1::Message::write(message.clone()).unwrap();
//! assert_eq!(encoded.read().unwrap(), message);
//!
//! let refused = v1::Message::default().read().unwrap_err();
//! assert_eq!(
//!     refused.message,
//!     "messageId is missing; role is missing; parts is missing",
//! );
//! ```

mod card;
mod convert;
mod json;
mod model;
mod old;
mod status;

use crate::error::Error;
use crate::fault::{At, Fault, Faults};
use convert::Convert;

pub use status::{EncodedStatus, read_status, write_status, write_status_03};

/// The messages of A2A 1.0, package `lf.a2a.v1`.
#[expect(missing_docs, reason = "generated; the model documents the members")]
pub mod v1 {
    include!(concat!(env!("OUT_DIR"), "/lf.a2a.v1.rs"));
}

/// The messages of A2A 0.3, package `a2a.v1`.
#[expect(missing_docs, reason = "generated; the model documents the members")]
pub mod v0_3 {
    include!(concat!(env!("OUT_DIR"), "/a2a.v1.rs"));
}

#[expect(unreachable_pub, reason = "generated")]
mod rpc {
    include!(concat!(env!("OUT_DIR"), "/google.rpc.rs"));
}

/// The descriptors of both packages with their services, an encoded `google.protobuf.FileDescriptorSet`.
pub const FILE_DESCRIPTOR_SET: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/descriptors.bin"));

/// A message in protocol buffers, and the type of the model that it carries.
pub trait Form: Sized {
    /// The type of the model.
    type Model;

    /// Reads a message.
    ///
    /// # Errors
    ///
    /// Invalid params, with every fault and its place: a missing required member, a number that means
    /// nothing.
    fn read(self) -> Result<Self::Model, Error> {
        match self.read_lenient() {
            (model, faults) if faults.is_empty() => Ok(model),
            (_, faults) => Err(Error::invalid_params(&faults)),
        }
    }

    /// Reads a message and lists its faults beside it; where a member is missing or wrong, the value has
    /// an empty one.
    fn read_lenient(self) -> (Self::Model, Vec<Fault>);

    /// Writes a message.
    ///
    /// # Errors
    ///
    /// Every number that would change on its way, and its place.
    fn write(model: Self::Model) -> Result<Self, Vec<Fault>>;
}

fn read_lenient<P, M: Convert<P>>(message: P) -> (M, Vec<Fault>) {
    let faults = Faults::default();
    let model = M::from_wire(message, At::root(&faults));
    (model, faults.into_vec())
}

fn write<P, M: Convert<P>>(model: M) -> Result<P, Vec<Fault>> {
    let faults = Faults::default();
    let message = model.into_wire(At::root(&faults));
    match faults.into_vec() {
        faults if faults.is_empty() => Ok(message),
        faults => Err(faults),
    }
}
