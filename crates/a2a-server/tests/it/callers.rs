//! Who calls, and who may not.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use a2a::card::AgentCard;
use a2a::error::ErrorKind;
use a2a::model::{
    CancelTaskRequest, GetExtendedAgentCardRequest, GetTaskRequest, ListTasksRequest,
    SendMessageResponse, SubscribeToTaskRequest,
};
use a2a::operation::{Operation, Outcome};
use a2a_server::auth::{
    Authentication, Identity, Jwt, KeySet, SchemeFault, Tokens, Uncheckable, Verifier,
};
use a2a_server::{Guard, Handler};
use futures_util::future::BoxFuture;
use serde_json::{Value, json};

use crate::bindings::{Site, both_versions};
use crate::client::{bare, exchange, post};
use crate::start::{VERSION, send_message};
use crate::tasks::{Bench, says};

/// A card with an API key, or a bearer token with the scope `chat`.
fn card(requirements: &Value) -> AgentCard {
    let card = json!({
        "name": "Extended",
        "description": "Sees who calls.",
        "version": "1",
        "supportedInterfaces": [
            {"url": "https://a.example", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}
        ],
        "capabilities": {"extendedAgentCard": true},
        "defaultInputModes": ["text/plain"],
        "defaultOutputModes": ["text/plain"],
        "skills": [],
        "securitySchemes": {
            "key": {"apiKeySecurityScheme": {"location": "header", "name": "X-API-Key"}},
            "token": {"httpAuthSecurityScheme": {"scheme": "Bearer"}},
            "query": {"apiKeySecurityScheme": {"location": "query", "name": "api key"}},
            "cookie": {"apiKeySecurityScheme": {"location": "cookie", "name": "session"}},
            "mtls": {"mtlsSecurityScheme": {}},
        },
        "securityRequirements": requirements,
    });
    serde_json::from_value(card).unwrap()
}

fn one(scheme: &str, scopes: &[&str]) -> Value {
    json!({"schemes": {scheme: {"list": scopes}}})
}

pub(crate) fn either() -> AgentCard {
    card(&json!([one("key", &[]), one("token", &["chat"])]))
}

fn verifiers() -> BTreeMap<String, Arc<dyn Verifier>> {
    let keys: Arc<dyn Verifier> = Arc::new(
        Tokens::default()
            .with_token("key-of-ann", Identity::new("ann"))
            .with_token("key-of-bob", Identity::new("bob")),
    );
    let tokens = Tokens::default()
        .with_token("good", Identity::new("ann").with_scopes(["chat", "more"]))
        .with_token("narrow", Identity::new("ann").with_scopes(["more"]));
    let tokens: Arc<dyn Verifier> = Arc::new(tokens);
    let names = ["key", "query", "cookie"].map(|name| (name.to_owned(), Arc::clone(&keys)));
    let mut verifiers = BTreeMap::from(names);
    verifiers.insert("token".to_owned(), tokens);
    verifiers
}

pub(crate) fn guard(card: &AgentCard) -> Guard {
    let authentication = Authentication::of_card(card, &verifiers()).unwrap();
    Guard::default().authenticating(authentication)
}

pub(crate) fn site(guard: &Guard) -> Site {
    let bench = Bench::new();
    let handler = bench.handler.clone();
    Site::over(bench, both_versions(), handler, guard)
}

