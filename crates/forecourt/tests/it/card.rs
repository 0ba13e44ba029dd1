//! `forecourt card check | sign | verify`: what can be done with any agent's card.

use std::{
    io::{Read as _, Write as _},
    net::TcpListener,
    path::{Path, PathBuf},
};

use rcgen::{
    KeyPair, PKCS_ECDSA_P256_SHA256, PKCS_ECDSA_P384_SHA384, PKCS_RSA_SHA256, PublicKeyData as _,
    RsaKeySize,
};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{run, run_json};

fn sound() -> Value {
    json!({
        "name": "Käß",
        "description": "Says it again.",
        "version": "1",
        "supportedInterfaces": [
            { "url": "https://agent.example/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0" },
        ],
        "capabilities": { "streaming": false },
        "defaultInputModes": ["text/plain"],
        "defaultOutputModes": ["text/plain"],
        "skills": [{ "id": "echo", "name": "Echo", "description": "Echo.", "tags": ["echo"] }],
        "x-own": 9_007_199_254_740_993_u64,
    })
}

fn older() -> Value {
    json!({
        "protocolVersion": "0.3.0",
        "name": "Older",
        "description": "From before.",
        "version": "7",
        "url": "https://agent.example/rpc",
        "preferredTransport": "JSONRPC",
        "capabilities": {},
        "defaultInputModes": ["text/plain"],
        "defaultOutputModes": ["text/plain"],
        "skills": [{ "id": "echo", "name": "Echo", "description": "Echo.", "tags": ["echo"] }],
    })
}

/// A folder of files.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: impl ToString) -> String {
        let path = self.path(name);
        std::fs::write(&path, text.to_string()).unwrap();
        named(&path)
    }
}

fn named(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

/// A public key as a member of a set.
fn jwk(key: &KeyPair, id: &str) -> Value {
    // An uncompressed point: a byte that says so, then both coordinates.
    let point = key.der_bytes();
    let number = |bytes: &[u8]| data_encoding::BASE64URL_NOPAD.encode(bytes);
    json!({ "kty": "EC", "crv": "P-256", "kid": id, "x": number(&point[1..33]), "y": number(&point[33..65]) })
}

fn key_set(key: &KeyPair, id: &str) -> Value {
    json!({ "keys": [{ "kty": "oct", "k": "AA" }, jwk(key, id)] })
}

/// The private key as a JSON Web Key.
fn private_jwk(key: &KeyPair, id: &str) -> Value {
    // PKCS#8 of P-256 has the private number behind the inner version and its own tag and length.
    let der = key.serialize_der();
    let before = [0x02, 0x01, 0x01, 0x04, 0x20];
    let at = der.windows(5).position(|window| window == before).unwrap() + 5;
    let mut whole = jwk(key, id);
    whole["d"] = data_encoding::BASE64URL_NOPAD
        .encode(&der[at..at + 32])
        .into();
    whole
}

fn p256() -> KeyPair {
    KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256).unwrap()
}

/// Serves documents by path, to so many requests.
fn serve(count: usize, documents: impl Fn(&str) -> String + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming().take(count) {
            let mut stream = stream.unwrap();
            let mut request = Vec::new();
            let mut buffer = [0; 1024];
            while !request.windows(4).any(|end| end == b"\r\n\r\n") {
                let read = stream.read(&mut buffer).unwrap();
                request.extend_from_slice(&buffer[..read]);
            }
            let body = documents(&String::from_utf8(request).unwrap());
            let length = body.len();
            let head =
                format!("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n");
            stream.write_all((head + &body).as_bytes()).unwrap();
        }
    });
    url
}

#[test]
fn a_sound_card_of_either_generation_passes() {
    let folder = Folder::new();
    for (card, sound_in, nothing_in) in [(sound(), "1.0", "0.3"), (older(), "0.3", "1.0")] {
        let path = folder.write("card.json", &card);
        let (status, report) = run_json(&["card", "check", &path, "--json"]);
        assert_eq!(status, 0, "{report:#}");
        assert_eq!(report["sound"], true);
        assert_eq!(report["generations"][sound_in], json!([]));
        assert_eq!(report["generations"][nothing_in], Value::Null);
        let output = run(&["card", "check", &path]);
        let words = String::from_utf8(output.stdout).unwrap();
        assert!(words.contains(&format!("A2A {sound_in}: sound")), "{words}");
    }
}

