//! Media types, which the 2.0 draft has a dealer check: that of the request's part, and those that the
//! caller accepts for the answer. AAP 1.3 leaves them open.

use a2a::error::{Error, ErrorKind};
use aap::Skill;

/// What a caller may name where it takes any JSON.
const ANY_JSON: [&str; 3] = ["*/*", "application/*", "application/json"];

/// Judges the media types of a request to `skill`. A part without one, and an empty list of accepted
/// ones, leave the choice to the dealer.
pub(super) fn check(
    skill: Skill,
    media_type: Option<&str>,
    accepted: &[String],
) -> Result<(), Error> {
    let expected = skill.request_media_type();
    if let Some(found) = media_type.filter(|found| !found.trim().is_empty())
        && !is_same(found, &expected)
    {
        return Err(Error::content_type_not_supported(found, &[&expected]));
    }
    let produced = skill.response_media_type();
    let fits = |mode: &String| {
        is_same(mode, produced) || ANY_JSON.into_iter().any(|range| is_same(mode, range))
    };
    if accepted.is_empty() || accepted.iter().any(fits) {
        Ok(())
    } else {
        Err(Error::with_metadata(
            ErrorKind::ContentTypeNotSupported,
            format!("none of acceptedOutputModes can be produced; accept {produced}"),
            [("supportedTypes", produced.to_owned())],
        ))
    }
}

/// Media types are told apart by type and subtype, in any letter case (RFC 9110 §8.3.1).
fn is_same(found: &str, known: &str) -> bool {
    let essence = found.split(';').next().unwrap_or_default().trim();
    essence.eq_ignore_ascii_case(known)
}

#[cfg(test)]
mod tests {
    use super::*;

    const REQUEST: &str = "application/vnd.autoagent.vehicle-detail-request+json";
    const RESPONSE: &str = "application/vnd.autoagent.vehicle-detail-response+json";

    fn judged(media_type: Option<&str>, accepted: &[&str]) -> Result<(), String> {
        let accepted: Vec<String> = accepted.iter().map(ToString::to_string).collect();
        check(Skill::InventoryVehicle, media_type, &accepted).map_err(|error| {
            assert_eq!(error.kind.json_rpc_code(), -32005);
            error.message
        })
    }

    #[test]
    fn the_skills_own_type_or_none_is_taken() {
        let upper = REQUEST.to_uppercase();
        let with_parameter = format!("{REQUEST} ; charset=utf-8");
        for media_type in [
            None,
            Some(""),
            Some(REQUEST),
            Some(&upper),
            Some(&with_parameter),
        ] {
            assert_eq!(judged(media_type, &[]), Ok(()), "{media_type:?}");
        }
        for other in ["application/json", RESPONSE, "text/plain", "nonsense"] {
            let told = judged(Some(other), &[]).unwrap_err();
            assert!(told.contains(REQUEST), "{told}");
        }
    }

    #[test]
    fn one_mode_that_can_be_produced_is_enough() {
        for mode in [
            "*/*",
            "application/*",
            "application/json",
            RESPONSE,
            "Application/JSON; q=0.5",
        ] {
            assert_eq!(judged(None, &["text/plain", mode]), Ok(()), "{mode}");
        }
        for modes in [&["text/plain"][..], &["text/*", REQUEST, ""]] {
            let told = judged(None, modes).unwrap_err();
            assert!(told.contains(RESPONSE), "{told}");
        }
    }
}
