//! What carries a lead to a destination.

use std::{collections::HashMap, fmt, path::Path, sync::Arc, time::Duration};

use data_encoding::HEXLOWER;
use dealers::{Dealer, DealerId, Destination};
use egress::Egress;
use http::HeaderValue;
use jiff::Timestamp;
use leads::{DeliveryId, LeadId, Purpose};
use sha2::{Digest, Sha256};
use url::Url;

use super::{
    answer::Success,
    folder::FolderCourier,
    mail::{MailCourier, MailSettings},
    post::PostCourier,
    webhook,
};
use crate::{
    Secret, Webhook, explain, headers_file,
    mail::{self, Mailer},
};

/// A lead as it is handed to a courier, in every form that a destination may ask for.
#[derive(Clone)]
pub struct Parcel {
    /// The dealer.
    pub dealer: DealerId,
    /// The lead.
    pub lead_id: LeadId,
    /// The delivery: the same over all attempts, so that a receiver can drop repeats.
    pub delivery_id: DeliveryId,
    /// The rooftop that the lead is for.
    pub rooftop: String,
    /// The destination's name.
    pub destination: String,
    /// What the delivery is for.
    pub purpose: Purpose,
    /// Which attempt this is, from 1.
    pub attempt: u64,
    /// A line that says what it is.
    pub subject: String,
    /// The ADF document.
    pub adf: String,
    /// The lead for people to read.
    pub text: String,
    /// The lead for programs.
    pub document: serde_json::Value,
    /// When this attempt is made.
    pub sent_at: Timestamp,
}

/// Names identifiers only: the rest is personal.
impl fmt::Debug for Parcel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parcel")
            .field("dealer", &self.dealer)
            .field("lead_id", &self.lead_id)
            .field("delivery_id", &self.delivery_id)
            .field("rooftop", &self.rooftop)
            .field("destination", &self.destination)
            .field("purpose", &self.purpose)
            .field("attempt", &self.attempt)
            .finish_non_exhaustive()
    }
}

/// What shows that the receiver took a parcel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receipt {
    /// What the receiver said, without what the buyer wrote.
    pub detail: String,
}

/// Why a parcel was not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// Another attempt may do better.
    Temporary {
        /// What happened, without what the buyer wrote.
        detail: String,
        /// How long the receiver wants to be left alone.
        retry_after: Option<Duration>,
        /// What else it stops.
        reach: Reach,
    },
    /// The receiver refused it for good.
    Permanent {
        /// What happened, without what the buyer wrote.
        detail: String,
    },
}

/// What a temporary fault stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reach {
    /// This parcel; another one may be taken.
    Parcel,
    /// Every parcel for the destination, such as a server that is down or refuses the login.
    Destination,
}

impl Fault {
    /// A fault of the way to the destination, which stops every parcel.
    pub(super) fn of_destination(detail: impl Into<String>) -> Self {
        Self::Temporary {
            detail: detail.into(),
            retry_after: None,
            reach: Reach::Destination,
        }
    }

    /// A fault that may be this parcel's alone.
    pub(super) fn of_parcel(detail: impl Into<String>) -> Self {
        Self::Temporary {
            detail: detail.into(),
            retry_after: None,
            reach: Reach::Parcel,
        }
    }

    /// A refusal for good.
    pub(super) fn permanent(detail: impl Into<String>) -> Self {
        Self::Permanent {
            detail: detail.into(),
        }
    }

    /// What happened.
    #[must_use]
    pub fn detail(&self) -> &str {
        match self {
            Self::Temporary { detail, .. } | Self::Permanent { detail } => detail,
        }
    }
}

/// Why a destination cannot be used as the settings say.
#[derive(Debug, thiserror::Error)]
#[error("destination {destination} of rooftop {rooftop} of dealer {dealer}")]
#[non_exhaustive]
pub struct DestinationError {
    /// The dealer.
    pub dealer: DealerId,
    /// The rooftop.
    pub rooftop: String,
    /// The destination.
    pub destination: String,
    /// Why.
    #[source]
    pub reason: Unusable,
}