#[test]
fn every_fault_is_named_for_both_generations() {
    let folder = Folder::new();
    let mut card = older();
    for (name, value) in sound().as_object().unwrap() {
        card[name] = value.clone();
    }
    card["skills"][0]["tags"] = json!([]);
    card["preferredTransport"] = json!("SOAP");
    card["defaultInputModes"] = json!(["text"]);
    let path = folder.write("card.json", &card);
    let (status, report) = run_json(&["card", "check", &path, "--json"]);
    assert_eq!((status, &report["sound"]), (1, &json!(false)));
    let pointers = |generation: &str| -> Vec<String> {
        let found = report["generations"][generation].as_array().unwrap().iter();
        found
            .map(|it| it["pointer"].as_str().unwrap().to_owned())
            .collect()
    };
    for generation in ["1.0", "0.3"] {
        let found = pointers(generation);
        assert!(
            found.contains(&"/skills/0/tags".to_owned()),
            "{generation}: {report:#}"
        );
        assert!(
            found.contains(&"/defaultInputModes/0".to_owned()),
            "{report:#}"
        );
    }
    assert!(
        pointers("0.3").contains(&"/preferredTransport".to_owned()),
        "{report:#}"
    );
    // Clients of 1.0 are told no interface of 0.3.
    assert!(
        pointers("1.0").contains(&"/supportedInterfaces".to_owned()),
        "{report:#}"
    );
    let output = run(&["card", "check", &path]);
    assert_eq!(output.status.code(), Some(1));
    let words = String::from_utf8(output.stdout).unwrap();
    assert!(words.contains("/skills/0/tags"), "{words}");
}

#[test]
fn what_is_no_card_is_told() {
    let folder = Folder::new();
    for text in ["", "[]", "{}", "<html>"] {
        let path = folder.write("card.json", text);
        for command in ["check", "verify", "sign"] {
            let key = folder.write("key.pem", p256().serialize_pem());
            let keys = folder.write("keys.json", key_set(&p256(), "k"));
            let mut args = vec!["card", command, &path, "--json"];
            match command {
                "verify" => args.extend(["--keys", &keys]),
                "sign" => args.extend(["--key", &key, "--key-id", "k"]),
                _ => {}
            }
            let (status, document) = run_json(&args);
            assert_eq!(status, 4, "{args:?} {text}: {document}");
            assert_eq!(document["error"]["code"], "not_a_card", "{args:?}");
        }
    }
    let nowhere = named(&folder.path("nowhere.json"));
    let (status, _) = run_json(&["card", "check", &nowhere, "--json"]);
    assert_eq!(status, 2);
    let (status, _) = run_json(&["card", "check", "http://127.0.0.1:1", "--json"]);
    assert_eq!(status, 3);
}

/// An agent may answer clients of each generation with a card of their own.
#[test]
fn a_url_is_asked_as_clients_of_each_generation_ask() {
    let mut faulty = older();
    faulty["url"] = json!("nowhere");
    let answer = move |request: &str| {
        let is_1_0 = request.to_ascii_lowercase().contains("a2a-version: 1.0");
        if is_1_0 { sound() } else { faulty.clone() }.to_string()
    };
    let url = serve(10, answer);
    let (status, report) = run_json(&["card", "check", &url, "--json"]);
    assert_eq!(status, 1, "{report:#}");
    assert_eq!(report["generations"]["1.0"], json!([]));
    assert_eq!(
        report["generations"]["0.3"][0]["pointer"], "/url",
        "{report:#}"
    );
}

