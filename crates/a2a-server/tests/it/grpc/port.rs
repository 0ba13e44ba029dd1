//! One port for everything.

use std::collections::BTreeSet;

use a2a::operation::Operation;
use a2a::protobuf::v1;
use tonic::Code;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;
use tonic_reflection::pb::v1::ServerReflectionRequest;
use tonic_reflection::pb::v1::server_reflection_client::ServerReflectionClient;
use tonic_reflection::pb::v1::server_reflection_request::MessageRequest;
use tonic_reflection::pb::v1::server_reflection_response::MessageResponse;

use super::{Peer, Site};
use crate::client::{exchange, post};
use crate::start::{VERSION, send_message};
use crate::tasks::says;

const SERVICES: [&str; 3] = [
    "a2a.v1.A2AService",
    "grpc.health.v1.Health",
    "lf.a2a.v1.A2AService",
];

#[tokio::test]
async fn http_and_grpc_are_answered_side_by_side() {
    let site = Site::new();
    site.peer()
        .call(&Operation::SendMessage(says("direct")))
        .await
        .unwrap();
    let request = post("/a2a", &[VERSION], &send_message("1", "direct"));
    let reply = exchange(site.server.address, &request).await;
    assert_eq!(
        reply.json()["result"]["message"]["parts"][0]["text"],
        "hello"
    );
}

#[tokio::test]
async fn what_nobody_serves_is_refused_in_the_callers_own_terms() {
    let site = Site::new();
    let reply = exchange(site.server.address, &post("/nothing", &[], "{}")).await;
    assert_eq!(reply.status, 404);
    assert_eq!(reply.header("grpc-status"), None);
    let peer = site.peer();
    let unknown = peer.unary::<_, v1::Task>("NoSuchMethod", v1::GetTaskRequest::default());
    assert_eq!(unknown.await.err().unwrap().code(), Code::Unimplemented);
    let mut client = tonic::client::Grpc::new(peer.channel.clone());
    client.ready().await.unwrap();
    let codec = tonic_prost::ProstCodec::<v1::GetTaskRequest, v1::Task>::default();
    let request = tonic::Request::new(v1::GetTaskRequest::default());
    let path = "/other.Service/Method".parse().unwrap();
    let unknown = client.unary(request, path, codec).await.err().unwrap();
    assert_eq!(unknown.code(), Code::Unimplemented);
    assert_eq!(unknown.message(), "there is no such service");
}

#[tokio::test]
async fn health_is_told_of_the_server_and_of_each_service() {
    let site = Site::new();
    let mut client = HealthClient::new(site.peer().channel);
    for service in SERVICES.into_iter().chain([""]) {
        let service = service.to_owned();
        let answer = client.check(HealthCheckRequest { service }).await.unwrap();
        assert_eq!(answer.into_inner().status(), ServingStatus::Serving);
    }
    let service = "other.Service".to_owned();
    let unknown = client.check(HealthCheckRequest { service }).await;
    assert_eq!(unknown.unwrap_err().code(), Code::NotFound);
}

#[tokio::test]
async fn reflection_lists_the_services_and_defines_them() {
    let site = Site::new();
    let peer = site.peer();
    let list = MessageRequest::ListServices(String::new());
    let MessageResponse::ListServicesResponse(list) = reflect(&peer, list).await else {
        panic!("no list of services");
    };
    let names: BTreeSet<&str> = list.service.iter().map(|it| it.name.as_str()).collect();
    for service in SERVICES {
        assert!(names.contains(service), "{names:?} lacks {service}");
        let define = MessageRequest::FileContainingSymbol(service.to_owned());
        let MessageResponse::FileDescriptorResponse(files) = reflect(&peer, define).await else {
            panic!("no definition of {service}");
        };
        assert!(!files.file_descriptor_proto.is_empty());
    }
}

async fn reflect(peer: &Peer, request: MessageRequest) -> MessageResponse {
    let mut client = ServerReflectionClient::new(peer.channel.clone());
    let request = ServerReflectionRequest {
        host: String::new(),
        message_request: Some(request),
    };
    let requests = tokio_stream::once(request);
    let mut answers = client
        .server_reflection_info(requests)
        .await
        .unwrap()
        .into_inner();
    answers
        .message()
        .await
        .unwrap()
        .unwrap()
        .message_response
        .unwrap()
}
