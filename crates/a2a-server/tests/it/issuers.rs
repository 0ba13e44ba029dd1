//! Callers' tokens, of an issuer that this server asks: for its keys, or about each token.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use a2a::card::AgentCard;
use a2a::model::{Secret, Timestamp};
use a2a_server::Guard;
use a2a_server::auth::{
    Authentication, Denied, Identity, Introspection, IssuerKeys, Jwt, NotAnAlgorithm, Verifier,
};
use a2a_server::serve::ServeOptions;
use axum::Router;
use axum::extract::State;
use axum::routing::{get, post};
use egress::Egress;
use http::{HeaderMap, StatusCode};
use serde_json::{Value, json};

use crate::callers::{Signer, ask, site};
use crate::start::{Server, start_app};

const NOW: i64 = 1_800_000_000;
const AUDIENCE: &str = "https://agent.example";

/// What the issuer answers, and how often it was asked.
#[derive(Default)]
struct Told {
    metadata: Mutex<Value>,
    keys: Mutex<Value>,
    /// By token.
    tokens: Mutex<BTreeMap<String, Value>>,
    is_down: Mutex<bool>,
    asked_for_keys: AtomicUsize,
    asked_about_tokens: AtomicUsize,
    seconds: AtomicI64,
}

/// An issuer of tokens that runs on this machine.
struct Issuer {
    told: Arc<Told>,
    server: Server,
}

impl Issuer {
    /// One that publishes its metadata at this path.
    fn at(path: &str) -> Self {
        let told = Arc::new(Told::default());
        let app = Router::new()
            .route(path, get(metadata))
            .route("/keys", get(keys))
            .route("/introspect", post(introspect))
            .with_state(Arc::clone(&told));
        let server = start_app(app, Arc::default(), ServeOptions::default());
        let issuer = Self { told, server };
        issuer.publish(&issuer.name(), &issuer.url("/keys"));
        issuer
    }

    fn new() -> Self {
        Self::at("/.well-known/openid-configuration")
    }

    fn name(&self) -> String {
        format!("http://{}", self.server.address)
    }

    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.name())
    }

    fn publish(&self, issuer: &str, keys: &str) {
        *self.told.metadata.lock().unwrap() = json!({"issuer": issuer, "jwks_uri": keys});
    }

    fn has_keys(&self, sets: &[&Value]) {
        let keys = sets.iter().flat_map(|set| set["keys"].as_array().unwrap());
        let keys: Vec<_> = keys.cloned().collect();
        *self.told.keys.lock().unwrap() = json!({"keys": keys});
    }

    fn says_of(&self, token: &str, answer: Value) {
        let mut tokens = self.told.tokens.lock().unwrap();
        tokens.insert(token.to_owned(), answer);
    }

    fn goes_down(&self, is_down: bool) {
        *self.told.is_down.lock().unwrap() = is_down;
    }

    /// Lets time pass for whoever asks.
    fn passes(&self, time: Duration) {
        let seconds = i64::try_from(time.as_secs()).unwrap();
        self.told.seconds.fetch_add(seconds, Ordering::SeqCst);
    }

    fn clock(&self) -> impl Fn() -> Timestamp + Send + Sync + 'static {
        let told = Arc::clone(&self.told);
        move || {
            let now = NOW + told.seconds.load(Ordering::SeqCst);
            let now = jiff::Timestamp::from_second(now).unwrap();
            now.try_into().unwrap()
        }
    }

    fn asked_for_keys(&self) -> usize {
        self.told.asked_for_keys.load(Ordering::SeqCst)
    }

    fn asked_about_tokens(&self) -> usize {
        self.told.asked_about_tokens.load(Ordering::SeqCst)
    }

    /// Verifies its tokens by the keys that it publishes.
    fn verifier(&self) -> Jwt {
        let keys = IssuerKeys::discovered(open(), self.name(), self.clock());
        Jwt::new(Arc::new(keys), self.name(), AUDIENCE, self.clock())
    }

    /// Verifies its tokens by asking it.
    fn introspection(&self) -> Introspection {
        let secret = Secret::new("s3cr:t");
        let client = ("agent one", &secret);
        Introspection::new(
            open(),
            self.url("/introspect"),
            client,
            AUDIENCE,
            self.clock(),
        )
    }

    fn claims(&self, subject: &str) -> Value {
        json!({
            "iss": self.name(), "aud": AUDIENCE, "sub": subject, "exp": NOW + 100_000,
            "scope": "chat",
        })
    }
}