#[test]
fn a_card_is_signed_and_verified_by_every_kind_of_key() {
    let folder = Folder::new();
    let curve = p256();
    let rsa = KeyPair::generate_rsa_for(&PKCS_RSA_SHA256, RsaKeySize::_2048).unwrap();
    let keys = folder.write("keys.json", key_set(&curve, "k-1"));
    let pem = folder.write("ec.pem", curve.serialize_pem());
    let own = folder.write("ec.json", private_jwk(&curve, "k-1"));
    let rsa = folder.write("rsa.pem", rsa.serialize_pem());
    for (card, over) in [(sound(), "the reduced form"), (older(), "the document")] {
        let path = folder.write("card.json", &card);
        for key in [vec!["--key", &pem, "--key-id", "k-1"], vec!["--key", &own]] {
            let jku = ["--jku", "https://agent.example/keys.json"];
            let output = run(&[&["card", "sign", &path], &key[..], &jku].concat());
            assert!(output.status.success(), "{output:?}");
            let signed = String::from_utf8(output.stdout).unwrap();
            let mut without: Value = serde_json::from_str(&signed).unwrap();
            without.as_object_mut().unwrap().remove("signatures");
            assert_eq!(without, card, "everything else stays as it was");

            let signed_path = folder.write("signed.json", &signed);
            let args = ["card", "verify", &signed_path, "--keys", &keys, "--json"];
            let (status, told) = run_json(&args);
            assert_eq!((status, &told["verified"]), (0, &json!(true)), "{told:#}");
            let signature = &told["signature"];
            assert_eq!(signature["kid"], "k-1");
            assert_eq!(signature["alg"], "ES256");
            assert_eq!(signature["jku"], "https://agent.example/keys.json");
            assert_eq!(signature["over"], over);

            let changed = folder.write(
                "changed.json",
                signed.replace("agent.example/", "evil.example/"),
            );
            let (status, told) = run_json(&["card", "verify", &changed, "--keys", &keys, "--json"]);
            assert_eq!(status, 1, "{told:#}");
            assert_eq!(told["error"]["code"], "unverified");
            let reasons = told["error"]["signatures"].as_array().unwrap();
            assert!(
                reasons[0].as_str().unwrap().contains("not over this card"),
                "{told:#}"
            );
        }
    }
    let path = folder.write("card.json", sound());
    let out = named(&folder.path("out.json"));
    let args = [
        "card", "sign", &path, "--key", &rsa, "--key-id", "r", "--out", &out,
    ];
    assert!(run(&args).status.success());
    let signed: Value = serde_json::from_str(&std::fs::read_to_string(&out).unwrap()).unwrap();
    let header = signed["signatures"][0]["protected"].as_str().unwrap();
    let header = data_encoding::BASE64URL_NOPAD
        .decode(header.as_bytes())
        .unwrap();
    let header: Value = serde_json::from_slice(&header).unwrap();
    assert_eq!(
        (&header["alg"], &header["kid"]),
        (&json!("RS256"), &json!("r"))
    );
    // The set has no key of that id.
    let (status, told) = run_json(&["card", "verify", &out, "--keys", &keys, "--json"]);
    assert_eq!((status, &told["error"]["code"]), (1, &json!("unverified")));
}

#[test]
fn card_and_keys_are_fetched_from_urls() {
    let folder = Folder::new();
    let key = p256();
    let path = folder.write("card.json", sound());
    let pem = folder.write("key.pem", key.serialize_pem());
    let output = run(&["card", "sign", &path, "--key", &pem, "--key-id", "k"]);
    let signed = String::from_utf8(output.stdout).unwrap();
    let set = key_set(&key, "k").to_string();
    let url = serve(10, move |request| {
        let is_keys = request.starts_with("GET /keys");
        if is_keys { set.clone() } else { signed.clone() }
    });
    let keys = format!("{url}/keys");
    let output = run(&["card", "verify", &url, "--keys", &keys]);
    assert!(output.status.success(), "{output:?}");
    let words = String::from_utf8(output.stdout).unwrap();
    assert!(words.contains("ES256 by the key k"), "{words}");
    let args = [
        "card",
        "verify",
        &path,
        "--keys",
        "http://127.0.0.1:1/k",
        "--json",
    ];
    let (status, _) = run_json(&args);
    assert_eq!(status, 3);
}

#[test]
fn what_cannot_sign_is_refused_with_a_reason() {
    let folder = Folder::new();
    let path = folder.write("card.json", sound());
    let other = KeyPair::generate_for(&PKCS_ECDSA_P384_SHA384).unwrap();
    let other = folder.write("p384.pem", other.serialize_pem());
    let pem = folder.write("key.pem", p256().serialize_pem());
    let nameless = {
        let mut key = private_jwk(&p256(), "k");
        key.as_object_mut().unwrap().remove("kid");
        folder.write("nameless.json", key)
    };
    let public = folder.write("public.json", jwk(&p256(), "k"));
    for (key, words) in [
        (vec!["--key", &other, "--key-id", "k"], "P-256"),
        (vec!["--key", &pem], "--key-id"),
        (vec!["--key", &nameless], "--key-id"),
        (vec!["--key", &public], "missing field `d`"),
        (vec!["--key", "/nowhere", "--key-id", "k"], "/nowhere"),
    ] {
        let args = [&["card", "sign", &path, "--json"], &key[..]].concat();
        let (status, document) = run_json(&args);
        assert_eq!(status, 2, "{args:?}: {document}");
        let message = document["error"]["message"].as_str().unwrap();
        assert!(message.contains(words), "{message}");
    }
    let mut faulty = sound();
    faulty["capabilities"] = json!(7);
    let path = folder.write("faulty.json", faulty);
    let args = [
        "card", "sign", &path, "--key", &pem, "--key-id", "k", "--json",
    ];
    let (status, document) = run_json(&args);
    assert_eq!(
        (status, &document["error"]["code"]),
        (1, &json!("faulty_card"))
    );
    assert_eq!(document["error"]["problems"][0]["pointer"], "/capabilities");
}
