//! The demo dealer as a buyer's agent of each profile calls it.

use aap::Profile;
use serde_json::Value;
use testkit::contract::{Contract, contract, draft_contract};

use crate::support::{Reply, Server, envelope, exchange};

/// Where the preview lies below a dealer's base.
pub(crate) const PREVIEW: &str = "/preview/aap-2.0";
/// The draft's identifier.
pub(crate) const DRAFT: &str = "https://draft.autoagentprotocol.invalid/extensions/aap/latest";
/// The headers that a request of the draft carries.
pub(crate) const DRAFT_HEADERS: [(&str, &str); 2] =
    [("A2A-Version", "1.0"), ("A2A-Extensions", DRAFT)];

/// A caller that speaks one profile, and the published contract that judges what it sends and gets.
pub(crate) struct Caller<'s> {
    pub(crate) profile: Profile,
    pub(crate) contract: &'static Contract,
    server: &'s Server,
}

impl<'s> Caller<'s> {
    /// A caller of each profile; none where the contracts are not beside the project.
    pub(crate) fn each(server: &'s Server) -> Vec<Self> {
        let caller = |profile, contract: Option<&'static Contract>| {
            Some(Self {
                profile,
                contract: contract?,
                server,
            })
        };
        [
            caller(Profile::V1_3, contract()),
            caller(Profile::Draft2, draft_contract()),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    /// The dealer's card.
    pub(crate) fn card(&self) -> Value {
        let path = format!("{}/.well-known/agent-card.json", self.folder());
        let reply = exchange(&self.server.address, "GET", &path, &[], "").unwrap();
        assert_eq!(reply.status, 200, "{reply:?}");
        reply.json()
    }

    /// Sends a payload and returns the JSON-RPC reply.
    pub(crate) fn call(&self, payload: &Value) -> Value {
        let headers = match self.profile {
            // The released version's examples send neither header.
            Profile::V1_3 => &[][..],
            Profile::Draft2 => &DRAFT_HEADERS,
        };
        let path = format!("{}/a2a", self.folder());
        let reply = post(self.server, &path, headers, &envelope(payload));
        assert_eq!(reply.status, 200, "{reply:?}");
        reply.json()
    }

    /// Sends a payload that is answered; both bodies follow the schemas.
    pub(crate) fn answer(&self, payload: &Value) -> Value {
        let contract = self.contract;
        contract.assert_accepts(&schema(payload, "request"), payload);
        let reply = self.call(payload);
        let message = &reply["result"]["message"];
        assert!(
            message["contextId"]
                .as_str()
                .is_some_and(|id| !id.is_empty())
        );
        let answer = message["parts"][0]["data"].clone();
        contract.assert_accepts(&schema(payload, "response"), &answer);
        answer
    }

    /// Sends a payload that is refused; the error follows its schema and has this code.
    pub(crate) fn refused(&self, payload: &Value, code: &str) -> Value {
        let reply = self.call(payload);
        let error = aap_error(self.profile, &reply);
        self.contract.assert_accepts("error.schema.json", &error);
        assert_eq!(error["code"], code, "{error:#}");
        error
    }

    fn folder(&self) -> &'static str {
        match self.profile {
            Profile::V1_3 => "",
            Profile::Draft2 => PREVIEW,
        }
    }
}

/// Posts an envelope with these headers beside the media type.
pub(crate) fn post(
    server: &Server,
    path: &str,
    headers: &[(&str, &str)],
    envelope: &Value,
) -> Reply {
    let headers = [&[("Content-Type", "application/json")], headers].concat();
    exchange(
        &server.address,
        "POST",
        path,
        &headers,
        &envelope.to_string(),
    )
    .unwrap()
}

/// The AAP error in a JSON-RPC reply. Under the draft it is found by its type, behind an ErrorInfo that
/// says the same in strings.
pub(crate) fn aap_error(profile: Profile, reply: &Value) -> Value {
    let data = &reply["error"]["data"];
    if profile == Profile::V1_3 {
        return data.clone();
    }
    let details = data
        .as_array()
        .unwrap_or_else(|| panic!("no list of details: {reply:#}"));
    assert!(details.iter().all(|detail| detail["@type"].is_string()));
    let found = |type_name| details.iter().find(|detail| detail["@type"] == type_name);
    let error = found("https://autoagentprotocol.org/extensions/aap/error")
        .unwrap_or_else(|| panic!("no AAP error: {reply:#}"));
    let info = &details[0];
    assert_eq!(info["@type"], "type.googleapis.com/google.rpc.ErrorInfo");
    assert_eq!(info["domain"], "autoagentprotocol.org");
    assert_eq!(info["reason"], error["code"]);
    for (member, value) in info["metadata"].as_object().unwrap() {
        let plain = match &error[member] {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        assert_eq!(*value, plain, "{member}");
    }
    let problems = error["details"]["errors"].as_array().map_or(0, Vec::len);
    let violations = found("type.googleapis.com/google.rpc.BadRequest")
        .map_or(0, |it| it["fieldViolations"].as_array().unwrap().len());
    assert_eq!(violations, problems, "{reply:#}");
    error.clone()
}

/// The schema file of a payload, told by its `type`.
fn schema(payload: &Value, role: &str) -> String {
    let kind = payload["type"].as_str().unwrap();
    let skill = kind.strip_suffix(".request").unwrap().replace('.', "-");
    let stem = match skill.as_str() {
        "inventory-vehicle" => "vehicle-detail",
        other => other,
    };
    format!("{stem}-{role}.schema.json")
}