async fn metadata(State(told): State<Arc<Told>>) -> (StatusCode, String) {
    told.answer(&told.metadata.lock().unwrap())
}

async fn keys(State(told): State<Arc<Told>>) -> (StatusCode, String) {
    told.asked_for_keys.fetch_add(1, Ordering::SeqCst);
    told.answer(&told.keys.lock().unwrap())
}

async fn introspect(
    State(told): State<Arc<Told>>,
    headers: HeaderMap,
    form: String,
) -> (StatusCode, String) {
    told.asked_about_tokens.fetch_add(1, Ordering::SeqCst);
    // `agent one` and `s3cr:t`, encoded as a form is.
    let expected = format!(
        "Basic {}",
        data_encoding::BASE64.encode(b"agent%20one:s3cr%3At")
    );
    if headers
        .get("authorization")
        .map(http::HeaderValue::as_bytes)
        != Some(expected.as_bytes())
    {
        return (StatusCode::UNAUTHORIZED, String::new());
    }
    let token = a2a::rest::parameter(&form, "token").unwrap();
    let tokens = told.tokens.lock().unwrap();
    let answer = tokens.get(&token).cloned();
    told.answer(&answer.unwrap_or(json!({"active": false})))
}

impl Told {
    fn answer(&self, answer: &Value) -> (StatusCode, String) {
        if *self.is_down.lock().unwrap() {
            return (StatusCode::BAD_GATEWAY, String::new());
        }
        (StatusCode::OK, answer.to_string())
    }
}

/// A way out that reaches this machine.
fn open() -> Egress {
    let mut options = egress::Options::default();
    options.allow = vec!["127.0.0.0/8".parse().unwrap()];
    Egress::new(options).unwrap()
}

fn words(verified: Result<Identity, Denied>) -> String {
    verified.unwrap_err().to_string()
}

#[tokio::test]
async fn keys_are_discovered_once_and_kept() {
    for path in [
        "/.well-known/openid-configuration",
        "/.well-known/oauth-authorization-server",
    ] {
        let issuer = Issuer::at(path);
        let key = Signer::new("k1");
        issuer.has_keys(&[&key.set]);
        let verifier = issuer.verifier();
        let token = key.sign(&issuer.claims("ann"), "k1");
        for _ in 0..3 {
            let identity = verifier.verify(&token).await.unwrap();
            assert_eq!(identity, Identity::new("ann").with_scopes(["chat"]));
        }
        assert_eq!(issuer.asked_for_keys(), 1, "{path}");
        // They are old after an hour.
        issuer.passes(Duration::from_secs(3601));
        verifier.verify(&token).await.unwrap();
        assert_eq!(issuer.asked_for_keys(), 2);
    }
}

#[tokio::test]
async fn many_first_tokens_at_the_same_time_are_one_question() {
    let issuer = Issuer::new();
    let key = Signer::new("k1");
    issuer.has_keys(&[&key.set]);
    let verifier = issuer.verifier();
    let token = key.sign(&issuer.claims("ann"), "k1");
    let verified = futures_util::future::join_all((0..20).map(|_| verifier.verify(&token))).await;
    assert!(verified.iter().all(Result::is_ok));
    assert_eq!(issuer.asked_for_keys(), 1);
}

