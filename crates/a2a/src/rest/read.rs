//! From a request to the operation with its parameters.

use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};

use super::{Route, query};
use crate::error::Error;
use crate::fault::Fault;
use crate::jsonrpc;
use crate::method::Method;
use crate::model::{
    CancelTaskRequest, DeleteTaskPushNotificationConfigRequest,
    GetTaskPushNotificationConfigRequest, Model, SubscribeToTaskRequest,
    TaskPushNotificationConfig, read_params,
};
use crate::operation::Operation;
use crate::protojson;

impl Route {
    /// Reads the operation of a request in 1.0: from the path, then from the body, or from the query
    /// where the verb has no body (A2A 1.0 §11.5). What the path says goes before what the body says. An
    /// empty body is an empty object.
    ///
    /// # Errors
    ///
    /// A parse error for a body that is not JSON or nests deeper than `max_depth`; invalid params, with
    /// every fault and its place.
    pub fn read(self, query: &str, body: &[u8], max_depth: usize) -> Result<Operation, Error> {
        let has_body = has_body(self.method);
        let body = if has_body {
            jsonrpc::read_body(body, max_depth)?
        } else {
            None
        };
        let tenant = self.tenant.clone();
        let mut operation = self.operation(query, body)?;
        if tenant.is_some() || !has_body {
            operation.set_tenant(tenant);
        }
        Ok(operation)
    }

    fn operation(self, query: &str, body: Option<&RawValue>) -> Result<Operation, Error> {
        let task_id = self.task_id.unwrap_or_default();
        let config_id = self.config_id.unwrap_or_default();
        Ok(match self.method {
            Method::SendMessage => Operation::SendMessage(read_params(body)?),
            Method::SendStreamingMessage => Operation::SendStreamingMessage(read_params(body)?),
            Method::CancelTask => {
                let request: CancelTaskRequest = read_but_for("/id", body)?;
                Operation::CancelTask(CancelTaskRequest {
                    id: task_id,
                    ..request
                })
            }
            Method::SubscribeToTask => {
                let request: SubscribeToTaskRequest = read_but_for("/id", body)?;
                Operation::SubscribeToTask(SubscribeToTaskRequest {
                    id: task_id,
                    ..request
                })
            }
            Method::CreateTaskPushNotificationConfig => {
                let config: TaskPushNotificationConfig = read_params(body)?;
                Operation::CreateTaskPushNotificationConfig(TaskPushNotificationConfig {
                    task_id: Some(task_id),
                    ..config
                })
            }
            Method::GetTaskPushNotificationConfig => {
                Operation::GetTaskPushNotificationConfig(GetTaskPushNotificationConfigRequest {
                    tenant: None,
                    task_id,
                    id: config_id,
                })
            }
            Method::DeleteTaskPushNotificationConfig => {
                let request = DeleteTaskPushNotificationConfigRequest {
                    tenant: None,
                    task_id,
                    id: config_id,
                };
                Operation::DeleteTaskPushNotificationConfig(request)
            }
            Method::GetTask => from_query(self.method, query, Some(("id", task_id)))?,
            Method::ListTaskPushNotificationConfigs => {
                from_query(self.method, query, Some(("taskId", task_id)))?
            }
            Method::ListTasks | Method::GetExtendedAgentCard => {
                from_query(self.method, query, None)?
            }
        })
    }
}

/// Whether the parameters are in the body. `SubscribeToTask` has one under POST only, but an empty one
/// under GET reads as well.
fn has_body(method: Method) -> bool {
    matches!(
        method,
        Method::SendMessage
            | Method::SendStreamingMessage
            | Method::CancelTask
            | Method::SubscribeToTask
            | Method::CreateTaskPushNotificationConfig
    )
}

/// Reads a body in which the member at `pointer` may be missing or anything, since the path has it.
fn read_but_for<T: Model>(pointer: &str, body: Option<&RawValue>) -> Result<T, Error> {
    let text = body.map_or("{}", RawValue::get);
    let refused = |faults: Vec<Fault>| Error::invalid_params(&faults);
    let (value, mut faults) = protojson::read_str(text).map_err(refused)?;
    faults.retain(|fault| fault.pointer() != pointer);
    if faults.is_empty() {
        Ok(value)
    } else {
        Err(refused(faults))
    }
}

/// Reads parameters from the query, and the one that the path has.
fn from_query(
    method: Method,
    query: &str,
    path: Option<(&str, String)>,
) -> Result<Operation, Error> {
    let mut object: Map<String, Value> = query::object(query);
    if let Some((name, value)) = path {
        object.insert(name.to_owned(), Value::String(value));
    }
    let object =
        to_raw_value(&object).map_err(|_| Error::invalid_request("the query is unreadable"))?;
    Operation::read(method, Some(&object))
}
