//! Versions and extensions, by the same rules on every binding.

use a2a::headers::ProtocolVersion;

use super::wire::Binding;
use super::{Site, both_versions, message, reason};
use crate::client::Reply;
use crate::start::{VERSION, send_message};

const BINDINGS: [Binding; 2] = [Binding::JsonRpc, Binding::HttpJson];

/// Sends a message in the form of 1.0.
async fn send(site: &Site, binding: Binding, query: &str, headers: &[&str]) -> Reply {
    match binding {
        Binding::JsonRpc => {
            let body = send_message("1", "direct");
            site.post(&format!("/a2a{query}"), headers, &body).await
        }
        Binding::HttpJson | Binding::Grpc => {
            let target = format!("/a2a/message:send{query}");
            site.post(&target, headers, &message(r#"{"text":"direct"}"#))
                .await
        }
    }
}

/// Message and reason of an error, empty where there is none.
fn refusal(binding: Binding, reply: &Reply) -> (String, String) {
    let error = reply.json()["error"].clone();
    if error.is_null() {
        return Default::default();
    }
    let message = error["message"].as_str().unwrap().to_owned();
    let reason = match binding {
        Binding::JsonRpc => error["data"][0]["reason"].as_str().unwrap().to_owned(),
        Binding::HttpJson | Binding::Grpc => reason(reply),
    };
    (message, reason)
}

#[tokio::test]
async fn patches_do_not_matter_and_other_minor_versions_are_refused() {
    let site = Site::new();
    for binding in BINDINGS {
        for version in ["1.0", "1.0.0", "1.0.7"] {
            let header = format!("A2A-Version: {version}");
            let reply = send(&site, binding, "", &[&header]).await;
            assert_eq!(refusal(binding, &reply).1, "", "{binding:?} {version}");
            let query = format!("?A2A-Version={version}");
            let reply = send(&site, binding, &query, &[]).await;
            assert_eq!(refusal(binding, &reply).1, "", "{binding:?} {query}");
        }
        for version in ["1.1", "9.9", "2", "x"] {
            let header = format!("A2A-Version: {version}");
            let reply = send(&site, binding, "", &[&header]).await;
            let (message, reason) = refusal(binding, &reply);
            assert_eq!(reason, "VERSION_NOT_SUPPORTED", "{binding:?} {version}");
            assert!(message.contains("send A2A-Version: 1.0"), "{message}");
        }
    }
}

#[tokio::test]
async fn a_request_of_1_0_without_a_version_is_told_that_the_header_is_missing() {
    let site = Site::new();
    for binding in BINDINGS {
        let reply = send(&site, binding, "", &[]).await;
        let (message, reason) = refusal(binding, &reply);
        assert_eq!(reason, "VERSION_NOT_SUPPORTED", "{binding:?}");
        assert!(
            message.contains("the header A2A-Version is missing"),
            "{message}"
        );
    }
    let mut lenient = both_versions();
    lenient.absent_version = ProtocolVersion::V1_0;
    let site = Site::with(lenient);
    for binding in BINDINGS {
        let reply = send(&site, binding, "", &[]).await;
        assert_eq!(refusal(binding, &reply).1, "", "{binding:?}");
    }
}

#[tokio::test]
async fn requests_of_0_3_need_no_version() {
    let old = r#"{"message":{"messageId":"m","role":"ROLE_USER","content":[{"text":"direct"}]}}"#;
    let rpc = r#"{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"kind":"message","messageId":"m","role":"user","parts":[{"kind":"text","text":"direct"}]}}}"#;
    let site = Site::new();
    for headers in [vec![], vec!["A2A-Version: 0.3"], vec!["A2A-Version: 1.0"]] {
        let reply = site.post("/a2a/v1/message:send", &headers, old).await;
        assert_eq!(
            reply.json()["message"]["content"][0]["text"],
            "hello",
            "{reply:?}"
        );
        let reply = site.post("/a2a", &headers, rpc).await;
        assert_eq!(
            reply.json()["result"]["parts"][0]["text"],
            "hello",
            "{reply:?}"
        );
    }
    let site = Site::with(a2a_server::Options::default());
    let reply = site.post("/a2a/v1/message:send", &[], old).await;
    assert_eq!(
        (reply.status, reason(&reply).as_str()),
        (400, "VERSION_NOT_SUPPORTED")
    );
    assert_eq!(site.post("/a2a", &[], rpc).await.error().0, -32009);
}

#[tokio::test]
async fn extensions_are_read_in_both_spellings_and_echoed_in_the_one_of_the_version() {
    let mut options = both_versions();
    options.extensions = vec!["urn:a".to_owned(), "urn:b".to_owned()];
    let site = Site::with(options);
    let version = "A2A-Version: 1.0";
    for binding in BINDINGS {
        for headers in [
            vec![version, "A2A-Extensions: urn:a, urn:x, urn:b"],
            vec![version, "A2A-Extensions: urn:a", "A2A-Extensions: urn:b"],
            vec![version, "X-A2A-Extensions: urn:a,urn:b"],
        ] {
            let reply = send(&site, binding, "", &headers).await;
            assert_eq!(
                reply.header("a2a-extensions"),
                Some("urn:a, urn:b"),
                "{headers:?}"
            );
            assert_eq!(reply.header("x-a2a-extensions"), None);
        }
    }
    let headers = ["A2A-Extensions: urn:a"];
    let reply = site.ask("GET", "/a2a/v1/tasks/none", &headers).await;
    assert_eq!(reply.status, 404);
    assert_eq!(reply.header("x-a2a-extensions"), Some("urn:a"));
    assert_eq!(reply.header("a2a-extensions"), None);
}

#[tokio::test]
async fn a_required_extension_must_be_asked_for_on_every_operation() {
    let mut options = both_versions();
    options.required_extensions = vec!["urn:a".to_owned(), "urn:b".to_owned()];
    let site = Site::with(options);
    let headers = ["A2A-Version: 1.0", "A2A-Extensions: urn:b"];
    for binding in BINDINGS {
        let reply = send(&site, binding, "", &headers).await;
        let (message, reason) = refusal(binding, &reply);
        assert_eq!(reason, "EXTENSION_SUPPORT_REQUIRED", "{binding:?}");
        assert!(message.ends_with("A2A-Extensions: urn:a"), "{message}");
    }
    for target in ["/a2a/tasks", "/a2a/tasks/none", "/a2a/v1/tasks/none"] {
        let reply = site.ask("GET", target, &headers).await;
        assert_eq!(
            (reply.status, reason(&reply).as_str()),
            (400, "EXTENSION_SUPPORT_REQUIRED")
        );
    }
}

#[tokio::test]
async fn clients_of_0_3_that_know_no_versions_find_the_error_of_a_stream_in_it() {
    let site = Site::new();
    let call = |method: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":7,"method":"{method}","params":{{"id":"none"}}}}"#)
    };
    let accepts = "Accept: application/json;q=0.1, text/event-stream; q=1";
    for (method, headers, streams) in [
        ("tasks/resubscribe", &[accepts][..], true),
        ("tasks/resubscribe", &[], false),
        ("tasks/resubscribe", &[accepts, "A2A-Version: 0.3"], false),
        ("tasks/get", &[accepts], false),
        ("SubscribeToTask", &[accepts, VERSION], false),
    ] {
        let reply = site.post("/a2a", headers, &call(method)).await;
        let media_type = reply.header("content-type");
        let error = if streams {
            assert_eq!(media_type, Some("text/event-stream"), "{method}");
            let data = reply.body.strip_prefix("data: ").unwrap();
            data.strip_suffix("\n\n").unwrap()
        } else {
            assert_eq!(media_type, Some("application/json"), "{method}");
            &reply.body
        };
        let error: serde_json::Value = serde_json::from_str(error).unwrap();
        assert_eq!((reply.status, &error["id"]), (200, &7.into()));
        assert_eq!(error["error"]["code"], -32001, "{method}");
    }
}
