//! `card verify`: whether any agent's card is as it was signed.

use std::process::ExitCode;

use a2a::card::signing::{SignedForm, Unverified, Verified};
use a2a_client::{KeySet, Trust, VerifyError, verify};
use clap::Args;
use egress::{Egress, Options};
use serde_json::{Value, json};

use super::document::{Place, egress, not_a_card, read};
use crate::{
    cli::{
        a2a::failure,
        outcome::{Failure, print_json, say},
        text::clean,
    },
    explain,
};

/// What `card verify` takes.
#[derive(Debug, Args)]
pub(super) struct VerifyArgs {
    /// File with a card (`-` for standard input), the URL of a card, or an agent's base URL
    #[arg(value_name = "FILE|URL", value_parser = Place::of)]
    card: Place,
    /// File or URL of the public keys that are trusted: a set of JSON Web Keys or a single one; may be
    /// repeated
    #[arg(long, value_name = "FILE|URL", value_parser = Place::of, required = true)]
    keys: Vec<Place>,
}

pub(super) async fn run(args: VerifyArgs, json: bool) -> Result<ExitCode, Failure> {
    let mut trust = Trust::new();
    for place in &args.keys {
        trust = trust.with_keys(keys(place).await?);
    }
    let document = args.card.card().await?;
    // Every trusted key is at hand, so that nothing is fetched.
    let closed = Egress::new(Options::default())
        .map_err(|error| Failure::refused("internal", explain(&error)))?;
    let verified = verify(&document, &closed, &trust).await;
    let verified = verified.map_err(|error| refused(&error))?;
    if json {
        print_json(&told(&verified))?;
    } else {
        say(words(&verified))?;
    }
    Ok(ExitCode::SUCCESS)
}

async fn keys(place: &Place) -> Result<KeySet, Failure> {
    match place {
        Place::Url(url) => {
            let keys = KeySet::fetch(&egress(url)?, url).await;
            keys.map_err(failure)
        }
        Place::File(path) => KeySet::read(&read(path)?)
            .map_err(|error| Failure::usage(format!("{path}: {}", explain(&error)))),
    }
}

fn refused(error: &VerifyError) -> Failure {
    let reasons: Vec<String> = match error {
        VerifyError::Unverified(Unverified::NotACard(error)) => return not_a_card(error),
        VerifyError::Unverified(Unverified::Refused(reasons)) => {
            reasons.iter().map(ToString::to_string).collect()
        }
        _ => Vec::new(),
    };
    let mut refusal = Failure::refused("unverified", explain(error));
    refusal.document["error"]["signatures"] = json!(reasons);
    refusal
}

fn told(verified: &Verified) -> Value {
    json!({ "verified": true, "signature": {
        "index": verified.index,
        "alg": verified.header.alg,
        "kid": verified.header.kid,
        "jku": verified.header.jku,
        "over": over(verified.form),
    } })
}

fn words(verified: &Verified) -> String {
    let id = verified.header.kid.as_deref().unwrap_or_default();
    format!(
        "signature {} is right: {} by the key {}, over {}",
        verified.index + 1,
        verified.header.alg,
        clean(id),
        over(verified.form)
    )
}

fn over(form: SignedForm) -> &'static str {
    match form {
        SignedForm::Reduced => "the reduced form",
        SignedForm::ReducedWithoutEmpties => "the reduced form without anything empty",
        SignedForm::Document => "the document",
        SignedForm::DocumentWithoutEmpties => "the document without anything empty",
    }
}
