//! Signed cards.

use std::collections::BTreeMap;

use a2a::card::signing::{
    KeyError, Refused, SignatureHeader, SignedForm, SigningAlgorithm, SigningError, SigningKey,
    Unverified, Verified, VerifyingKey, sign_document, signature_headers, verify,
};
use a2a::card::{
    AgentCapabilities, AgentCard, AgentCardSignature, AgentExtension, AgentInterface, AgentSkill,
    HttpAuthSecurityScheme, SecurityScheme, read,
};
use a2a::headers::ProtocolVersion;
use a2a::model::Metadata;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rcgen::{KeyPair, PKCS_ECDSA_P256_SHA256, PKCS_ECDSA_P384_SHA384, PKCS_RSA_SHA256, RsaKeySize};

use crate::raw;

fn text(text: &str) -> String {
    text.to_owned()
}

/// A card with what canonicalisation trips over: false and empty values, numbers, names outside ASCII
/// and outside the basic plane.
fn card() -> AgentCard {
    let url = "https://agent.example/a2a";
    AgentCard {
        name: text("Autohaus Käß 🚗"),
        description: text("Čeština <b> & ‘"),
        supported_interfaces: vec![
            AgentInterface::new(url, AgentInterface::JSONRPC, ProtocolVersion::V1_0),
            AgentInterface::new(url, AgentInterface::JSONRPC, ProtocolVersion::V0_3),
        ],
        version: text("1"),
        documentation_url: Some(String::new()),
        capabilities: AgentCapabilities {
            streaming: Some(false),
            extensions: vec![AgentExtension {
                uri: text("urn:e"),
                params: Some(
                    Metadata::try_from(raw(
                        r#"{"\ud83d\ude97":1.0,"\ufb33":2,"é":[],"big":9007199254740993,"x":null,"y":{"z":""}}"#,
                    ))
                    .unwrap(),
                ),
                ..AgentExtension::default()
            }],
            ..AgentCapabilities::default()
        },
        security_schemes: BTreeMap::from([(
            text("b"),
            SecurityScheme::HttpAuth(HttpAuthSecurityScheme {
                scheme: text("Bearer"),
                ..HttpAuthSecurityScheme::default()
            }),
        )]),
        default_input_modes: vec![text("text/plain")],
        default_output_modes: vec![text("text/plain")],
        skills: vec![AgentSkill::default()],
        ..AgentCard::default()
    }
}

/// A key pair in PEM: private, public.
fn pem(algorithm: SigningAlgorithm) -> (String, String) {
    let pair = match algorithm {
        SigningAlgorithm::Es256 => KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256),
        SigningAlgorithm::Rs256 => KeyPair::generate_rsa_for(&PKCS_RSA_SHA256, RsaKeySize::_2048),
    };
    let pair = pair.unwrap();
    (pair.serialize_pem(), pair.public_key_pem())
}

fn keys(id: &str, algorithm: SigningAlgorithm) -> (SigningKey, VerifyingKey) {
    let (private, public) = pem(algorithm);
    (
        SigningKey::from_pem(id, algorithm, private.as_bytes()).unwrap(),
        VerifyingKey::from_pem(algorithm, public.as_bytes()).unwrap(),
    )
}

fn verified(document: &[u8], key: &VerifyingKey) -> Result<Verified, Unverified> {
    verify(document, |_| Some(key.clone()))
}

fn refused(result: Result<Verified, Unverified>) -> Vec<Refused> {
    match result {
        Err(Unverified::Refused(reasons)) => reasons,
        other => panic!("not refused: {other:?}"),
    }
}

