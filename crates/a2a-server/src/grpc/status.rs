//! Errors as gRPC has them (A2A 1.0 §10.6).

use a2a::error::{Error, ErrorKind};
use a2a::fault::Fault;
use a2a::protobuf::write_status;
use tonic::{Code, Status};

/// An error with its details.
pub(super) fn status(error: &Error) -> Status {
    let encoded = write_status(error);
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
