//! Errors as gRPC has them (A2A 1.0 §10.6).

use a2a::error::{Error, ErrorKind};
use a2a::fault::Fault;
use a2a::headers::ProtocolVersion;
use a2a::protobuf::{EncodedStatus, write_status, write_status_03};
use tonic::{Code, Status};

/// An error with its details.
pub(super) fn status(error: &Error) -> Status {
    with_details(write_status(error))
}

/// An error for a client of a version.
pub(super) fn status_in(version: ProtocolVersion, error: &Error) -> Status {
    if version == ProtocolVersion::V0_3 {
        with_details(write_status_03(error))
    } else {
        status(error)
    }
}

fn with_details(encoded: EncodedStatus) -> Status {
    let code = Code::from_i32(encoded.code.number());
    Status::with_details(code, encoded.message, encoded.details.into())
}

/// An answer that has no form in protocol buffers.
pub(super) fn unwritable(faults: &[Fault]) -> Status {
    let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
    let message = format!(
        "the answer cannot be sent over gRPC; ask over another binding: {}",
        faults.join("; ")
    );
    status(&Error::new(ErrorKind::InvalidAgentResponse, message))
}