#[test]
fn a_signed_card_is_verified() {
    for algorithm in [SigningAlgorithm::Es256, SigningAlgorithm::Rs256] {
        let (private, public) = keys("k-1", algorithm);
        let mut card = card();
        card.sign(&private.with_jku("https://agent.example/keys"))
            .unwrap();
        let document = serde_json::to_vec(&card).unwrap();
        let found = verified(&document, &public).unwrap();
        assert_eq!(found.form, SignedForm::Reduced);
        assert_eq!(found.header.alg, algorithm.name());
        assert_eq!(found.header.typ.as_deref(), Some("JOSE"));
        assert_eq!(found.header.kid.as_deref(), Some("k-1"));
        assert_eq!(
            found.header.jku.as_deref(),
            Some("https://agent.example/keys")
        );
        let headers = signature_headers(&read(&document).unwrap().card);
        assert_eq!(headers[0], Some(found.header));
        assert_eq!(
            card.check()
                .iter()
                .filter(|problem| problem.pointer.starts_with("/signatures"))
                .count(),
            0
        );

        // Laid out anew, with members that nobody knows, and for both generations.
        let mut value: serde_json::Value = serde_json::from_slice(&document).unwrap();
        value["future"] = serde_json::json!({"a": 1});
        let pretty = serde_json::to_vec_pretty(&value).unwrap();
        assert_eq!(
            verified(&pretty, &public).unwrap().form,
            SignedForm::Reduced
        );
        let both = card.in_both().unwrap();
        assert_eq!(
            verified(both.get().as_bytes(), &public).unwrap().form,
            SignedForm::Reduced
        );
    }
}

#[test]
fn a_changed_card_is_not() {
    let (private, public) = keys("k", SigningAlgorithm::Es256);
    let mut card = card();
    card.sign(&private).unwrap();
    let document = String::from_utf8(serde_json::to_vec(&card).unwrap()).unwrap();
    for (from, to) in [
        ("agent.example/a2a", "agent.evil/a2a"),
        ("\"streaming\":false", "\"streaming\":true"),
        ("Bearer", "Basic"),
        ("Käß", "Kass"),
    ] {
        let changed = document.replacen(from, to, 1);
        assert_ne!(changed, document);
        assert_eq!(
            refused(verified(changed.as_bytes(), &public)),
            [Refused::Mismatch, Refused::Mismatch],
            "{from}"
        );
    }
    let (_, other) = keys("k", SigningAlgorithm::Es256);
    assert_eq!(
        refused(verified(document.as_bytes(), &other)),
        [Refused::Mismatch, Refused::Mismatch]
    );
    let (_, rsa) = keys("k", SigningAlgorithm::Rs256);
    assert_eq!(
        refused(verified(document.as_bytes(), &rsa)),
        [Refused::KeyOfOtherAlgorithm, Refused::KeyOfOtherAlgorithm]
    );
    assert_eq!(
        refused(verify(document.as_bytes(), |_| None)),
        [Refused::NoKey, Refused::NoKey]
    );
}

/// Signs a payload as another implementation might.
fn signed_elsewhere(
    mut card: serde_json::Value,
    payload: &serde_json::Value,
    private: &str,
    header: &str,
) -> Vec<u8> {
    let protected = URL_SAFE_NO_PAD.encode(header);
    let payload = serde_json_canonicalizer::to_vec(payload).unwrap();
    let input = format!("{protected}.{}", URL_SAFE_NO_PAD.encode(payload));
    let key = jsonwebtoken::EncodingKey::from_ec_pem(private.as_bytes()).unwrap();
    let signature =
        jsonwebtoken::crypto::sign(input.as_bytes(), &key, jsonwebtoken::Algorithm::ES256).unwrap();
    card["signatures"] = serde_json::json!([{"protected": protected, "signature": signature}]);
    serde_json::to_vec(&card).unwrap()
}

const HEADER: &str = r#"{"alg":"ES256","kid":"k"}"#;

