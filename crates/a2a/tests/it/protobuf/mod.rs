//! Protocol buffers of both versions.

mod oracle;
mod status;
mod v0_3;
mod v1;

use a2a::error::GrpcCode;
use a2a::model::Model;
use a2a::protobuf::{self, Form, read_status};
use proptest::prelude::*;
use prost::Message;
use serde_json::{Number, Value};

/// The value with every number as a double, which is what protocol buffers have.
fn doubles(value: Value) -> Value {
    match value {
        Value::Number(number) => {
            let number = number.as_f64().and_then(Number::from_f64);
            Value::Number(number.unwrap())
        }
        Value::Array(elements) => Value::Array(elements.into_iter().map(doubles).collect()),
        Value::Object(members) => {
            let members = members.into_iter();
            Value::Object(
                members
                    .map(|(name, value)| (name, doubles(value)))
                    .collect(),
            )
        }
        other => other,
    }
}

/// A value of the model without integers that doubles do not have.
fn tame<T: Model + serde::Serialize + serde::de::DeserializeOwned>(value: &T) -> T {
    fn within(value: Value) -> Value {
        match value {
            Value::Number(number) if number.as_f64().unwrap().abs() > 9e15 => Value::from(7),
            Value::Array(elements) => Value::Array(elements.into_iter().map(within).collect()),
            Value::Object(members) => {
                let members = members.into_iter();
                Value::Object(members.map(|(name, value)| (name, within(value))).collect())
            }
            other => other,
        }
    }
    let value = within(serde_json::to_value(value).unwrap());
    serde_json::from_str(&value.to_string()).unwrap()
}

/// The JSON of a value, with doubles.
fn json(value: &impl serde::Serialize) -> Value {
    doubles(serde_json::to_value(value).unwrap())
}

/// Writes a message, sends it as bytes, and reads it back.
fn sent<F: Form + Message + Default>(model: F::Model) -> Result<F::Model, String> {
    let message = F::write(model).map_err(|faults| faults[0].to_string())?;
    let bytes = message.encode_to_vec();
    let message = F::decode(bytes.as_slice()).unwrap();
    message.read().map_err(|error| error.message)
}

/// Reads bytes as a message, if they are one, and writes what was read.
fn decoded<F: Form + Message + Default>(bytes: &[u8]) {
    if let Ok(message) = F::decode(bytes) {
        let (model, _) = message.read_lenient();
        let _ = F::write(model);
    }
}

proptest! {
    #[test]
    fn no_bytes_panic(
        mut bytes in prop_oneof![
            prop::collection::vec(any::<u8>(), 0..100),
            crate::generate::send_request().prop_map(|request| {
                protobuf::v1::SendMessageRequest::write(tame(&request)).unwrap().encode_to_vec()
            }),
        ],
        place: prop::sample::Index,
        byte: u8,
    ) {
        if !bytes.is_empty() {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        decoded::<protobuf::v1::SendMessageRequest>(&bytes);
        decoded::<protobuf::v1::StreamResponse>(&bytes);
        decoded::<protobuf::v1::ListTasksRequest>(&bytes);
        decoded::<protobuf::v1::AgentCard>(&bytes);
        decoded::<protobuf::v0_3::SendMessageRequest>(&bytes);
        decoded::<protobuf::v0_3::StreamResponse>(&bytes);
        decoded::<protobuf::v0_3::CreateTaskPushNotificationConfigRequest>(&bytes);
        decoded::<protobuf::v0_3::AgentCard>(&bytes);
        let _ = read_status(GrpcCode::Internal, "x", &bytes);
    }
}
