//! An AAP payload: what is taken is taken again after it went through the types, and what is refused is
//! refused with problems, in an error that reads back under both profiles. The same text is also read as a
//! dealer's answer to every skill.

#![no_main]

use aap::{
    AapError, Payload, Profile, Skill, Version,
    dealer::DealerInformation,
    inventory::{Facets, SearchResult},
    lead::LeadSubmitResult,
    response, validate,
    vehicle::Vehicle,
};
use jiff::Timestamp;
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

/// The first of May 2026, on which the consents of the seeds are good.
const NOW: Timestamp = Timestamp::constant(1_777_654_800, 0);

fuzz_target!(|text: &str| {
    request(text);
    answer(text);
});

fn request(text: &str) {
    let Ok(payload) = Payload::parse(text) else {
        return;
    };
    match payload.validate(NOW) {
        Ok(request) => {
            let sent = request
                .to_payload(Version::V1_3)
                .expect("1.3 knows every member");
            assert_eq!(validate(&sent, NOW).as_ref(), Ok(&request));
        }
        Err(rejection) => {
            assert!(!rejection.problems.is_empty());
            let error = AapError::from_rejection(&rejection, "err_1", NOW);
            for profile in [Profile::V1_3, Profile::Draft2] {
                let read = AapError::from_data(&error.to_data(profile));
                assert_eq!(
                    read.expect("our own error reads back").as_ref(),
                    Some(&error)
                );
            }
        }
    }
}

fn answer(text: &str) {
    // Any of them may be refused.
    let _ = response::read::<DealerInformation>(Skill::DealerInformation, text);
    let _ = response::read::<Facets>(Skill::InventoryFacets, text);
    let _ = response::read::<SearchResult<Vehicle>>(Skill::InventorySearch, text);
    let _ = response::read::<Vehicle>(Skill::InventoryVehicle, text);
    let _ = response::read::<LeadSubmitResult>(Skill::LeadSubmit, text);
    if let Ok(data) = serde_json::from_str::<Value>(text) {
        let _ = AapError::from_data(&data);
    }
}