#[test]
fn signatures_over_other_forms_are_verified() {
    let (private, public) = pem(SigningAlgorithm::Es256);
    let public = VerifyingKey::from_pem(SigningAlgorithm::Es256, public.as_bytes()).unwrap();
    let document = serde_json::json!({"name":"X","description":"","future":1,
        "supportedInterfaces":[{"url":"https://a.example","protocolBinding":"JSONRPC","protocolVersion":"1.0","tenant":""}],
        "capabilities":{"extensions":[]},"skills":[],"version":"1"});
    let form = |payload: serde_json::Value| {
        let document = signed_elsewhere(document.clone(), &payload, &private, HEADER);
        verified(&document, &public).map(|found| found.form).ok()
    };
    assert_eq!(form(document.clone()), Some(SignedForm::Document));
    let interfaces = serde_json::json!([{"url":"https://a.example","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]);
    assert_eq!(
        form(
            serde_json::json!({"name":"X","future":1,"supportedInterfaces":interfaces,"version":"1"})
        ),
        Some(SignedForm::DocumentWithoutEmpties)
    );
    assert_eq!(
        form(serde_json::json!({"name":"X","supportedInterfaces":interfaces,"version":"1"})),
        Some(SignedForm::ReducedWithoutEmpties)
    );
    assert_eq!(
        form(
            serde_json::json!({"name":"X","description":"","supportedInterfaces":interfaces,"capabilities":{},
            "defaultInputModes":[],"defaultOutputModes":[],"skills":[],"version":"1"})
        ),
        Some(SignedForm::Reduced)
    );
    assert_eq!(form(serde_json::json!({"name":"X"})), None);
}

#[test]
fn odd_headers_are_refused() {
    let (private, public) = pem(SigningAlgorithm::Es256);
    let public = VerifyingKey::from_pem(SigningAlgorithm::Es256, public.as_bytes()).unwrap();
    let document = serde_json::to_value(card()).unwrap();
    for (header, reason) in [
        (r#"{"alg":"none"}"#, Refused::Algorithm),
        (r#"{"alg":"HS256","kid":"k"}"#, Refused::Algorithm),
        (
            r#"{"alg":"ES256","crit":["b64"],"b64":false}"#,
            Refused::Critical,
        ),
        (r#"{"kid":"k"}"#, Refused::Header),
        ("[]", Refused::Header),
        (HEADER, Refused::Mismatch),
    ] {
        let wrong = serde_json::json!({});
        let document = signed_elsewhere(document.clone(), &wrong, &private, header);
        assert_eq!(refused(verified(&document, &public)), [reason], "{header}");
    }
    let mut card = card();
    card.signatures.push(AgentCardSignature {
        protected: text("?"),
        signature: text("?"),
        header: None,
    });
    let error = verified(&serde_json::to_vec(&card).unwrap(), &public).unwrap_err();
    assert_eq!(
        error.to_string(),
        "no signature of the card is right: of number 1, its header cannot be read"
    );
    let unsigned = serde_json::to_vec(&AgentCard::default()).unwrap();
    assert!(matches!(
        verified(&unsigned, &public),
        Err(Unverified::NotSigned)
    ));
    assert!(matches!(
        verified(b"[", &public),
        Err(Unverified::NotACard(_))
    ));
    let deep = format!(
        r#"{{"signatures":[{{"protected":"e30","signature":"AA"}}],"x":{}1{}}}"#,
        "[".repeat(5000),
        "]".repeat(5000)
    );
    assert!(verified(deep.as_bytes(), &public).is_err());
}

#[test]
fn one_signature_of_a_key_is_kept_and_those_of_others_stay() {
    let (first, first_public) = keys("a", SigningAlgorithm::Es256);
    let (second, second_public) = keys("b", SigningAlgorithm::Es256);
    let mut card = card();
    card.sign(&first).unwrap();
    card.sign(&second).unwrap();
    card.name = text("Renamed");
    card.sign(&second).unwrap();
    // Two of each key: this card has something empty in it.
    assert_eq!(card.signatures.len(), 4);
    let document = serde_json::to_vec(&card).unwrap();
    let by_id = |header: &SignatureHeader| match header.kid.as_deref() {
        Some("a") => Some(first_public.clone()),
        Some("b") => Some(second_public.clone()),
        _ => None,
    };
    assert_eq!(verify(&document, by_id).unwrap().index, 2);
}

#[test]
fn implementations_that_drop_what_is_empty_can_verify_too() {
    let (private, public) = keys("k", SigningAlgorithm::Es256);
    let mut card = card();
    card.sign(&private).unwrap();
    let mut found = Vec::new();
    for signature in card.signatures.clone() {
        card.signatures = vec![signature];
        let document = serde_json::to_vec(&card).unwrap();
        found.push(verified(&document, &public).unwrap().form);
    }
    assert_eq!(
        found,
        [SignedForm::Reduced, SignedForm::ReducedWithoutEmpties]
    );

    let mut full = AgentCard {
        description: text("d"),
        documentation_url: None,
        capabilities: AgentCapabilities {
            streaming: Some(true),
            ..AgentCapabilities::default()
        },
        skills: vec![AgentSkill {
            id: text("s"),
            name: text("s"),
            description: text("s"),
            tags: vec![text("s")],
            ..AgentSkill::default()
        }],
        ..card
    };
    full.sign(&private).unwrap();
    assert_eq!(full.signatures.len(), 1);
}

#[test]
fn keys_come_as_pem_or_jwk_and_must_fit() {
    let (private, public) = pem(SigningAlgorithm::Es256);
    let wrong = SigningKey::from_pem("k", SigningAlgorithm::Rs256, private.as_bytes());
    assert!(matches!(wrong, Err(KeyError::Pem { .. })));
    assert!(VerifyingKey::from_pem(SigningAlgorithm::Rs256, public.as_bytes()).is_err());
    let other_curve = KeyPair::generate_for(&PKCS_ECDSA_P384_SHA384)
        .unwrap()
        .serialize_pem();
    assert!(SigningKey::from_pem("k", SigningAlgorithm::Es256, other_curve.as_bytes()).is_err());

    let key = jsonwebtoken::EncodingKey::from_ec_pem(private.as_bytes()).unwrap();
    let jwk =
        jsonwebtoken::jwk::Jwk::from_encoding_key(&key, jsonwebtoken::Algorithm::ES256).unwrap();
    let jwk = VerifyingKey::from_jwk(&serde_json::to_string(&jwk).unwrap()).unwrap();
    let mut card = card();
    let private = SigningKey::from_pem("k", SigningAlgorithm::Es256, private.as_bytes()).unwrap();
    card.sign(&private).unwrap();
    assert!(verified(&serde_json::to_vec(&card).unwrap(), &jwk).is_ok());
    assert!(VerifyingKey::from_jwk(r#"{"kty":"oct","k":"AAAA"}"#).is_err());
    assert!(VerifyingKey::from_jwk("{}").is_err());
    assert!(!format!("{private:?} {jwk:?}").contains("BEGIN"));
}

/// The contents of the elements of a DER sequence.
fn elements(der: &[u8]) -> Vec<&[u8]> {
    let mut rest = der;
    let mut found = Vec::new();
    while let [_tag, first, after @ ..] = rest {
        let (length, after) = match first {
            0x81 => (usize::from(after[0]), &after[1..]),
            0x82 => (
                usize::from(after[0]) << 8 | usize::from(after[1]),
                &after[2..],
            ),
            short => (usize::from(*short), after),
        };
        found.push(&after[..length]);
        rest = &after[length..];
    }
    found
}

/// The elements of the key inside of PKCS#8.
fn private_parts(pkcs8: &[u8]) -> Vec<&[u8]> {
    let outer = elements(pkcs8)[0];
    elements(elements(elements(outer)[2])[0])
}

/// The private key as a JSON Web Key.
fn private_jwk(pair: &KeyPair, algorithm: SigningAlgorithm) -> serde_json::Value {
    let number = |bytes: &[u8]| {
        let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
        URL_SAFE_NO_PAD.encode(&bytes[zeros..])
    };
    let der = pair.serialize_der();
    let parts = private_parts(&der);
    match algorithm {
        SigningAlgorithm::Es256 => {
            let point = pair.public_key_raw();
            let fixed = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
            serde_json::json!({
                "kty": "EC", "crv": "P-256", "kid": "its own", "d": fixed(parts[1]),
                "x": fixed(&point[1..33]), "y": fixed(&point[33..65]),
            })
        }
        SigningAlgorithm::Rs256 => serde_json::json!({
            "kty": "RSA", "n": number(parts[1]), "e": number(parts[2]), "d": number(parts[3]),
            "p": number(parts[4]), "q": number(parts[5]), "dp": number(parts[6]),
            "dq": number(parts[7]), "qi": number(parts[8]),
        }),
    }
}

#[test]
fn a_private_json_web_key_signs_as_its_pem_does() {
    for algorithm in [SigningAlgorithm::Es256, SigningAlgorithm::Rs256] {
        let pair = match algorithm {
            SigningAlgorithm::Es256 => KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256).unwrap(),
            SigningAlgorithm::Rs256 => {
                KeyPair::generate_rsa_for(&PKCS_RSA_SHA256, RsaKeySize::_2048).unwrap()
            }
        };
        let public = VerifyingKey::from_pem(algorithm, pair.public_key_pem().as_bytes()).unwrap();
        let jwk = private_jwk(&pair, algorithm);
        let key = SigningKey::from_jwk("k", &jwk.to_string()).unwrap();
        assert_eq!((key.id(), key.algorithm()), ("k", algorithm));
        let mut card = card();
        card.sign(&key).unwrap();
        let document = serde_json::to_vec(&card).unwrap();
        assert_eq!(verified(&document, &public).unwrap().index, 0);

        for member in jwk
            .as_object()
            .unwrap()
            .keys()
            .filter(|name| *name != "kid")
        {
            let mut lacking = jwk.clone();
            lacking.as_object_mut().unwrap().remove(member);
            let error = SigningKey::from_jwk("k", &lacking.to_string());
            assert!(matches!(error, Err(KeyError::NotAJwk(_))), "{member}");
            let mut wrong = jwk.clone();
            wrong[member] = "AQAB*".into();
            assert!(
                SigningKey::from_jwk("k", &wrong.to_string()).is_err(),
                "{member}"
            );
        }
    }
}

#[test]
fn a_private_key_of_parts_that_do_not_belong_together_is_refused() {
    let [first, second] = [(); 2].map(|()| {
        let pair = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256).unwrap();
        private_jwk(&pair, SigningAlgorithm::Es256)
    });
    let mut mixed = first.clone();
    mixed["d"] = second["d"].clone();
    let error = SigningKey::from_jwk("k", &mixed.to_string());
    assert!(matches!(error, Err(KeyError::PrivateJwk)), "{error:?}");
    let mut other_curve = first;
    other_curve["crv"] = "P-384".into();
    let error = SigningKey::from_jwk("k", &other_curve.to_string());
    assert!(matches!(error, Err(KeyError::JwkKind)), "{error:?}");
}

/// What is not of 1.0 is not in the signature, and stays in the document.
#[test]
fn a_document_keeps_everything_else_when_it_is_signed() {
    let (private, public) = keys("k", SigningAlgorithm::Es256);
    let document = format!(
        r#" {{ "x-own" : 9007199254740993, "url":"https://agent.example/a2a", {}"#,
        &serde_json::to_string(&card()).unwrap()[1..]
    );
    let signed = sign_document(document.as_bytes(), &private).unwrap();
    assert!(signed.get().contains("9007199254740993"), "{signed}");
    assert_eq!(
        verified(signed.get().as_bytes(), &public).unwrap().form,
        SignedForm::Reduced
    );
    let again = sign_document(signed.get().as_bytes(), &private).unwrap();
    let (once, twice) = (read(signed.get().as_bytes()), read(again.get().as_bytes()));
    let count = |read: Result<a2a::card::ReadCard, _>| read.ok().map(|it| it.card.signatures.len());
    assert_eq!(count(once), count(twice));
    let changed = signed.get().replace("agent.example", "other.example");
    assert!(verified(changed.as_bytes(), &public).is_err());
}

#[test]
fn a_card_of_0_3_is_signed_as_it_is_written() {
    let (private, public) = keys("k", SigningAlgorithm::Rs256);
    let document = r#"{"name":"Older","description":"","url":"https://agent.example/rpc","protocolVersion":"0.3.0","skills":[]}"#;
    let signed = sign_document(document.as_bytes(), &private).unwrap();
    let mut card: serde_json::Value = serde_json::from_str(signed.get()).unwrap();
    let all = card["signatures"].as_array().unwrap().clone();
    let mut forms = Vec::new();
    for signature in all {
        card["signatures"] = vec![signature].into();
        let document = card.to_string();
        forms.push(verified(document.as_bytes(), &public).unwrap().form);
        let changed = document.replace("/rpc", "/other");
        assert!(verified(changed.as_bytes(), &public).is_err());
    }
    assert_eq!(
        forms,
        [SignedForm::Document, SignedForm::DocumentWithoutEmpties]
    );
    let error = sign_document(b"{}", &private);
    assert!(matches!(error, Err(SigningError::NotACard(_))), "{error:?}");
}
