//! Leads as ADF documents that are posted.

use std::path::PathBuf;

use egress::Egress;
use http::{HeaderName, HeaderValue, header};
use leads::Purpose;
use url::Url;

use super::{
    answer::{self, Success},
    courier::{Fault, Parcel, Receipt},
    words::Words,
};
use crate::{explain, headers_file};

/// Names the lead, so that a receiver can drop repeats.
const LEAD: HeaderName = HeaderName::from_static("x-forecourt-lead");
/// Names the delivery: the same over every attempt.
const DELIVERY: HeaderName = HeaderName::from_static("idempotency-key");

/// Posts leads to one address.
#[derive(Debug)]
pub(super) struct PostCourier {
    pub(super) egress: Egress,
    pub(super) url: Url,
    /// Read anew each time, so that a changed secret counts at once.
    pub(super) headers_file: Option<PathBuf>,
    pub(super) content_type: HeaderValue,
    pub(super) success: Success,
}

impl PostCourier {
    pub(super) async fn send(&self, parcel: &Parcel) -> Result<Receipt, Fault> {
        if parcel.purpose == Purpose::Copy {
            return Err(Fault::permanent("only mail has copies for people"));
        }
        let mut request = self
            .egress
            .post(self.url.as_str(), parcel.adf.clone())
            .header(header::CONTENT_TYPE, self.content_type.clone());
        for (name, id) in [
            (LEAD, parcel.lead_id.as_str()),
            (DELIVERY, parcel.delivery_id.as_str()),
        ] {
            if let Ok(value) = HeaderValue::try_from(id) {
                request = request.header(name, value);
            }
        }
        if let Some(path) = &self.headers_file {
            let headers = headers_file::read(path);
            let headers = headers.map_err(|error| Fault::of_destination(explain(&error)))?;
            for (name, value) in &headers {
                request = request.header(name.clone(), value.clone());
            }
        }
        let answered = request
            .timeout(answer::PATIENCE)
            .body_limit(answer::MOST_BYTES)
            .send()
            .await;
        answer::judge(answered, &self.success, &Words::of(parcel), parcel.sent_at)
    }
}