#[tokio::test]
async fn a_key_that_is_new_is_found_and_one_that_is_gone_is_worth_nothing() {
    let issuer = Issuer::new();
    let (old, new) = (Signer::new("k1"), Signer::new("k2"));
    issuer.has_keys(&[&old.set]);
    let verifier = issuer.verifier();
    let of_old = old.sign(&issuer.claims("ann"), "k1");
    let of_new = new.sign(&issuer.claims("ann"), "k2");
    verifier.verify(&of_old).await.unwrap();
    issuer.has_keys(&[&new.set]);
    issuer.passes(Duration::from_secs(61));
    verifier.verify(&of_new).await.unwrap();
    assert_eq!(issuer.asked_for_keys(), 2);
    issuer.passes(Duration::from_secs(61));
    let denied = words(verifier.verify(&of_old).await);
    assert!(denied.contains("does not have"), "{denied}");
}

#[tokio::test]
async fn tokens_of_unknown_keys_do_not_make_this_server_ask_all_the_time() {
    let issuer = Issuer::new();
    let (key, strange) = (Signer::new("k1"), Signer::new("x"));
    issuer.has_keys(&[&key.set]);
    let verifier = issuer.verifier();
    let good = key.sign(&issuer.claims("ann"), "k1");
    verifier.verify(&good).await.unwrap();
    for number in 0..50 {
        let token = strange.sign(&issuer.claims("ann"), &format!("x-{number}"));
        let denied = words(verifier.verify(&token).await);
        assert!(denied.contains("does not have"), "{denied}");
        verifier.verify(&good).await.unwrap();
    }
    assert_eq!(issuer.asked_for_keys(), 1);
    issuer.passes(Duration::from_secs(61));
    for number in 0..50 {
        let token = strange.sign(&issuer.claims("ann"), &format!("x-{number}"));
        words(verifier.verify(&token).await);
    }
    assert_eq!(issuer.asked_for_keys(), 2);
}

#[tokio::test]
async fn keys_stay_good_for_a_while_when_their_issuer_is_down() {
    let issuer = Issuer::new();
    let key = Signer::new("k1");
    issuer.has_keys(&[&key.set]);
    let verifier = issuer.verifier();
    issuer.goes_down(true);
    let token = key.sign(&issuer.claims("ann"), "k1");
    // Nothing is known, and the issuer is left alone for a while.
    for _ in 0..3 {
        let denied = verifier.verify(&token).await;
        assert!(matches!(denied, Err(Denied::Unavailable(_))), "{denied:?}");
    }
    issuer.goes_down(false);
    issuer.passes(Duration::from_secs(61));
    verifier.verify(&token).await.unwrap();
    issuer.goes_down(true);
    issuer.passes(Duration::from_secs(2 * 3600));
    verifier.verify(&token).await.unwrap();
    issuer.passes(Duration::from_secs(23 * 3600));
    let denied = verifier.verify(&token).await;
    assert!(matches!(denied, Err(Denied::Unavailable(_))), "{denied:?}");
}

#[tokio::test]
async fn metadata_of_another_issuer_and_sets_of_others_are_not_believed() {
    let issuer = Issuer::new();
    let key = Signer::new("k1");
    issuer.has_keys(&[&key.set]);
    let token = key.sign(&issuer.claims("ann"), "k1");
    let refused = async |why: &str| {
        let Err(Denied::Unavailable(cause)) = issuer.verifier().verify(&token).await else {
            panic!("keys of somebody else were used: {why}");
        };
        assert!(cause.to_string().contains(why), "{cause}");
    };
    issuer.publish("https://somebody.example", &issuer.url("/keys"));
    refused("of the issuer").await;
    // A closed address: what the metadata say is as foreign as any URL.
    issuer.publish(&issuer.name(), "http://169.254.169.254/keys");
    refused("cannot be asked").await;
    issuer.publish(&issuer.name(), &issuer.url("/nowhere"));
    refused("404").await;
    *issuer.told.metadata.lock().unwrap() = json!({"issuer": issuer.name()});
    refused("no metadata").await;
}

