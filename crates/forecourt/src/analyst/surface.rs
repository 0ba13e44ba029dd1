//! Whether and how a client draws answers: A2UI, negotiated.

use a2a::{
    headers::ProtocolVersion,
    model::{Message, Metadata, Part},
};
use a2a_server::Call;
use analyst::{Finding, render::a2ui};
use serde::Deserialize;
use serde_json::{Value, json, value::to_raw_value};

/// Under which members of a message's metadata clients say what they draw.
const CAPABILITIES: [&str; 2] = ["a2uiClientCapabilities", "a2uiRendererCapabilities"];

/// The interface that a client asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Surface {
    version: a2ui::Version,
    /// In A2A 0.3 a data part holds an object; in 1.0 it holds any value, so that all messages are one.
    in_one_part: bool,
}

impl Surface {
    /// The newest version of A2UI that both sides know: by the extensions that the request or the message
    /// names, or by the catalogs that the message's metadata lists.
    pub(super) fn wanted(call: &Call, message: &Message) -> Option<Self> {
        let named = call.extensions().iter().chain(&message.extensions);
        let named = named.filter_map(|uri| a2ui::Version::of_extension(uri));
        let catalogs = catalogs(message.metadata.as_ref());
        let by_catalog = a2ui::Version::ALL
            .into_iter()
            // Clients of 0.9.1 take what those of 0.9 take, and one catalog stands for both.
            .filter(|version| *version != a2ui::Version::V0_9_1)
            .filter(|version| catalogs.iter().any(|it| it == version.catalog()));
        Some(Self {
            version: named.max().or(by_catalog.max())?,
            in_one_part: call.version() != ProtocolVersion::V0_3,
        })
    }

    /// The URI of the extension that the parts belong to.
    pub(super) const fn extension(self) -> &'static str {
        self.version.extension()
    }

    /// The parts that draw a finding on a surface of this name.
    pub(super) fn parts(self, finding: &Finding, name: &str) -> Vec<Part> {
        let messages = a2ui::messages(finding, name, self.version);
        if self.in_one_part {
            self.part(&Value::Array(messages)).into_iter().collect()
        } else {
            let parts = messages.iter().filter_map(|message| self.part(message));
            parts.collect()
        }
    }

    fn part(self, data: &Value) -> Option<Part> {
        let media_type = self.version.media_type();
        let mut part = Part::data(to_raw_value(data).ok()?).with_media_type(media_type);
        part.metadata = Metadata::new(&json!({ "mimeType": media_type })).ok();
        Some(part)
    }
}

/// The catalogs that a client draws.
fn catalogs(metadata: Option<&Metadata>) -> Vec<String> {
    #[derive(Default, Deserialize)]
    #[serde(default, rename_all = "camelCase")]
    struct Capabilities {
        supported_catalog_ids: Vec<String>,
    }
    let stated = CAPABILITIES.iter().filter_map(|name| metadata?.get(name));
    stated
        .filter_map(|json| serde_json::from_str::<Value>(json.get()).ok())
        .flat_map(|stated| {
            // Of 0.9 on, the capabilities stand under their version.
            let under_version = stated.get("v0.9").cloned();
            [Some(stated), under_version].into_iter().flatten()
        })
        .filter_map(|stated| serde_json::from_value::<Capabilities>(stated).ok())
        .flat_map(|stated| stated.supported_catalog_ids)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(call: &Call, message: &Message) -> Option<a2ui::Version> {
        Surface::wanted(call, message).map(|surface| surface.version)
    }

    #[test]
    fn the_newest_version_that_both_know_is_drawn() {
        let call = Call::new(ProtocolVersion::V0_3);
        let mut message = Message::user("m");
        assert_eq!(wanted(&call, &message), None);
        let metadata = json!({ "a2uiClientCapabilities": { "supportedCatalogIds": [a2ui::Version::V0_8.catalog()] } });
        message.metadata = Metadata::new(&metadata).ok();
        assert_eq!(wanted(&call, &message), Some(a2ui::Version::V0_8));
        let metadata = json!({ "a2uiClientCapabilities": { "v0.9": { "supportedCatalogIds": [a2ui::Version::V0_9.catalog()] } } });
        message.metadata = Metadata::new(&metadata).ok();
        assert_eq!(wanted(&call, &message), Some(a2ui::Version::V0_9));
        message.extensions = vec![a2ui::Version::V0_8.extension().to_owned()];
        let unknown = "https://a2ui.org/a2a-extension/a2ui/v9".to_owned();
        let newest = a2ui::Version::V0_9_1.extension().to_owned();
        let call = call.with_extensions(vec![unknown, newest]);
        assert_eq!(wanted(&call, &message), Some(a2ui::Version::V0_9_1));
    }

    #[test]
    fn a_data_part_of_0_3_holds_an_object() {
        use analyst::{Intent, Sources, analysis};
        let finding = analysis::run(&Intent::new(analyst::Skill::Overview), &Sources::default());
        let parts = |version| {
            let call = Call::new(version)
                .with_extensions(vec![a2ui::Version::V0_9.extension().to_owned()]);
            let surface = Surface::wanted(&call, &Message::user("m")).unwrap();
            let parts = surface.parts(&finding, "s").into_iter();
            let data = |part: Part| match part.content {
                a2a::model::PartContent::Data(data) => data.get().to_owned(),
                other => panic!("{other:?}"),
            };
            parts.map(data).collect::<Vec<String>>()
        };
        assert!(
            parts(ProtocolVersion::V0_3)
                .iter()
                .all(|data| data.starts_with('{'))
        );
        let [all] = &parts(ProtocolVersion::V1_0)[..] else {
            panic!()
        };
        assert!(all.starts_with('['));
    }
}
