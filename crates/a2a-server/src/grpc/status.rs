//! Errors as gRPC has them (A2A 1.0 §10.6).

use a2a::error::{Error, ErrorKind, GrpcCode};
use a2a::fault::Fault;
use a2a::headers::ProtocolVersion;
use a2a::protobuf::{EncodedStatus, write_status, write_status_as};
use tonic::{Code, Status};

/// An error with its details.
pub(super) fn status(error: &Error) -> Status {
    with_details(write_status(error))
}

/// An error for a client of a version. What an agent does not offer is UNIMPLEMENTED to those of 0.3, since
/// their servers say so; 1.0 calls it a failed precondition (A2A 1.0 §5.4).
pub(super) fn status_in(version: ProtocolVersion, error: &Error) -> Status {
    match error.kind {
        ErrorKind::PushNotificationNotSupported | ErrorKind::UnsupportedOperation
            if version == ProtocolVersion::V0_3 =>
        {
            with_details(write_status_as(GrpcCode::Unimplemented, error))
        }
        _ => status(error),
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
