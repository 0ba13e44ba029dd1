//! `card sign`: signs any agent's card.

use std::{path::PathBuf, process::ExitCode};

use a2a::card::{
    self, CardProblem,
    signing::{SigningAlgorithm, SigningKey, sign_document},
};
use clap::Args;
use serde::Deserialize;
use serde_json::{Value, json};
use url::Url;

use super::document::{not_a_card, read};
use crate::{
    cli::outcome::{Failure, complain, say},
    explain,
};

/// What `card sign` takes.
#[derive(Debug, Args)]
pub(super) struct SignArgs {
    /// File with the card; `-` for standard input
    #[arg(value_name = "FILE")]
    card: String,
    /// File with the private key: PEM (PKCS#8, or PKCS#1 for RSA) or a JSON Web Key, RSA or P-256
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    /// Id by which verifiers find the public key [default: that of the JSON Web Key]
    #[arg(long, value_name = "ID")]
    key_id: Option<String>,
    /// Where the set of public keys lies; stands in the signature
    #[arg(long, value_name = "URL")]
    jku: Option<Url>,
    /// File to write the signed card to [default: standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

pub(super) fn run(args: &SignArgs) -> Result<ExitCode, Failure> {
    let document = read(&args.card)?;
    refuse_faults(&document)?;
    let signed = sign_document(&document, &key(args)?);
    let signed = signed.map_err(|error| Failure::refused("unsigned", explain(&error)))?;
    match &args.out {
        None => say(signed)?,
        Some(path) => {
            let written = std::fs::write(path, format!("{signed}\n"));
            written.map_err(|error| Failure::usage(format!("{}: {error}", path.display())))?;
            complain(format!("the signed card is in {}", path.display()));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// What cannot be read as it was meant is in no signature, so that it is not signed.
fn refuse_faults(document: &[u8]) -> Result<(), Failure> {
    let report = card::check(document).map_err(|error| not_a_card(&error))?;
    let found = [report.v1_0, report.v0_3].into_iter().flatten().flatten();
    let mut found: Vec<CardProblem> = found.collect();
    found.dedup();
    if found.is_empty() {
        return Ok(());
    }
    let words: Vec<String> = found.iter().map(|it| format!("  {it}")).collect();
    let message = format!(
        "the card has faults; mend them first:\n{}",
        words.join("\n")
    );
    let problems: Vec<Value> = found
        .iter()
        .map(|it| json!({ "pointer": it.pointer, "problem": it.words }))
        .collect();
    let mut failure = Failure::refused("faulty_card", message);
    failure.document["error"]["problems"] = json!(problems);
    Err(failure)
}

fn key(args: &SignArgs) -> Result<SigningKey, Failure> {
    let wrong = |words: String| Failure::usage(format!("{}: {words}", args.key.display()));
    let text = std::fs::read_to_string(&args.key).map_err(|error| wrong(error.to_string()))?;
    let key = if text.trim_start().starts_with('{') {
        from_jwk(args, &text)
    } else {
        from_pem(args, &text)
    };
    let key = key.map_err(wrong)?;
    Ok(match &args.jku {
        Some(url) => key.with_jku(url.as_str()),
        None => key,
    })
}

fn from_jwk(args: &SignArgs, text: &str) -> Result<SigningKey, String> {
    #[derive(Deserialize)]
    struct Named {
        kid: Option<String>,
    }
    let named: Named = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let id = args.key_id.clone().or(named.kid);
    let id = id.ok_or("the key has no kid; name one with --key-id")?;
    SigningKey::from_jwk(id, text).map_err(|error| explain(&error))
}

/// PEM does not tell every kind of key from the others, so both are tried.
fn from_pem(args: &SignArgs, text: &str) -> Result<SigningKey, String> {
    let id = args.key_id.clone();
    let id = id.ok_or("a key in PEM has no id; name one with --key-id")?;
    let mut kinds = [SigningAlgorithm::Es256, SigningAlgorithm::Rs256].into_iter();
    kinds
        .find_map(|kind| SigningKey::from_pem(&id, kind, text.as_bytes()).ok())
        .ok_or_else(|| {
            "neither a P-256 key (PKCS#8) nor an RSA key of 2048 bits or more (PKCS#8 or PKCS#1) in PEM; \
             `openssl pkcs8 -topk8 -nocrypt` writes PKCS#8"
                .to_owned()
        })
}
