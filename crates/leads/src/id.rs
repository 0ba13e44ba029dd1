//! Identifiers of leads, appointments and deliveries.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

macro_rules! identifier {
    ($(#[$documentation:meta])* $name:ident) => {
        $(#[$documentation])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// The identifier as text: a UUID, lower case, with hyphens.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl From<Uuid> for $name {
            fn from(id: Uuid) -> Self {
                Self(id.to_string())
            }
        }

        impl std::str::FromStr for $name {
            type Err = uuid::Error;

            fn from_str(text: &str) -> Result<Self, uuid::Error> {
                text.trim().parse::<Uuid>().map(Self::from)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl<'a> From<&'a $name> for store::Value<'a> {
            fn from(id: &'a $name) -> Self {
                store::Value::Text(id.as_str())
            }
        }
    };
}

identifier! {
    /// Names a lead. Made from [`store::Clock::new_id`], so that leads sort by time.
    LeadId
}

identifier! {
    /// Names an appointment.
    AppointmentId
}

identifier! {
    /// Names a delivery in the outbox. It stays the same over every attempt, so that a receiver can
    /// drop repeats.
    DeliveryId
}
