//! gRPC (A2A 1.0 §10; A2A 0.3 §3.2.2): operations as messages of protocol buffers.

use a2a::{
    fault::Fault,
    headers::ProtocolVersion,
    method::Method,
    operation::{Operation, Outcome},
    protobuf::{Form, v0_3, v1},
    rest::Verb,
    v03::NotIn03,
};
use prost::Message;

use super::{Incoming, Outgoing, Read, incoming, is_over, listed, unwritable};
use crate::{error::Error, interface::Interface};

const MEDIA_TYPE: &str = "application/grpc";

pub(super) fn write(interface: &Interface, operation: &Operation) -> Result<Outgoing, Error> {
    let is_old = interface.version == ProtocolVersion::V0_3;
    let (package, name, message) = if is_old {
        let (name, message) = write_0_3(operation.clone())?;
        ("a2a.v1", name, message)
    } else {
        let name = operation.method().name();
        ("lf.a2a.v1", name, write_1_0(operation.clone())?)
    };
    let mut url = interface.url.clone();
    url.set_path(&format!("/{package}.A2AService/{name}"));
    Ok(Outgoing {
        verb: Verb::Post,
        url,
        body: Some(framed(&message)?),
        content_type: MEDIA_TYPE,
        accept: MEDIA_TYPE,
    })
}

/// A message as it goes over the wire: whether it is compressed, its length, and itself.
fn framed(message: &[u8]) -> Result<Vec<u8>, Error> {
    let length = u32::try_from(message.len()).map_err(|error| unwritable(&error))?;
    let mut frame = vec![0];
    frame.extend(length.to_be_bytes());
    frame.extend(message);
    Ok(frame)
}

fn write_1_0(operation: Operation) -> Result<Vec<u8>, Error> {
    match operation {
        Operation::SendMessage(it) | Operation::SendStreamingMessage(it) => {
            encode::<v1::SendMessageRequest>(it)
        }
        Operation::GetTask(it) => encode::<v1::GetTaskRequest>(it),
        Operation::ListTasks(it) => encode::<v1::ListTasksRequest>(it),
        Operation::CancelTask(it) => encode::<v1::CancelTaskRequest>(it),
        Operation::SubscribeToTask(it) => encode::<v1::SubscribeToTaskRequest>(it),
        Operation::CreateTaskPushNotificationConfig(it) => {
            encode::<v1::TaskPushNotificationConfig>(it)
        }
        Operation::GetTaskPushNotificationConfig(it) => {
            encode::<v1::GetTaskPushNotificationConfigRequest>(it)
        }
        Operation::ListTaskPushNotificationConfigs(it) => {
            encode::<v1::ListTaskPushNotificationConfigsRequest>(it)
        }
        Operation::DeleteTaskPushNotificationConfig(it) => {
            encode::<v1::DeleteTaskPushNotificationConfigRequest>(it)
        }
        Operation::GetExtendedAgentCard(it) => encode::<v1::GetExtendedAgentCardRequest>(it),
    }
}

/// The message and the method, several of which have another name in 0.3.
fn write_0_3(operation: Operation) -> Result<(&'static str, Vec<u8>), Error> {
    let name = operation.method().name();
    Ok(match operation {
        Operation::SendMessage(it) | Operation::SendStreamingMessage(it) => {
            (name, encode::<v0_3::SendMessageRequest>(it)?)
        }
        Operation::GetTask(it) => (name, encode::<v0_3::GetTaskRequest>(it)?),
        Operation::CancelTask(it) => (name, encode::<v0_3::CancelTaskRequest>(it)?),
        Operation::SubscribeToTask(it) => (
            "TaskSubscription",
            encode::<v0_3::TaskSubscriptionRequest>(it)?,
        ),
        Operation::CreateTaskPushNotificationConfig(it) => (
            name,
            encode::<v0_3::CreateTaskPushNotificationConfigRequest>(it)?,
        ),
        Operation::GetTaskPushNotificationConfig(it) => (
            name,
            encode::<v0_3::GetTaskPushNotificationConfigRequest>(it)?,
        ),
        Operation::ListTaskPushNotificationConfigs(it) => (
            "ListTaskPushNotificationConfig",
            encode::<v0_3::ListTaskPushNotificationConfigRequest>(it)?,
        ),
        Operation::DeleteTaskPushNotificationConfig(it) => (
            name,
            encode::<v0_3::DeleteTaskPushNotificationConfigRequest>(it)?,
        ),
        Operation::GetExtendedAgentCard(it) => {
            ("GetAgentCard", encode::<v0_3::GetAgentCardRequest>(it)?)
        }
        Operation::ListTasks(_) => {
            return Err(unwritable(&NotIn03::Operation(Method::ListTasks)));
        }
    })
}

