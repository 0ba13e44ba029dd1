use a2a::card::{
    self,
    signing::{SigningAlgorithm, SigningKey, Unverified, VerifyingKey},
};
use a2a_client::{Discovered, Error, Trust, VerifyError, discover};
use rcgen::{KeyPair, PKCS_ECDSA_P256_SHA256, PublicKeyData};
use serde_json::{Value, json};

use crate::{
    discovery::card as document,
    server::{Reply, Server, egress},
};

fn key() -> KeyPair {
    KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256).unwrap()
}

/// A public key as a member of a set.
fn jwk(key: &KeyPair, id: &str) -> Value {
    // An uncompressed point: a byte that says so, then both coordinates.
    let point = key.der_bytes();
    let number = |bytes: &[u8]| data_encoding::BASE64URL_NOPAD.encode(bytes);
    json!({ "kty": "EC", "crv": "P-256", "kid": id, "x": number(&point[1..33]), "y": number(&point[33..65]) })
}

fn signed(key: &KeyPair, id: &str, jku: Option<&str>) -> String {
    let text = document("http://agent.example/a2a").to_string();
    let mut card = card::read(text.as_bytes()).unwrap().card;
    let pem = key.serialize_pem();
    let mut signing = SigningKey::from_pem(id, SigningAlgorithm::Es256, pem.as_bytes()).unwrap();
    if let Some(jku) = jku {
        signing = signing.with_jku(jku);
    }
    card.sign(&signing).unwrap();
    serde_json::to_string(&card).unwrap()
}

/// A server of a card and a set of keys; `ORIGIN/keys` is where the set is.
async fn agent(card: impl Fn(&str) -> String, keys: Reply) -> (Server, Discovered, String) {
    let server = Server::start(&[("/keys", keys)]).await;
    let jku = server.url("/keys");
    let card = Server::start(&[("/card.json", Reply::json(&card(&jku)))]).await;
    let found = discover(&egress(), &card.url("/card.json")).await.unwrap();
    (server, found, jku)
}

#[tokio::test]
async fn a_card_is_verified_by_a_key_at_hand() {
    let key = key();
    let (server, found, _) = agent(|jku| signed(&key, "k-1", Some(jku)), Reply::json(&"{}")).await;
    let public = VerifyingKey::from_jwk(&jwk(&key, "k-1").to_string()).unwrap();
    let trust = Trust::new().with_key("k-1", public.clone());
    let verified = found.verify(&egress(), &trust).await.unwrap();
    assert_eq!(verified.header.kid.as_deref(), Some("k-1"));
    assert!(server.arrived().is_empty());
    let other = Trust::new().with_key("k-2", public);
    let error = found.verify(&egress(), &other).await.unwrap_err();
    assert!(
        matches!(error, VerifyError::Unverified(Unverified::Refused(_))),
        "{error:?}"
    );
}

#[tokio::test]
async fn keys_are_fetched_from_trusted_addresses_only() {
    let key = key();
    let set = json!({ "keys": [{ "kty": "oct", "k": "AA" }, jwk(&key, "k-1")] });
    let (server, found, jku) = agent(|jku| signed(&key, "k-1", Some(jku)), Reply::json(&set)).await;
    let error = found.verify(&egress(), &Trust::new()).await.unwrap_err();
    assert!(matches!(error, VerifyError::Unverified(_)), "{error:?}");
    let elsewhere = Trust::new().with_key_set("https://keys.example/set".parse().unwrap());
    assert!(found.verify(&egress(), &elsewhere).await.is_err());
    assert!(server.arrived().is_empty());

    let trust = Trust::new().with_key_set(jku.parse().unwrap());
    found.verify(&egress(), &trust).await.unwrap();
    assert_eq!(server.paths(), ["/keys"]);
}

#[tokio::test]
async fn a_card_that_was_changed_is_not_verified() {
    let key = key();
    let set = Reply::json(&json!({ "keys": [jwk(&key, "k-1")] }));
    let change = |jku: &str| signed(&key, "k-1", Some(jku)).replace("Echo", "Ecco");
    let (_server, found, jku) = agent(change, set).await;
    let trust = Trust::new().with_key_set(jku.parse().unwrap());
    let error = found.verify(&egress(), &trust).await.unwrap_err();
    assert!(
        matches!(error, VerifyError::Unverified(Unverified::Refused(_))),
        "{error:?}"
    );
}

#[tokio::test]
async fn keys_that_cannot_be_had_are_told() {
    let key = key();
    for (keys, is_status) in [
        (Reply::new(503, "text/html", "later"), true),
        (Reply::new(200, "text/html", "<html>"), false),
    ] {
        let (_server, found, jku) = agent(|jku| signed(&key, "k-1", Some(jku)), keys).await;
        let trust = Trust::new().with_key_set(jku.parse().unwrap());
        let error = found.verify(&egress(), &trust).await.unwrap_err();
        let VerifyError::KeySet { source, .. } = error else {
            panic!("{error:?}");
        };
        assert_eq!(matches!(*source, Error::HttpStatus { .. }), is_status);
    }
}

#[tokio::test]
async fn a_card_without_signature_is_told() {
    let text = document("http://agent.example/a2a").to_string();
    let (_server, found, _) = agent(|_| text.clone(), Reply::json(&"{}")).await;
    let error = found.verify(&egress(), &Trust::new()).await.unwrap_err();
    assert!(
        matches!(error, VerifyError::Unverified(Unverified::NotSigned)),
        "{error:?}"
    );
}
