//! The least that servers do for the same answers, without a check of any kind.

use std::{
    convert::Infallible,
    future::{Ready, ready},
    hint::black_box,
};

use a2a::protobuf::v1;
use axum::{Router, extract::Request, http::header, response::IntoResponse, routing::post};
use bytes::Bytes;
use serde_json::{Value, json};
use tonic::{
    body::Body,
    server::{Grpc, UnaryService},
};
use tonic_prost::ProstCodec;

use super::{GRPC_PATH, PATH, REST_PATH, new_id};

/// Answers a message with its parts, on every binding.
pub(super) fn echo() -> Router {
    Router::new()
        .route(PATH, post(json_rpc))
        .route(REST_PATH, post(rest))
        .route(GRPC_PATH, post(grpc))
}

/// Answers every request with the same bytes.
pub(super) fn same(answer: Bytes) -> Router {
    Router::new().route(PATH, post(move |body| same_bytes(body, answer.clone())))
}

async fn json_rpc(body: Bytes) -> impl IntoResponse {
    let mut request: Value = serde_json::from_slice(&body).unwrap_or_default();
    let result = answer(request["params"]["message"].take());
    let reply = json!({
        "jsonrpc": "2.0",
        "id": request["id"].take(),
        "result": result,
    });
    (
        [(header::CONTENT_TYPE, "application/json")],
        reply.to_string(),
    )
}

async fn rest(body: Bytes) -> impl IntoResponse {
    let mut request: Value = serde_json::from_slice(&body).unwrap_or_default();
    let reply = answer(request["message"].take());
    (
        [(header::CONTENT_TYPE, "application/json")],
        reply.to_string(),
    )
}

fn answer(mut message: Value) -> Value {
    json!({ "message": {
        "messageId": new_id(),
        "contextId": message["contextId"].take(),
        "role": "ROLE_AGENT",
        "parts": message["parts"].take(),
    } })
}

async fn grpc(request: Request) -> Result<axum::http::Response<Body>, Infallible> {
    let mut grpc = Grpc::new(ProstCodec::default());
    Ok(grpc.unary(Echo, request).await)
}

struct Echo;

impl UnaryService<v1::SendMessageRequest> for Echo {
    type Response = v1::SendMessageResponse;
    type Future = Ready<Result<tonic::Response<Self::Response>, tonic::Status>>;

    fn call(&mut self, request: tonic::Request<v1::SendMessageRequest>) -> Self::Future {
        let message = request.into_inner().message.unwrap_or_default();
        let reply = v1::Message {
            message_id: new_id(),
            context_id: message.context_id,
            role: v1::Role::Agent.into(),
            parts: message.parts,
            ..v1::Message::default()
        };
        let payload = v1::send_message_response::Payload::Message(reply);
        let response = v1::SendMessageResponse {
            payload: Some(payload),
        };
        ready(Ok(tonic::Response::new(response)))
    }
}

async fn same_bytes(body: Bytes, answer: Bytes) -> impl IntoResponse {
    black_box(serde_json::from_slice::<Value>(&body).ok());
    ([(header::CONTENT_TYPE, "application/json")], answer)
}
