//! Calls over a bounded number of gRPC connections, each with one call under way.

use std::time::Instant;

use a2a::protobuf::v1;
use anyhow::ensure;
use tokio::task::JoinSet;
use tonic::{Request, client::Grpc, transport::Channel};
use tonic_prost::ProstCodec;

use crate::{
    child::Child,
    load::{self, Turn},
    serve::GRPC_PATH,
};

/// Puts load on a server that echoes and measures what it costs there.
pub(crate) fn turn(
    server: &mut Child,
    text: &'static str,
    connections: usize,
    requests: usize,
) -> anyhow::Result<Turn> {
    let address = server.address();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let drive_all = async {
        let mut drives = JoinSet::new();
        for _ in 0..connections {
            let channel = Channel::from_shared(format!("http://{address}"))?;
            let channel = channel.connect().await?;
            drives.spawn(drive(channel, text, requests / connections));
        }
        let mut latencies = Vec::new();
        while let Some(driven) = drives.join_next().await {
            latencies.extend(driven??);
        }
        Ok(latencies)
    };
    load::measure(server, || runtime.block_on(drive_all))
}

/// One connection's share of the calls, and the seconds that each took.
async fn drive(channel: Channel, text: &str, calls: usize) -> anyhow::Result<Vec<f64>> {
    let mut client = Grpc::new(channel);
    let mut latencies = Vec::with_capacity(calls);
    for _ in 0..calls {
        let mut request = Request::new(message(text));
        let version = "1.0".parse()?;
        request.metadata_mut().insert("a2a-version", version);
        let sent = Instant::now();
        client.ready().await?;
        let codec: ProstCodec<_, v1::SendMessageResponse> = ProstCodec::default();
        let path = GRPC_PATH.try_into()?;
        let answer = client.unary(request, path, codec).await?.into_inner();
        latencies.push(sent.elapsed().as_secs_f64());
        let is_message = matches!(
            &answer.payload,
            Some(v1::send_message_response::Payload::Message(it)) if it.parts.len() == 1
        );
        ensure!(is_message, "the answer is not the message's part");
    }
    Ok(latencies)
}

/// The message that the load over HTTP sends.
fn message(text: &str) -> v1::SendMessageRequest {
    let part = v1::Part {
        content: Some(v1::part::Content::Text(text.to_owned())),
        ..v1::Part::default()
    };
    let message = v1::Message {
        message_id: "0197c5a2-6f1e-7cc3-98c4-dc0c0c07398f".to_owned(),
        context_id: "0197c5a2-6f1e-7cc3-98c4-dc0c0c073990".to_owned(),
        role: v1::Role::User.into(),
        parts: vec![part],
        ..v1::Message::default()
    };
    v1::SendMessageRequest {
        message: Some(message),
        ..v1::SendMessageRequest::default()
    }
}
