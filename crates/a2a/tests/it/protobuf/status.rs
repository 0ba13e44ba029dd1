//! Errors in gRPC.

use a2a::error::{Error, ErrorData, ErrorKind, GrpcCode};
use a2a::model::TaskState;
use a2a::protobuf::{read_status, write_status, write_status_03};

use crate::raw;

#[test]
fn errors_survive_grpc() {
    for error in [
        Error::task_not_found("t"),
        Error::task_not_cancelable("t", TaskState::Completed),
        Error::extension_support_required(&["urn:e"]),
        Error::context_of_other_task(),
        Error::internal("x"),
        Error::unauthenticated(),
    ] {
        let status = write_status(&error);
        assert_eq!(status.code, error.kind.grpc_code());
        let read = read_status(status.code, &status.message, &status.details);
        assert_eq!(read.kind, error.kind);
        assert_eq!(read.message, error.message);
        match (&read.data, &error.data) {
            (ErrorData::None, ErrorData::None) => {}
            (ErrorData::Details(read), ErrorData::Details(sent)) => {
                let values =
                    |details: &[Box<serde_json::value::RawValue>]| -> Vec<serde_json::Value> {
                        let details = details.iter();
                        details
                            .map(|detail| serde_json::from_str(detail.get()).unwrap())
                            .collect()
                    };
                assert_eq!(values(read), values(sent));
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn an_error_of_0_3_is_named_before_its_message() {
    let error = Error::task_not_found("t");
    let status = write_status_03(&error);
    assert_eq!(status.code, GrpcCode::NotFound);
    assert_eq!(
        status.message,
        format!("TaskNotFoundError: {}", error.message)
    );
    // Agents of 0.3 send no details.
    let read = read_status(GrpcCode::Unknown, &status.message, &[]);
    assert_eq!((read.kind, read.message), (error.kind, error.message));

    let other = read_status(GrpcCode::NotFound, "Caution: gone", &[]);
    assert_eq!(other.kind, ErrorKind::TaskNotFound);
    assert_eq!(other.message, "Caution: gone");
}

#[test]
fn details_of_other_kinds_are_kept_as_objects() {
    let error = Error::application(-32000, "no", Some(raw(r#"{"type":"aap.error","n":3}"#)));
    let status = write_status(&error);
    assert_eq!(status.code, GrpcCode::Unknown);
    let read = read_status(status.code, &status.message, &status.details);
    let ErrorData::Details(details) = read.data else {
        panic!("no details");
    };
    assert!(details[0].get().contains(r#""n":3"#), "{}", details[0]);
}

#[test]
fn peers_without_details_are_understood() {
    let error = read_status(GrpcCode::NotFound, "gone", &[]);
    assert_eq!(error.kind, ErrorKind::TaskNotFound);
    let error = read_status(GrpcCode::Unimplemented, "no", b"\xff\xff");
    assert_eq!(error.kind, ErrorKind::UnsupportedOperation);
}