fn encode<P: Form + Message>(model: P::Model) -> Result<Vec<u8>, Error> {
    let message = P::write(model).map_err(|faults| unwritable(&listed(&faults)))?;
    Ok(message.encode_to_vec())
}

/// Reads the message that answers an operation; `Err` when it is not one of protocol buffers at all.
pub(super) fn outcome(
    version: ProtocolVersion,
    method: Method,
    message: &[u8],
) -> Result<Read<Outcome>, String> {
    let read = if version == ProtocolVersion::V0_3 {
        outcome_0_3(method, message)
    } else {
        outcome_1_0(method, message)
    };
    read.map(Ok).map_err(|error| error.to_string())
}

type Decoded<T> = Result<(T, Vec<Fault>), prost::DecodeError>;

fn outcome_1_0(method: Method, message: &[u8]) -> Decoded<Outcome> {
    match method {
        Method::SendMessage | Method::SendStreamingMessage | Method::SubscribeToTask => {
            decode::<v1::SendMessageResponse, _>(message, Outcome::Sent)
        }
        Method::GetTask | Method::CancelTask => decode::<v1::Task, _>(message, Outcome::Task),
        Method::ListTasks => decode::<v1::ListTasksResponse, _>(message, Outcome::Tasks),
        Method::CreateTaskPushNotificationConfig | Method::GetTaskPushNotificationConfig => {
            decode::<v1::TaskPushNotificationConfig, _>(message, Outcome::PushConfig)
        }
        Method::ListTaskPushNotificationConfigs => {
            decode::<v1::ListTaskPushNotificationConfigsResponse, _>(message, Outcome::PushConfigs)
        }
        Method::DeleteTaskPushNotificationConfig => Ok((Outcome::Deleted, Vec::new())),
        Method::GetExtendedAgentCard => {
            decode::<v1::AgentCard, _>(message, |card| Outcome::AgentCard(Box::new(card)))
        }
    }
}

fn outcome_0_3(method: Method, message: &[u8]) -> Decoded<Outcome> {
    match method {
        Method::SendMessage | Method::SendStreamingMessage | Method::SubscribeToTask => {
            decode::<v0_3::SendMessageResponse, _>(message, Outcome::Sent)
        }
        Method::GetTask | Method::CancelTask => decode::<v0_3::Task, _>(message, Outcome::Task),
        Method::CreateTaskPushNotificationConfig | Method::GetTaskPushNotificationConfig => {
            decode::<v0_3::TaskPushNotificationConfig, _>(message, Outcome::PushConfig)
        }
        Method::ListTaskPushNotificationConfigs => {
            decode::<v0_3::ListTaskPushNotificationConfigResponse, _>(message, Outcome::PushConfigs)
        }
        Method::DeleteTaskPushNotificationConfig => Ok((Outcome::Deleted, Vec::new())),
        // `ListTasks` cannot be asked for in 0.3, so that nothing answers it.
        Method::GetExtendedAgentCard | Method::ListTasks => {
            decode::<v0_3::AgentCard, _>(message, |card| Outcome::AgentCard(Box::new(card)))
        }
    }
}

/// Reads a message of a stream.
pub(super) fn event(version: ProtocolVersion, message: &[u8]) -> Result<Read<Incoming>, String> {
    let read = if version == ProtocolVersion::V0_3 {
        decode::<v0_3::StreamResponse, _>(message, |(event, is_last)| incoming(event, is_last))
    } else {
        decode::<v1::StreamResponse, _>(message, |event| {
            let is_last = is_over(&event);
            incoming(event, is_last)
        })
    };
    read.map(Ok).map_err(|error| error.to_string())
}

fn decode<P: Form + Message + Default, T>(
    message: &[u8],
    wrap: impl FnOnce(P::Model) -> T,
) -> Decoded<T> {
    let (model, faults) = P::decode(message)?.read_lenient();
    Ok((wrap(model), faults))
}
