//! Versions and extensions.

use a2a::headers::ProtocolVersion;
use a2a_server::jsonrpc::Options;

use crate::client::{Reply, exchange, post};
use crate::start::{VERSION, send_message, start};

async fn answer(options: &Options, target: &str, headers: &[&str]) -> Reply {
    let server = start(options.clone());
    let request = post(target, headers, &send_message("1", "call"));
    exchange(server.address, &request).await
}

/// The text of a direct answer.
fn text(reply: &Reply) -> String {
    let text = reply.json()["result"]["message"]["parts"][0]["text"].clone();
    text.as_str()
        .unwrap_or_else(|| panic!("no answer: {reply:?}"))
        .to_owned()
}

#[tokio::test]
async fn patch_numbers_do_not_matter_and_other_versions_are_refused() {
    let options = Options::default();
    for version in ["1.0", "1.0.7", " 1.0 "] {
        let reply = answer(&options, "/a2a", &[&format!("A2A-Version: {version}")]).await;
        assert!(text(&reply).starts_with("version=1.0 "));
    }
    for version in ["1.1", "9.9", "0.3", "2", "one", "é"] {
        let reply = answer(&options, "/a2a", &[&format!("A2A-Version: {version}")]).await;
        let (code, message) = reply.error();
        assert_eq!((reply.status, code), (200, -32009), "{version}");
        assert!(message.contains("send A2A-Version: 1.0"), "{message}");
        assert_eq!(reply.json()["id"], 1);
        let metadata = &reply.json()["error"]["data"][0]["metadata"];
        assert_eq!(metadata["supportedVersions"], "1.0");
    }
}

#[tokio::test]
async fn versions_that_contradict_each_other_are_refused() {
    let options = Options::default();
    let reply = answer(&options, "/a2a", &[VERSION, "A2A-Version: 0.3"]).await;
    let (code, message) = reply.error();
    assert_eq!(code, -32009);
    assert!(message.contains(r#""1.0, 0.3""#), "{message}");
    let reply = answer(&options, "/a2a", &[VERSION, VERSION]).await;
    assert!(text(&reply).starts_with("version=1.0 "));
}

#[tokio::test]
async fn an_absent_version_means_what_the_policy_says() {
    let mut options = Options::default();
    let (code, message) = answer(&options, "/a2a", &[]).await.error();
    assert_eq!(code, -32009);
    assert!(
        message.contains("the header A2A-Version is missing"),
        "{message}"
    );
    options.absent_version = ProtocolVersion::V1_0;
    assert!(text(&answer(&options, "/a2a", &[]).await).starts_with("version=1.0 "));
    // An empty one is 0.3 even so.
    let (code, message) = answer(&options, "/a2a", &["A2A-Version:"]).await.error();
    assert_eq!(code, -32009);
    assert!(message.contains("is empty"), "{message}");
}

#[tokio::test]
async fn the_parameter_counts_where_the_header_is_missing() {
    let options = Options::default();
    let target = "/a2a?x=1&A2A-Version=1.0.2";
    assert!(text(&answer(&options, target, &[]).await).starts_with("version=1.0 "));
    let reply = answer(&options, "/a2a?A2A-Version=0.3", &[VERSION]).await;
    assert!(text(&reply).starts_with("version=1.0 "));
    let reply = answer(&options, "/a2a?A2A-Version=9.9", &[]).await;
    assert_eq!(reply.error().0, -32009);
}

#[tokio::test]
async fn exact_headers_have_no_substitute() {
    let mut options = Options::default();
    options.exact_headers = true;
    options.extensions = vec!["urn:known".to_owned()];
    let reply = answer(&options, "/a2a?A2A-Version=1.0", &[]).await;
    assert_eq!(reply.error().0, -32009);
    let other_name = "X-A2A-Extensions: urn:known";
    let reply = answer(&options, "/a2a", &[VERSION, other_name]).await;
    assert!(text(&reply).contains("extensions=[]"));
    assert_eq!(reply.header("a2a-extensions"), None);
    options.required_extensions = vec!["urn:known".to_owned()];
    let reply = answer(&options, "/a2a", &[VERSION, other_name]).await;
    assert_eq!(reply.error().0, -32008);
    let target = "/a2a?A2A-Extensions=urn:known";
    assert_eq!(answer(&options, target, &[VERSION]).await.error().0, -32008);
}

#[tokio::test]
async fn known_extensions_are_echoed_when_asked_for() {
    let mut options = Options::default();
    options.extensions = vec!["urn:known".to_owned(), "urn:other".to_owned()];
    let reply = answer(&options, "/a2a", &[VERSION]).await;
    assert_eq!(reply.header("a2a-extensions"), None);
    let lines = [
        "A2A-Extensions: urn:x , urn:known",
        "A2A-Extensions: urn:known",
    ];
    let reply = answer(&options, "/a2a", &[VERSION, lines[0], lines[1]]).await;
    assert_eq!(reply.header("a2a-extensions"), Some("urn:known"));
    assert!(text(&reply).contains(r#"extensions=["urn:x", "urn:known"]"#));
    let reply = answer(
        &options,
        "/a2a",
        &[VERSION, "X-A2A-Extensions: urn:other,urn:known"],
    )
    .await;
    assert_eq!(reply.header("a2a-extensions"), Some("urn:other, urn:known"));
    let reply = answer(
        &options,
        "/a2a",
        &[VERSION, "A2A-Extensions: urn:known/v2, urn:know"],
    )
    .await;
    assert_eq!(reply.header("a2a-extensions"), None);
}

#[tokio::test]
async fn required_extensions_must_be_asked_for() {
    let mut options = Options::default();
    options.required_extensions = vec!["urn:a".to_owned(), "urn:b".to_owned()];
    let reply = answer(&options, "/a2a", &[VERSION, "A2A-Extensions: urn:b"]).await;
    let (code, message) = reply.error();
    assert_eq!(code, -32008);
    assert!(message.contains("send A2A-Extensions: urn:a"), "{message}");
    let info = &reply.json()["error"]["data"][0];
    assert_eq!(info["reason"], "EXTENSION_SUPPORT_REQUIRED");
    assert_eq!(info["metadata"]["extensionUri"], "urn:a");
    let reply = answer(&options, "/a2a", &[VERSION, "A2A-Extensions: urn:b,urn:a"]).await;
    assert_eq!(reply.header("a2a-extensions"), Some("urn:b, urn:a"));
}

#[tokio::test]
async fn the_agent_learns_about_the_call() {
    let options = Options::default();
    let reply = answer(&options, "/a2a", &[VERSION, "Authorization: bearer t0ken"]).await;
    assert_eq!(
        text(&reply),
        r#"version=1.0 extensions=[] bearer=Some("t0ken") host=Some("agent.example:81") peer=127.0.0.1"#
    );
    let reply = answer(&options, "http://other.example/a2a", &[VERSION]).await;
    assert!(text(&reply).contains(r#"host=Some("other.example")"#));
    let reply = answer(&options, "/a2a", &[VERSION, "Authorization: Basic dTpw"]).await;
    assert!(text(&reply).contains("bearer=None"));
}