/// Status, `WWW-Authenticate` and message of an answer over each binding.
pub(crate) async fn ask(
    site: &Site,
    query: &str,
    headers: &[&str],
) -> [(u16, Option<String>, String); 2] {
    let mut lines = vec![VERSION];
    lines.extend(headers);
    let rpc = post(
        &format!("/a2a{query}"),
        &lines,
        &send_message("1", "direct"),
    );
    let http = bare("GET", &format!("/a2a/tasks{query}"), &lines);
    let mut found = Vec::new();
    for request in [rpc, http] {
        let reply = exchange(site.server.address, &request).await;
        let challenge = reply.header("www-authenticate").map(str::to_owned);
        let message = reply.json()["error"]["message"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        found.push((reply.status, challenge, message));
    }
    found.try_into().unwrap()
}

#[tokio::test]
async fn whoever_proves_nothing_is_told_how_to() {
    let site = site(&guard(&either()));
    for (status, challenge, message) in ask(&site, "", &[]).await {
        assert_eq!(status, 401);
        assert_eq!(
            challenge.unwrap(),
            r#"ApiKey in="header", name="x-api-key""#
        );
        assert!(message.contains("securitySchemes"), "{message}");
    }
    let reply = exchange(
        site.server.address,
        &bare("GET", "/a2a/nowhere", &[VERSION]),
    )
    .await;
    assert_eq!(
        (reply.status, reply.json()["error"]["status"].as_str()),
        (401, Some("UNAUTHENTICATED"))
    );
    let body = send_message("1", "direct");
    let reply = exchange(site.server.address, &post("/a2a", &[VERSION], &body)).await;
    assert_eq!(
        (reply.error().0, &reply.json()["id"]),
        (-32000, &Value::Null)
    );
}

#[tokio::test]
async fn any_requirement_of_the_card_suffices() {
    let site = site(&guard(&either()));
    for headers in [
        vec!["X-API-Key: key-of-ann"],
        vec!["Authorization: bearer good"],
        vec!["Authorization: Bearer good", "X-API-Key: key-of-bob"],
        vec!["Authorization: Bearer bad", "X-API-Key: key-of-bob"],
    ] {
        for (status, ..) in ask(&site, "", &headers).await {
            assert_eq!(status, 200, "{headers:?}");
        }
    }
    for headers in [
        vec!["X-API-Key: key-of-nobody"],
        vec!["Authorization: Bearer bad"],
    ] {
        for (status, challenge, message) in ask(&site, "", &headers).await {
            assert_eq!(status, 401, "{headers:?}");
            assert!(challenge.is_some());
            assert!(
                message.contains("nobody has such a key or token"),
                "{message}"
            );
        }
    }
}

#[tokio::test]
async fn a_caller_without_the_scope_is_forbidden_and_told_which() {
    let site = site(&guard(&card(&json!([one("token", &["chat"])]))));
    for (status, challenge, message) in ask(&site, "", &["Authorization: Bearer narrow"]).await {
        assert_eq!(status, 403);
        assert_eq!(
            challenge.unwrap(),
            r#"Bearer realm="a2a", error="insufficient_scope", scope="chat""#
        );
        assert!(message.ends_with("lack scopes: chat"), "{message}");
    }
}

#[tokio::test]
async fn schemes_of_one_requirement_are_all_needed() {
    let both = json!([{"schemes": {"key": {}, "token": {"list": ["chat"]}}}]);
    let site = site(&guard(&card(&both)));
    for (headers, expected) in [
        (vec!["X-API-Key: key-of-ann"], 401),
        (vec!["Authorization: Bearer good"], 401),
        (
            vec!["X-API-Key: key-of-ann", "Authorization: Bearer good"],
            200,
        ),
    ] {
        for (status, ..) in ask(&site, "", &headers).await {
            assert_eq!(status, expected, "{headers:?}");
        }
    }
}

#[tokio::test]
async fn keys_may_come_by_query_and_cookie() {
    let site = site(&guard(&card(&json!([
        one("query", &[]),
        one("cookie", &[])
    ]))));
    for (query, headers) in [
        ("?x=1&api%20key=key-of-ann", vec![]),
        ("", vec!["Cookie: a=b; session=\"key-of-ann\""]),
    ] {
        for (status, ..) in ask(&site, query, &headers).await {
            assert_eq!(status, 200, "{query} {headers:?}");
        }
    }
    for (status, ..) in ask(&site, "?api%20key=", &["Cookie: sessions=key-of-ann"]).await {
        assert_eq!(status, 401);
    }
}

#[tokio::test]
async fn anonymous_callers_are_let_in_only_where_the_card_says_so() {
    for requirements in [json!([]), json!([{"schemes": {}}, one("key", &[])])] {
        let site = site(&guard(&card(&requirements)));
        for (status, ..) in ask(&site, "", &[]).await {
            assert_eq!(status, 200);
        }
    }
    let site = site(&guard(&card(&json!([{"schemes": {}}, one("key", &[])]))));
    for (status, ..) in ask(&site, "", &["X-API-Key: key-of-nobody"]).await {
        assert_eq!(status, 401, "a wrong key is not the same as none");
    }
}

#[test]
fn a_card_that_cannot_be_checked_is_refused_with_every_fault() {
    let card = card(&json!([
        one("mtls", &[]),
        one("none", &[]),
        one("key", &[]),
        one("none", &[])
    ]));
    let fault = Authentication::of_card(&card, &BTreeMap::new()).unwrap_err();
    assert_eq!(
        fault,
        Uncheckable(vec![
            SchemeFault::Unsupported(
                "mtls".to_owned(),
                "is about client certificates, which are not seen here"
            ),
            SchemeFault::NotDeclared("none".to_owned()),
            SchemeFault::NoVerifier("key".to_owned()),
        ])
    );
}

#[tokio::test]
async fn a_foreign_task_does_not_exist_on_any_operation() {
    let site = site(&guard(&card(&json!([one("key", &[])]))));
    for wire in site.wires() {
        let ann = wire.clone().with_header("X-API-Key: key-of-ann");
        let bob = wire.clone().with_header("X-API-Key: key-of-bob");
        let sent = ann
            .call(&Operation::SendMessage(says("ask")))
            .await
            .unwrap();
        let Outcome::Sent(SendMessageResponse::Task(task)) = sent else {
            panic!("no task: {sent:?}");
        };
        let id = task.id.clone();
        let mut follow_up = says("direct");
        follow_up.message.task_id = Some(id.clone());
        let mut reference = says("direct");
        reference.message.reference_task_ids = vec![id.clone()];
        let get = Operation::GetTask(GetTaskRequest {
            id: id.clone(),
            ..Default::default()
        });
        let cancel = Operation::CancelTask(CancelTaskRequest {
            id: id.clone(),
            ..Default::default()
        });
        let subscribe = Operation::SubscribeToTask(SubscribeToTaskRequest {
            id,
            ..Default::default()
        });
        let mut operations = vec![
            Operation::SendMessage(follow_up.clone()),
            Operation::SendStreamingMessage(follow_up),
            get.clone(),
            cancel,
            subscribe,
        ];
        // 0.3 over HTTP+JSON has no place for references.
        if !wire.is_old() {
            operations.push(Operation::SendMessage(reference));
        }
        for operation in operations {
            let refused = if operation.method().streams() {
                bob.follow(&operation).await.map(drop)
            } else {
                bob.call(&operation).await.map(drop)
            };
            let kind = refused.unwrap_err().kind;
            assert_eq!(kind, ErrorKind::TaskNotFound, "{wire:?} {operation:?}");
        }
        assert!(ann.call(&get).await.is_ok());
        if !wire.is_old() {
            let list = Operation::ListTasks(ListTasksRequest::default());
            let Outcome::Tasks(page) = bob.call(&list).await.unwrap() else {
                panic!("no page");
            };
            assert_eq!(page.total_size, 0);
        }
    }
}

#[tokio::test]
async fn the_extended_card_is_for_callers_who_prove_who_they_are() {
    let extended = Operation::GetExtendedAgentCard(GetExtendedAgentCardRequest::default());
    let open = card(&json!([{"schemes": {}}, one("token", &["chat"])]));
    for (configured, anonymous, proven) in [
        (
            None,
            ErrorKind::UnsupportedOperation,
            Err(ErrorKind::UnsupportedOperation),
        ),
        (
            Some(None),
            ErrorKind::ExtendedAgentCardNotConfigured,
            Err(ErrorKind::ExtendedAgentCardNotConfigured),
        ),
        (
            Some(Some(open.clone())),
            ErrorKind::Unauthenticated,
            Ok("Extended"),
        ),
    ] {
        let bench = Bench::new();
        let mut handler: Handler = bench.handler.clone();
        if let Some(card) = configured {
            handler = handler.with_extended_card(card);
        }
        let site = Site::over(bench, both_versions(), handler, &guard(&open));
        for wire in site.wires().into_iter().filter(|wire| !wire.is_old()) {
            let found = wire.call(&extended).await.unwrap_err().kind;
            let is_rpc = wire.binding == crate::bindings::Binding::JsonRpc;
            if anonymous == ErrorKind::Unauthenticated && is_rpc {
                assert_eq!(found, ErrorKind::Other(-32000));
            } else {
                assert_eq!(found, anonymous, "{wire:?}");
            }
            let wire = wire.with_header("Authorization: Bearer good");
            match (wire.call(&extended).await, proven) {
                (Ok(Outcome::AgentCard(card)), Ok(name)) => assert_eq!(card.name, name),
                (Err(error), Err(kind)) => assert_eq!(error.kind, kind),
                (found, _) => panic!("{found:?}"),
            }
        }
        if anonymous == ErrorKind::Unauthenticated {
            let request = bare("GET", "/a2a/extendedAgentCard", &[VERSION]);
            let reply = exchange(site.server.address, &request).await;
            let challenge = reply.header("www-authenticate");
            assert_eq!(
                (reply.status, challenge),
                (401, Some(r#"Bearer realm="a2a""#))
            );
        }
    }
}

#[tokio::test]
async fn what_there_is_no_room_for_is_answered_at_once() {
    let site = site(&Guard::default().at_most(1, Duration::from_secs(7)));
    let held = says("hold");
    let wire = site.wires().remove(0);
    let operation = Operation::SendMessage(held);
    let holding = tokio::join!(wire.call(&operation), async {
        site.bench.agent.begun().await;
        for request in [
            post("/a2a", &[VERSION], &send_message("1", "direct")),
            bare("GET", "/a2a/tasks", &[VERSION]),
        ] {
            let reply = exchange(site.server.address, &request).await;
            assert_eq!(
                (reply.status, reply.header("retry-after")),
                (503, Some("7"))
            );
        }
        site.bench.agent.release();
    });
    holding.0.unwrap();
    let reply = exchange(site.server.address, &bare("GET", "/a2a/tasks", &[VERSION])).await;
    assert_eq!(reply.status, 200);
}

#[tokio::test]
async fn one_caller_cannot_take_the_room_of_the_others() {
    let guard = guard(&card(&json!([{"schemes": {}}, one("key", &[])])));
    let site = site(&guard.at_most_each(1, Duration::from_secs(3)));
    let wire = site.wires().remove(0);
    let wire = wire.with_header("X-API-Key: key-of-ann");
    let operation = Operation::SendMessage(says("hold"));
    let ask = async |header: &str| {
        let request = bare("GET", "/a2a/tasks", &[VERSION, header]);
        let reply = exchange(site.server.address, &request).await;
        let retry_after = reply.header("retry-after").map(str::to_owned);
        (reply.status, retry_after)
    };
    let (held, ()) = tokio::join!(wire.call(&operation), async {
        site.bench.agent.begun().await;
        let refused = (429, Some("3".to_owned()));
        assert_eq!(ask("X-API-Key: key-of-ann").await, refused);
        assert_eq!(ask("X-API-Key: key-of-bob").await, (200, None));
        assert_eq!(ask("X-None: 1").await, (200, None));
        site.bench.agent.release();
    });
    held.unwrap();
    assert_eq!(ask("X-API-Key: key-of-ann").await, (200, None));
}

/// Cannot reach who knows.
#[derive(Debug)]
struct Away;

impl Verifier for Away {
    fn verify<'a>(
        &'a self,
        _: &'a str,
    ) -> BoxFuture<'a, Result<Identity, a2a_server::auth::Denied>> {
        let denied = a2a_server::auth::Denied::Unavailable("the server of keys is away".into());
        Box::pin(std::future::ready(Err(denied)))
    }
}

#[tokio::test]
async fn credentials_that_cannot_be_checked_are_not_called_wrong() {
    let verifiers = BTreeMap::from([("token".to_owned(), Arc::new(Away) as Arc<dyn Verifier>)]);
    let card = card(&json!([one("token", &[])]));
    let authentication = Authentication::of_card(&card, &verifiers).unwrap();
    let site = site(&Guard::default().authenticating(authentication));
    for (status, challenge, message) in ask(&site, "", &["Authorization: Bearer x"]).await {
        assert_eq!((status, challenge), (503, None));
        assert!(!message.contains("away"), "{message}");
    }
}

#[tokio::test]
async fn tokens_of_an_issuer_are_verified_by_its_keys() {
    let now = 1_800_000_000;
    let good = json!({
        "iss": "https://id.example", "aud": ["https://agent.example"], "sub": "ann",
        "exp": now + 60, "scope": "chat more",
    });
    let key = Signer::new("k1");
    let jwt = jwt(&key, now);
    let identity = jwt.verify(&key.sign(&good, "k1")).await.unwrap();
    assert_eq!(identity, Identity::new("ann").with_scopes(["chat", "more"]));
    for (member, value, words) in [
        ("iss", json!("https://other.example"), "of another issuer"),
        (
            "aud",
            json!("https://other.example"),
            "for another audience",
        ),
        ("exp", json!(now - 61), "has expired"),
        ("nbf", json!(now + 62), "not valid yet"),
        ("sub", Value::Null, "cannot be read"),
        ("exp", Value::Null, "lacks exp"),
    ] {
        let mut claims = good.clone();
        claims[member] = value;
        let denied = jwt.verify(&key.sign(&claims, "k1")).await.unwrap_err();
        assert!(denied.to_string().contains(words), "{member}: {denied}");
    }
    let denied = jwt
        .verify(&Signer::new("k1").sign(&good, "k1"))
        .await
        .unwrap_err();
    assert!(
        denied.to_string().contains("signature is wrong"),
        "{denied}"
    );
    let denied = jwt.verify(&key.sign(&good, "k2")).await.unwrap_err();
    assert!(denied.to_string().contains("does not have"), "{denied}");
}

#[tokio::test]
async fn tokens_without_a_key_of_the_issuer_are_worth_nothing() {
    let key = Signer::new("k1");
    let jwt = jwt(&key, 1_800_000_000);
    let claims = json!({
        "iss": "https://id.example", "aud": "https://agent.example", "sub": "ann",
        "exp": 1_800_000_060,
    });
    let text = |value: &Value| data_encoding::BASE64URL_NOPAD.encode(value.to_string().as_bytes());
    let unsigned = format!("{}.{}.", text(&json!({"alg": "none"})), text(&claims));
    let secret = jsonwebtoken::EncodingKey::from_secret(key.public().as_bytes()).unwrap();
    let header = jsonwebtoken::Header::new(jsonwebtoken::Algorithm::HS256);
    let by_secret = jsonwebtoken::encode(&header, &claims, &secret).unwrap();
    for token in ["", "x", "a.b.c", "é.é.é", &unsigned, &by_secret] {
        assert!(jwt.verify(token).await.is_err(), "{token}");
    }
}

fn jwt(key: &Signer, now: i64) -> Jwt {
    let keys = KeySet::from_json(key.set.to_string().as_bytes()).unwrap();
    let now: a2a::model::Timestamp = jiff::Timestamp::from_second(now)
        .unwrap()
        .try_into()
        .unwrap();
    let (issuer, audience) = ("https://id.example", "https://agent.example");
    Jwt::new(Arc::new(keys), issuer, audience, move || now)
}

/// An issuer with one key.
pub(crate) struct Signer {
    key: jsonwebtoken::EncodingKey,
    pub(crate) set: Value,
}

impl Signer {
    pub(crate) fn new(id: &str) -> Self {
        let pair = rcgen::KeyPair::generate_for(&rcgen::PKCS_ECDSA_P256_SHA256).unwrap();
        let key = jsonwebtoken::EncodingKey::from_ec_pem(pair.serialize_pem().as_bytes()).unwrap();
        let mut jwk =
            jsonwebtoken::jwk::Jwk::from_encoding_key(&key, jsonwebtoken::Algorithm::ES256)
                .unwrap();
        jwk.common.key_id = Some(id.to_owned());
        let set = json!({"keys": [jwk, {"kty": "oct", "k": "c2VjcmV0", "kid": id}]});
        Self { key, set }
    }

    fn public(&self) -> String {
        self.set["keys"][0]["x"].as_str().unwrap().to_owned()
    }

    pub(crate) fn sign(&self, claims: &Value, id: &str) -> String {
        let mut header = jsonwebtoken::Header::new(jsonwebtoken::Algorithm::ES256);
        header.kid = Some(id.to_owned());
        jsonwebtoken::encode(&header, claims, &self.key).unwrap()
    }
}