/// Why leads cannot be sent as the settings say.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// `[mail]`.
    #[error("mail")]
    Mail(#[from] mail::SetupError),
    /// A destination.
    #[error(transparent)]
    Destination(#[from] Box<DestinationError>),
}

/// What is wrong with a destination.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Unusable {
    /// It names no way, or several.
    #[error("write exactly one of `mail`, `post`, `folder` and `webhook`")]
    Ways,
    /// A mailbox is none.
    #[error(transparent)]
    Mail(#[from] mail::SetupError),
    /// A file of secrets cannot be used.
    #[error("{0}")]
    Secret(String),
    /// The type of the posted document is none.
    #[error("{0:?} is no content type; write for example \"text/xml; charset=utf-8\"")]
    ContentType(String),
    /// The HTTP client cannot be set up.
    #[error(transparent)]
    Client(#[from] egress::Error),
}

/// The couriers to all destinations and fallbacks of all dealers.
#[derive(Debug)]
pub struct Couriers {
    all: HashMap<(DealerId, String, String), Courier>,
}

impl Couriers {
    /// Prepares them; nothing is connected yet. Files and folders that are not absolute are meant
    /// from `base`.
    ///
    /// # Errors
    /// [`SetupError`].
    pub fn new<'a>(
        dealers: impl IntoIterator<Item = (&'a DealerId, &'a Dealer)>,
        mail: MailSettings,
        base: &Path,
        egress: &Egress,
    ) -> Result<Self, SetupError> {
        let shop = Shop {
            mailer: Arc::new(mail.mailer()?),
            mail,
            base,
            egress,
        };
        let mut all = HashMap::new();
        for (dealer_id, dealer) in dealers {
            for (rooftop_name, rooftop) in &dealer.rooftops {
                for (name, destination) in rooftop.every_destination() {
                    let courier = shop.courier(&destination).map_err(|reason| {
                        Box::new(DestinationError {
                            dealer: dealer_id.clone(),
                            rooftop: rooftop_name.clone(),
                            destination: name.clone(),
                            reason,
                        })
                    })?;
                    all.insert((dealer_id.clone(), rooftop_name.clone(), name), courier);
                }
            }
        }
        Ok(Self { all })
    }

    /// The courier to a destination, or to a fallback, by name.
    #[must_use]
    pub fn get(&self, dealer: &DealerId, rooftop: &str, destination: &str) -> Option<&Courier> {
        let key = (dealer.clone(), rooftop.to_owned(), destination.to_owned());
        self.all.get(&key)
    }
}

/// What couriers are made with.
struct Shop<'a> {
    mailer: Arc<Mailer>,
    mail: MailSettings,
    base: &'a Path,
    egress: &'a Egress,
}

impl Shop<'_> {
    fn courier(&self, destination: &Destination) -> Result<Courier, Unusable> {
        let Destination {
            mail,
            post,
            folder,
            webhook,
            ..
        } = destination;
        let way = match (mail, post, folder, webhook) {
            (Some(mailbox), None, None, None) => {
                let copy_to = destination.copy_to.as_deref();
                Way::Mail(Box::new(MailCourier::new(
                    &self.mailer,
                    &self.mail,
                    mailbox,
                    copy_to,
                )?))
            }
            (None, Some(url), None, None) => Way::Post(Box::new(self.post(url, destination)?)),
            (None, None, Some(folder), None) => Way::Folder(FolderCourier {
                folder: self.base.join(folder),
            }),
            (None, None, None, Some(url)) => {
                Way::Webhook(Box::new(self.webhook(url, destination)?))
            }
            _ => return Err(Unusable::Ways),
        };
        let server = match way {
            Way::Mail(_) => self.mail.digest(),
            _ => String::new(),
        };
        let settings = serde_json::to_string(destination).unwrap_or_default();
        Ok(Courier {
            way,
            digest: HEXLOWER.encode(&Sha256::digest(settings + &server)),
        })
    }

    fn post(&self, url: &Url, destination: &Destination) -> Result<PostCourier, Unusable> {
        let content_type = destination.content_type();
        let headers_file = destination.headers_file.as_ref();
        let headers_file = headers_file.map(|it| self.base.join(it));
        if let Some(path) = &headers_file {
            headers_file::read(path).map_err(|error| Unusable::Secret(explain(&error)))?;
        }
        Ok(PostCourier {
            egress: self.egress.opened_for(url)?,
            url: url.clone(),
            headers_file,
            content_type: HeaderValue::try_from(content_type)
                .map_err(|_| Unusable::ContentType(content_type.to_owned()))?,
            success: Success {
                statuses: destination.success_status.clone(),
                text: destination.success_body.clone(),
            },
        })
    }

    fn webhook(&self, url: &Url, destination: &Destination) -> Result<Webhook, Unusable> {
        let secret = destination.secret_file.as_ref().map(|path| {
            let text = headers_file::text(&self.base.join(path));
            text.map(|it| Secret::new(&it))
        });
        let secret = secret.transpose();
        let secret = secret.map_err(|error| Unusable::Secret(explain(&error)))?;
        let egress = self.egress.opened_for(url)?;
        Ok(Webhook::new(egress, url.clone(), secret))
    }
}

/// What carries leads to one destination.
#[derive(Debug)]
pub struct Courier {
    way: Way,
    digest: String,
}

#[derive(Debug)]
enum Way {
    Mail(Box<MailCourier>),
    Post(Box<PostCourier>),
    Folder(FolderCourier),
    Webhook(Box<Webhook>),
}

impl Courier {
    /// Hands the parcel over and waits until the receiver took it. Dropping the future ends the
    /// attempt; the receiver may have taken the parcel all the same.
    ///
    /// # Errors
    /// [`Fault`]; its words hold nothing that the buyer wrote.
    pub async fn send(&self, parcel: &Parcel) -> Result<Receipt, Fault> {
        match &self.way {
            Way::Mail(courier) => courier.send(parcel).await,
            Way::Post(courier) => courier.send(parcel).await,
            Way::Folder(courier) => courier.send(parcel).await,
            Way::Webhook(webhook) => webhook::send(webhook, parcel).await,
        }
    }

    /// A digest of the settings, which changes when the way to the destination does.
    #[must_use]
    pub fn digest(&self) -> String {
        self.digest.clone()
    }
}

#[cfg(test)]
pub(super) mod tests;
