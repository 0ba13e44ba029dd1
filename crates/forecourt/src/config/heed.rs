//! Settings that are read and not acted upon.

use serde::Serialize;

use super::Config;

/// A feature that the configuration asks for and the program does not have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unheeded {
    /// The settings that ask for it, as dotted keys.
    pub settings: Vec<String>,
    /// What is not done, and what to do instead.
    pub message: &'static str,
}

impl Config {
    /// What the configuration asks for in vain, one entry for a feature.
    #[must_use]
    pub fn unheeded(&self) -> Vec<Unheeded> {
        let features = [(
            self.mailboxes(),
            "leads are kept and not sent; read them with `forecourt leads list`",
        )];
        features
            .into_iter()
            .filter(|(settings, _)| !settings.is_empty())
            .map(|(settings, message)| Unheeded { settings, message })
            .collect()
    }

    fn mailboxes(&self) -> Vec<String> {
        let mut keys = Vec::new();
        for (id, dealer) in &self.dealers {
            for (name, rooftop) in &dealer.rooftops {
                for (setting, mailbox) in [("crm", &rooftop.crm), ("fallback", &rooftop.fallback)] {
                    if mailbox.is_some() {
                        keys.push(format!("dealers.{id}.rooftops.{name}.{setting}"));
                    }
                }
            }
        }
        keys
    }
}