#[tokio::test]
async fn keys_that_are_not_understood_do_not_spoil_the_others() {
    let issuer = Issuer::new();
    let key = Signer::new("k1");
    let odd = json!({"keys": [
        {"kty": "AKP", "alg": "ML-DSA-44", "kid": "pq", "pub": "AAAA"}, {"kty": "RSA"}, 7, null,
    ]});
    issuer.has_keys(&[&odd, &key.set]);
    let token = key.sign(&issuer.claims("ann"), "k1");
    issuer.verifier().verify(&token).await.unwrap();
}

#[tokio::test]
async fn only_algorithms_of_the_list_are_accepted() {
    let issuer = Issuer::new();
    let key = Signer::new("k1");
    issuer.has_keys(&[&key.set]);
    let token = key.sign(&issuer.claims("ann"), "k1");
    let only = |names: &[&'static str]| issuer.verifier().with_algorithms(names.iter().copied());
    let verifier = only(&["RS256", "ES256"]).unwrap();
    verifier.verify(&token).await.unwrap();
    for names in [&["RS256"][..], &[]] {
        let denied = words(only(names).unwrap().verify(&token).await);
        assert!(denied.contains("algorithm"), "{denied}");
    }
    for name in ["HS256", "none", "es256"] {
        let refused = only(&["ES256", name]).unwrap_err();
        assert_eq!(refused, NotAnAlgorithm(name.to_owned()));
    }
}

#[tokio::test]
async fn an_issuer_is_asked_about_an_opaque_token_and_its_answer_kept_for_a_while() {
    let issuer = Issuer::new();
    let verifier = issuer.introspection();
    let answer = json!({"active": true, "sub": "ann", "aud": [AUDIENCE], "scope": "chat more"});
    issuer.says_of("t+1/=", answer);
    for _ in 0..3 {
        let identity = verifier.verify("t+1/=").await.unwrap();
        assert_eq!(identity, Identity::new("ann").with_scopes(["chat", "more"]));
        assert!(words(verifier.verify("unknown").await).contains("not active"));
    }
    assert_eq!(issuer.asked_about_tokens(), 2);
    // Revoked, which is noticed after half a minute.
    issuer.says_of("t+1/=", json!({"active": false}));
    verifier.verify("t+1/=").await.unwrap();
    issuer.passes(Duration::from_secs(31));
    assert!(words(verifier.verify("t+1/=").await).contains("not active"));
}

#[tokio::test]
async fn a_kept_answer_ends_with_its_token() {
    let issuer = Issuer::new();
    let verifier = issuer.introspection();
    let answer = json!({"active": true, "sub": "ann", "aud": AUDIENCE, "exp": NOW + 5});
    issuer.says_of("t", answer);
    verifier.verify("t").await.unwrap();
    issuer.says_of("t", json!({"active": false}));
    issuer.passes(Duration::from_secs(6));
    assert!(words(verifier.verify("t").await).contains("not active"));
}

#[tokio::test]
async fn what_an_issuer_says_of_a_token_is_checked() {
    let issuer = Issuer::new();
    let verifier = issuer.introspection();
    let good = json!({"active": true, "sub": "ann", "aud": AUDIENCE});
    for (member, value, expected) in [
        ("aud", json!("https://other.example"), "another audience"),
        ("aud", Value::Null, "another audience"),
        ("exp", json!(NOW - 61), "has expired"),
        ("nbf", json!(NOW + 62), "not valid yet"),
        ("sub", Value::Null, "nobody's"),
        ("active", json!(false), "not active"),
    ] {
        let mut answer = good.clone();
        answer[member] = value;
        let token = format!("bad-{expected}-{}", answer["aud"]);
        issuer.says_of(&token, answer);
        let denied = words(verifier.verify(&token).await);
        assert!(denied.contains(expected), "{denied}");
    }
    let client = json!({"active": true, "client_id": "ann", "aud": AUDIENCE});
    issuer.says_of("client", client);
    let identity = verifier.verify("client").await.unwrap();
    assert_eq!(identity.name, "client ann");
}

#[tokio::test]
async fn an_issuer_that_says_nothing_of_a_token_calls_it_neither_good_nor_bad() {
    let issuer = Issuer::new();
    let secret = Secret::new("wrong");
    let verifier = issuer.introspection();
    issuer.says_of("odd", json!({"active": "yes"}));
    let wrong = Introspection::new(
        open(),
        issuer.url("/introspect"),
        ("agent one", &secret),
        AUDIENCE,
        issuer.clock(),
    );
    assert!(!format!("{wrong:?}").contains("wrong"));
    for (verifier, token) in [(&verifier, "odd"), (&wrong, "t")] {
        let denied = verifier.verify(token).await;
        assert!(matches!(denied, Err(Denied::Unavailable(_))), "{denied:?}");
    }
    issuer.goes_down(true);
    let denied = verifier.verify("t").await;
    assert!(matches!(denied, Err(Denied::Unavailable(_))), "{denied:?}");
    // Nothing of that was kept.
    issuer.goes_down(false);
    let answer = json!({"active": true, "sub": "ann", "aud": AUDIENCE});
    issuer.says_of("t", answer);
    verifier.verify("t").await.unwrap();
}

#[tokio::test]
async fn a_card_with_tokens_of_an_issuer_is_enforced_as_it_says() {
    let issuer = Issuer::new();
    let key = Signer::new("k1");
    issuer.has_keys(&[&key.set]);
    let card: AgentCard = serde_json::from_value(json!({
        "name": "Guarded",
        "description": "Knows its callers by an issuer.",
        "version": "1",
        "supportedInterfaces": [
            {"url": "https://agent.example", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"},
        ],
        "capabilities": {},
        "defaultInputModes": ["text/plain"],
        "defaultOutputModes": ["text/plain"],
        "skills": [],
        "securitySchemes": {
            "login": {"openIdConnectSecurityScheme": {
                "openIdConnectUrl": issuer.url("/.well-known/openid-configuration"),
            }},
            "key": {"apiKeySecurityScheme": {"location": "header", "name": "X-API-Key"}},
        },
        "securityRequirements": [{"schemes": {"login": {"list": ["chat"]}}}],
    }))
    .unwrap();
    let verifiers: BTreeMap<String, Arc<dyn Verifier>> =
        BTreeMap::from([("login".to_owned(), Arc::new(issuer.verifier()) as _)]);
    let authentication = Authentication::of_card(&card, &verifiers).unwrap();
    let site = site(&Guard::default().authenticating(authentication));
    let mut narrow = issuer.claims("ann");
    narrow["scope"] = json!("other");
    let mut old = issuer.claims("ann");
    old["exp"] = json!(NOW - 3600);
    for (claims, status, challenge) in [
        (Some(issuer.claims("ann")), 200, None),
        (Some(old), 401, Some(r#"error="invalid_token""#)),
        (
            Some(narrow),
            403,
            Some(r#"error="insufficient_scope", scope="chat""#),
        ),
        (None, 401, Some(r#"Bearer realm="a2a""#)),
    ] {
        let header = claims.map(|it| format!("Authorization: Bearer {}", key.sign(&it, "k1")));
        let headers: Vec<&str> = header.iter().map(String::as_str).collect();
        for (found, said, message) in ask(&site, "", &headers).await {
            assert_eq!(found, status, "{message}");
            match challenge {
                None => assert_eq!(said, None),
                Some(words) => assert!(said.unwrap().contains(words)),
            }
        }
    }
    // A scheme that the card only declares opens nothing.
    for (found, _, _) in ask(&site, "", &["X-API-Key: anything"]).await {
        assert_eq!(found, 401);
    }
}
