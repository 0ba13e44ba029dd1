//! A client that speaks gRPC.

use std::net::SocketAddr;

use a2a::error::{Error, GrpcCode};
use a2a::headers::ProtocolVersion;
use a2a::model::StreamResponse;
use a2a::operation::{Operation, Outcome};
use a2a::protobuf::{Form, read_status, v0_3, v1};
use prost::Message;
use tonic::client::Grpc;
use tonic::metadata::{AsciiMetadataKey, MetadataMap};
use tonic::transport::Channel;
use tonic::{Request, Response, Status, Streaming};
use tonic_prost::ProstCodec;

/// A client of one package.
#[derive(Debug, Clone)]
pub(crate) struct Peer {
    pub(crate) channel: Channel,
    pub(crate) version: ProtocolVersion,
    metadata: MetadataMap,
}

impl Peer {
    /// One that says which version it speaks.
    pub(crate) fn new(address: SocketAddr, version: ProtocolVersion) -> Self {
        Self::silent(address, version).with("a2a-version", &version.to_string())
    }

    /// One that does not.
    pub(crate) fn silent(address: SocketAddr, version: ProtocolVersion) -> Self {
        let endpoint = Channel::from_shared(format!("http://{address}")).unwrap();
        Self {
            channel: endpoint.connect_lazy(),
            version,
            metadata: MetadataMap::new(),
        }
    }

    /// The same with one more entry of metadata.
    pub(crate) fn with(mut self, key: &str, value: &str) -> Self {
        let key: AsciiMetadataKey = key.parse().unwrap();
        self.metadata.insert(key, value.parse().unwrap());
        self
    }

    fn request<T>(&self, message: T) -> Request<T> {
        let mut request = Request::new(message);
        *request.metadata_mut() = self.metadata.clone();
        request
    }

    fn path(&self, method: &str) -> http::uri::PathAndQuery {
        let package = if self.version == ProtocolVersion::V0_3 {
            "a2a.v1"
        } else {
            "lf.a2a.v1"
        };
        format!("/{package}.A2AService/{method}").parse().unwrap()
    }

    async fn client(&self) -> Grpc<Channel> {
        let mut client = Grpc::new(self.channel.clone());
        client.ready().await.unwrap();
        client
    }

    /// Calls a method as it is.
    pub(crate) async fn unary<P, R>(&self, method: &str, message: P) -> Result<Response<R>, Status>
    where
        P: Message + 'static,
        R: Message + Default + 'static,
    {
        let codec = ProstCodec::<P, R>::default();
        let (request, path) = (self.request(message), self.path(method));
        self.client().await.unary(request, path, codec).await
    }

    /// Calls a method that streams, as it is.
    pub(crate) async fn streaming<P, R>(
        &self,
        method: &str,
        message: P,
    ) -> Result<Streaming<R>, Status>
    where
        P: Message + 'static,
        R: Message + Default + 'static,
    {
        let codec = ProstCodec::<P, R>::default();
        let (request, path) = (self.request(message), self.path(method));
        let mut client = self.client().await;
        let response = client.server_streaming(request, path, codec).await?;
        Ok(response.into_inner())
    }

    async fn once<P, R>(&self, method: &str, model: P::Model) -> Result<R::Model, Error>
    where
        P: Form + Message + 'static,
        R: Form + Message + Default + 'static,
    {
        let message = P::write(model).unwrap();
        let response = self.unary::<P, R>(method, message).await;
        Ok(response
            .map_err(|status| error(&status))?
            .into_inner()
            .read()
            .unwrap())
    }

    async fn all<P, R>(&self, method: &str, model: P::Model) -> Result<Vec<R::Model>, Error>
    where
        P: Form + Message + 'static,
        R: Form + Message + Default + 'static,
    {
        let message = P::write(model).unwrap();
        let stream = self.streaming::<P, R>(method, message).await;
        let mut stream = stream.map_err(|status| error(&status))?;
        let mut events = Vec::new();
        while let Some(event) = stream.message().await.map_err(|status| error(&status))? {
            events.push(event.read().unwrap());
        }
        Ok(events)
    }

    /// One result.
    pub(crate) async fn call(&self, operation: &Operation) -> Result<Outcome, Error> {
        if self.version == ProtocolVersion::V0_3 {
            self.call_0_3(operation.clone()).await
        } else {
            self.call_1_0(operation.clone()).await
        }
    }

