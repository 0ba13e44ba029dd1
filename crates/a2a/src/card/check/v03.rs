//! Whether a client of 0.3 can use a card.

use std::collections::HashSet;

use super::values::{check_grpc_url, check_modes, check_tags, check_url};
use crate::card::AgentInterface;
use crate::card::v03::{Card, Flows, Scheme};
use crate::fault::{At, quoted};

impl Card {
    /// What the reader cannot see: addresses that are no addresses, names that lead nowhere.
    pub(super) fn check_values(&self, card: At<'_>) {
        let transport = self.preferred_transport.as_deref();
        let transport = transport.unwrap_or(AgentInterface::JSONRPC);
        check_transport(transport, card.member("preferredTransport"));
        check_address(&self.url, transport, card.member("url"));
        let others = card.member("additionalInterfaces");
        for (index, interface) in self.additional_interfaces.iter().enumerate() {
            let at = others.index(index);
            check_transport(&interface.transport, at.member("transport"));
            check_address(&interface.url, &interface.transport, at.member("url"));
        }
        let others_of_url = self.additional_interfaces.iter();
        let mut others_of_url = others_of_url
            .filter(|interface| interface.url == self.url)
            .peekable();
        if others_of_url.peek().is_some()
            && !others_of_url.any(|interface| interface.transport == transport)
        {
            others.fault("gives the card's url another transport than preferredTransport does");
        }
        if let Some(provider) = &self.provider {
            check_url(&provider.url, card.member("provider").member("url"));
        }
        if let Some(url) = &self.documentation_url {
            check_url(url, card.member("documentationUrl"));
        }
        if let Some(url) = &self.icon_url {
            check_url(url, card.member("iconUrl"));
        }
        let schemes = card.member("securitySchemes");
        for (name, scheme) in &self.security_schemes {
            scheme.check_values(schemes.member(name));
        }
        self.check_security(&self.security, card.member("security"));
        check_modes(&self.default_input_modes, card.member("defaultInputModes"));
        let output = card.member("defaultOutputModes");
        check_modes(&self.default_output_modes, output);
        self.check_skills(card.member("skills"));
    }

    fn check_skills(&self, skills: At<'_>) {
        let mut seen = HashSet::new();
        for (index, skill) in self.skills.iter().enumerate() {
            let at = skills.index(index);
            if !skill.id.is_empty() && !seen.insert(skill.id.as_str()) {
                at.member("id").fault("is the id of an earlier skill");
            }
            check_tags(&skill.tags, at.member("tags"));
            check_modes(&skill.input_modes, at.member("inputModes"));
            check_modes(&skill.output_modes, at.member("outputModes"));
            self.check_security(&skill.security, at.member("security"));
        }
    }

    fn check_security(
        &self,
        security: &[std::collections::BTreeMap<String, Vec<String>>],
        at: At<'_>,
    ) {
        for (index, requirement) in security.iter().enumerate() {
            let at = at.index(index);
            for name in requirement.keys() {
                if !self.security_schemes.contains_key(name) {
                    at.member(name).fault("names no scheme of securitySchemes");
                }
            }
        }
    }
}

fn check_transport(transport: &str, at: At<'_>) {
    let known = matches!(
        transport,
        AgentInterface::JSONRPC | AgentInterface::GRPC | AgentInterface::HTTP_JSON
    );
    if !transport.is_empty() && !known {
        let words = format!("is {}, not JSONRPC, GRPC or HTTP+JSON", quoted(transport));
        at.fault(words);
    }
}

fn check_address(url: &str, transport: &str, at: At<'_>) {
    if transport == AgentInterface::GRPC {
        check_grpc_url(url, at);
    } else {
        check_url(url, at);
    }
}

impl Scheme {
    fn check_values(&self, at: At<'_>) {
        let required = |value: &str, name: &str| {
            if value.is_empty() {
                at.member(name).fault("is missing");
            }
        };
        match self.kind.as_str() {
            "" => {}
            "apiKey" => {
                required(&self.name, "name");
                required(&self.location, "in");
                let location = self.location.as_str();
                if !matches!(location, "" | "header" | "query" | "cookie") {
                    let words = format!("is {}, not header, query or cookie", quoted(location));
                    at.member("in").fault(words);
                }
            }
            "http" => required(&self.scheme, "scheme"),
            "oauth2" => match &self.flows {
                None => at.member("flows").fault("is missing"),
                Some(flows) => flows.check_values(at.member("flows")),
            },
            "openIdConnect" => {
                required(&self.open_id_connect_url, "openIdConnectUrl");
                check_url(&self.open_id_connect_url, at.member("openIdConnectUrl"));
            }
            "mutualTLS" => {}
            other => {
                let words = format!(
                    "is {}, not apiKey, http, oauth2, openIdConnect or mutualTLS",
                    quoted(other)
                );
                at.member("type").fault(words);
            }
        }
    }
}

impl Flows {
    fn check_values(&self, at: At<'_>) {
        if let Some(flow) = &self.authorization_code {
            let at = at.member("authorizationCode");
            check_url(&flow.authorization_url, at.member("authorizationUrl"));
            check_url(&flow.token_url, at.member("tokenUrl"));
        }
        if let Some(flow) = &self.client_credentials {
            let at = at.member("clientCredentials");
            check_url(&flow.token_url, at.member("tokenUrl"));
        }
    }
}