    async fn call_1_0(&self, operation: Operation) -> Result<Outcome, Error> {
        let method = operation.method().name();
        Ok(match operation {
            Operation::SendMessage(it) => Outcome::Sent(
                self.once::<v1::SendMessageRequest, v1::SendMessageResponse>(method, it)
                    .await?,
            ),
            Operation::GetTask(it) => {
                Outcome::Task(self.once::<v1::GetTaskRequest, v1::Task>(method, it).await?)
            }
            Operation::ListTasks(it) => Outcome::Tasks(
                self.once::<v1::ListTasksRequest, v1::ListTasksResponse>(method, it)
                    .await?,
            ),
            Operation::CancelTask(it) => Outcome::Task(
                self.once::<v1::CancelTaskRequest, v1::Task>(method, it)
                    .await?,
            ),
            Operation::CreateTaskPushNotificationConfig(it) => Outcome::PushConfig(
                self.once::<v1::TaskPushNotificationConfig, v1::TaskPushNotificationConfig>(
                    method, it,
                )
                .await?,
            ),
            Operation::GetTaskPushNotificationConfig(it) => Outcome::PushConfig(
                self.once::<v1::GetTaskPushNotificationConfigRequest, v1::TaskPushNotificationConfig>(
                    method, it,
                )
                .await?,
            ),
            Operation::ListTaskPushNotificationConfigs(it) => Outcome::PushConfigs(
                self.once::<v1::ListTaskPushNotificationConfigsRequest, v1::ListTaskPushNotificationConfigsResponse>(
                    method, it,
                )
                .await?,
            ),
            Operation::DeleteTaskPushNotificationConfig(it) => {
                let message = v1::DeleteTaskPushNotificationConfigRequest::write(it).unwrap();
                let deleted = self.unary::<_, ()>(method, message).await;
                deleted.map_err(|status| error(&status))?;
                Outcome::Deleted
            }
            Operation::GetExtendedAgentCard(it) => Outcome::AgentCard(Box::new(
                self.once::<v1::GetExtendedAgentCardRequest, v1::AgentCard>(method, it)
                    .await?,
            )),
            Operation::SendStreamingMessage(_) | Operation::SubscribeToTask(_) => {
                panic!("{method} streams")
            }
        })
    }

    async fn call_0_3(&self, operation: Operation) -> Result<Outcome, Error> {
        let method = operation.method().name();
        Ok(match operation {
            Operation::SendMessage(it) => Outcome::Sent(
                self.once::<v0_3::SendMessageRequest, v0_3::SendMessageResponse>(method, it)
                    .await?,
            ),
            Operation::GetTask(it) => Outcome::Task(
                self.once::<v0_3::GetTaskRequest, v0_3::Task>(method, it)
                    .await?,
            ),
            Operation::CancelTask(it) => Outcome::Task(
                self.once::<v0_3::CancelTaskRequest, v0_3::Task>(method, it)
                    .await?,
            ),
            Operation::CreateTaskPushNotificationConfig(it) => Outcome::PushConfig(
                self.once::<v0_3::CreateTaskPushNotificationConfigRequest, v0_3::TaskPushNotificationConfig>(
                    method, it,
                )
                .await?,
            ),
            Operation::GetTaskPushNotificationConfig(it) => Outcome::PushConfig(
                self.once::<v0_3::GetTaskPushNotificationConfigRequest, v0_3::TaskPushNotificationConfig>(
                    method, it,
                )
                .await?,
            ),
            Operation::ListTaskPushNotificationConfigs(it) => Outcome::PushConfigs(
                self.once::<v0_3::ListTaskPushNotificationConfigRequest, v0_3::ListTaskPushNotificationConfigResponse>(
                    "ListTaskPushNotificationConfig", it,
                )
                .await?,
            ),
            Operation::DeleteTaskPushNotificationConfig(it) => {
                let message = v0_3::DeleteTaskPushNotificationConfigRequest::write(it).unwrap();
                let deleted = self.unary::<_, ()>(method, message).await;
                deleted.map_err(|status| error(&status))?;
                Outcome::Deleted
            }
            Operation::GetExtendedAgentCard(it) => Outcome::AgentCard(Box::new(
                self.once::<v0_3::GetAgentCardRequest, v0_3::AgentCard>("GetAgentCard", it)
                    .await?,
            )),
            other => panic!("0.3 has no {}", other.method().name()),
        })
    }

    /// Every event of a stream.
    pub(crate) async fn follow(&self, operation: &Operation) -> Result<Vec<StreamResponse>, Error> {
        let method = operation.method().name();
        let old = self.version == ProtocolVersion::V0_3;
        let first = |events: Vec<(StreamResponse, bool)>| {
            let events = events.into_iter().map(|(event, _)| event);
            events.collect()
        };
        match operation.clone() {
            Operation::SendStreamingMessage(it) if old => self
                .all::<v0_3::SendMessageRequest, v0_3::StreamResponse>(method, it)
                .await
                .map(first),
            Operation::SubscribeToTask(it) if old => self
                .all::<v0_3::TaskSubscriptionRequest, v0_3::StreamResponse>("TaskSubscription", it)
                .await
                .map(first),
            Operation::SendStreamingMessage(it) => {
                self.all::<v1::SendMessageRequest, v1::StreamResponse>(method, it)
                    .await
            }
            Operation::SubscribeToTask(it) => {
                self.all::<v1::SubscribeToTaskRequest, v1::StreamResponse>(method, it)
                    .await
            }
            other => panic!("{} does not stream", other.method().name()),
        }
    }
}

/// What a status says.
pub(crate) fn error(status: &Status) -> Error {
    let code = GrpcCode::from_number(status.code() as i32);
    read_status(code, status.message(), status.details())
}
