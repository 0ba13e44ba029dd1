//! Leads that were sent, or were about to be, and are not answered yet.
//!
//! A lead whose answer was lost may have been taken. It is safe to send again only as the very
//! same payload under the very same idempotency key (AAP 1.3, lead.submit, idempotency), so the
//! key and the two times that the program fills in are on disk before the lead leaves.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use data_encoding::HEXLOWER;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::durable;

/// How long a record is of use. A dealer need not know a key for longer than a day (AAP 1.3,
/// lead.submit, idempotency), and a consent of long ago is not what the person says today.
const USEFUL: SignedDuration = SignedDuration::from_hours(7 * 24);

/// The file of leads without an answer. Holds no personal data: leads are known by a digest.
///
/// Several processes may share a file; each change is made under a lock and replaces the file as
/// a whole. Calls block on the disk.
#[derive(Debug, Clone)]
pub struct PendingLeads {
    path: PathBuf,
}

/// What a repeat of a lead must carry again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PendingLead {
    /// Where the lead goes: the dealer's interface URL.
    dealer: String,
    /// Digest of the payload as the buyer gave it.
    payload_sha256: String,
    /// When it was first kept.
    kept_at: Timestamp,
    /// The key under which the dealer recognises a repeat.
    pub idempotency_key: String,
    /// When the first attempt was made (RFC 3339).
    pub submitted_at: String,
    /// When the consent was given, where the program filled it in (RFC 3339).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub granted_at: Option<String>,
}

/// Which lead: the dealer and the payload, without the members that the program fills in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeadIdentity {
    dealer: String,
    payload_sha256: String,
}

impl LeadIdentity {
    /// The identity of a payload that goes to the interface URL `dealer`. Two payloads are one
    /// when their canonical forms are (RFC 8785).
    ///
    /// # Errors
    /// When the payload has no canonical form.
    pub fn of(dealer: &str, payload: &serde_json::Value) -> Result<Self, serde_json::Error> {
        let canonical = serde_json_canonicalizer::to_vec(payload)?;
        Ok(Self {
            dealer: dealer.to_owned(),
            payload_sha256: HEXLOWER.encode(&Sha256::digest(canonical)),
        })
    }

    fn names(&self, lead: &PendingLead) -> bool {
        lead.dealer == self.dealer && lead.payload_sha256 == self.payload_sha256
    }
}

impl PendingLeads {
    /// The leads kept in this file, which need not exist yet.
    #[must_use]
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// The usual place: `forecourt/buyer-leads.json` below the state folder of the XDG base
    /// directory specification. The arguments are the values of `XDG_STATE_HOME` and `HOME`; a
    /// relative `XDG_STATE_HOME` is ignored, as the specification demands.
    #[must_use]
    pub fn usual_path(xdg_state_home: Option<&Path>, home: Option<&Path>) -> Option<PathBuf> {
        let state = xdg_state_home
            .filter(|path| path.is_absolute())
            .map(Path::to_owned)
            .or_else(|| home.map(|home| home.join(".local/state")))?;
        Some(state.join("forecourt").join("buyer-leads.json"))
    }

    /// The record of a lead: the one kept from an earlier attempt of the last seven days, else a
    /// new one, which is on disk when this returns. `fresh` gives the key and the times of a new
    /// one.
    ///
    /// # Errors
    /// When the file cannot be read, understood or written; the lead must not be sent then.
    pub fn keep(
        &self,
        lead: &LeadIdentity,
        now: Timestamp,
        fresh: impl FnOnce() -> FreshLead,
    ) -> Result<PendingLead, Error> {
        let _lock = self.lock()?;
        let mut state = self.read()?;
        state
            .leads
            .retain(|kept| now.duration_since(kept.kept_at) <= USEFUL);
        if let Some(kept) = state.leads.iter().find(|kept| lead.names(kept)) {
            return Ok(kept.clone());
        }
        let FreshLead {
            idempotency_key,
            submitted_at,
            granted_at,
        } = fresh();
        let kept = PendingLead {
            dealer: lead.dealer.clone(),
            payload_sha256: lead.payload_sha256.clone(),
            kept_at: now,
            idempotency_key,
            submitted_at,
            granted_at,
        };
        state.leads.push(kept.clone());
        self.write(&state)?;
        Ok(kept)
    }

    /// Forgets a lead that was answered, so that the same enquiry made anew is a new lead.
    ///
    /// # Errors
    /// When the file cannot be read, understood or written.
    pub fn forget(&self, lead: &LeadIdentity) -> Result<(), Error> {
        let _lock = self.lock()?;
        let mut state = self.read()?;
        let before = state.leads.len();
        state.leads.retain(|kept| !lead.names(kept));
        if state.leads.len() == before {
            return Ok(());
        }
        self.write(&state)
    }

    fn lock(&self) -> Result<File, Error> {
        let failed = |source| Error::Write {
            path: self.path.clone(),
            source,
        };
        fs::create_dir_all(durable::folder_of(&self.path)).map_err(failed)?;
        let file = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(self.path.with_extension("lock"))
            .map_err(failed)?;
        file.lock().map_err(failed)?;
        Ok(file)
    }

    fn read(&self) -> Result<State, Error> {
        let text = match fs::read(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(State::default()),
            Err(source) => {
                return Err(Error::Read {
                    path: self.path.clone(),
                    source,
                });
            }
        };
        serde_json::from_slice(&text).map_err(|source| Error::Content {
            path: self.path.clone(),
            source,
        })
    }

    fn write(&self, state: &State) -> Result<(), Error> {
        let replace = || -> io::Result<()> {
            let mut text = serde_json::to_vec_pretty(state)?;
            text.push(b'\n');
            durable::replace(&self.path, &text)
        };
        replace().map_err(|source| Error::Write {
            path: self.path.clone(),
            source,
        })
    }
}

/// What a lead that was never tried before is given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FreshLead {
    /// A key that no other lead has.
    pub idempotency_key: String,
    /// The moment (RFC 3339).
    pub submitted_at: String,
    /// When the consent was given, where the program fills it in (RFC 3339).
    pub granted_at: Option<String>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct State {
    leads: Vec<PendingLead>,
}

/// Why the file of pending leads is of no use.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// It cannot be read.
    #[error("cannot read the pending leads in {path}")]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It holds something else.
    #[error("{path} does not hold pending leads; move it away or name another file")]
    Content {
        /// The file.
        path: PathBuf,
        /// What was found.
        source: serde_json::Error,
    },
    /// It cannot be written.
    #[error("cannot save the pending leads in {path}")]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const NOW: Timestamp = Timestamp::UNIX_EPOCH;

    fn fresh(key: &str) -> FreshLead {
        FreshLead {
            idempotency_key: key.to_owned(),
            submitted_at: "2026-05-01T10:00:00Z".to_owned(),
            granted_at: None,
        }
    }

    fn lead(message: &str) -> LeadIdentity {
        LeadIdentity::of("https://dealer.example/a2a", &json!({ "message": message })).unwrap()
    }

    #[test]
    fn a_lead_keeps_its_first_key_until_it_is_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let leads = PendingLeads::at(folder.path().join("state").join("leads.json"));
        let first = leads.keep(&lead("a"), NOW, || fresh("1")).unwrap();
        assert_eq!(first.idempotency_key, "1");
        assert_eq!(
            leads.keep(&lead("a"), NOW, || fresh("2")).unwrap(),
            first,
            "kept"
        );
        let other = leads.keep(&lead("b"), NOW, || fresh("3")).unwrap();
        assert_eq!(other.idempotency_key, "3");
        leads.forget(&lead("a")).unwrap();
        leads.forget(&lead("never seen")).unwrap();
        let anew = leads.keep(&lead("a"), NOW, || fresh("4")).unwrap();
        assert_eq!(anew.idempotency_key, "4");
        assert_eq!(leads.keep(&lead("b"), NOW, || fresh("5")).unwrap(), other);
    }

    #[test]
    fn a_record_is_kept_for_seven_days() {
        let folder = tempfile::tempdir().unwrap();
        let leads = PendingLeads::at(folder.path().join("leads.json"));
        let key_after = |hours, key: &str| {
            let now = NOW + SignedDuration::from_hours(hours);
            let kept = leads.keep(&lead("a"), now, || fresh(key)).unwrap();
            kept.idempotency_key
        };
        assert_eq!(key_after(0, "1"), "1");
        assert_eq!(key_after(7 * 24, "2"), "1");
        assert_eq!(key_after(7 * 24 + 1, "3"), "3");
    }

    #[test]
    fn the_same_lead_to_another_dealer_is_another_lead() {
        let folder = tempfile::tempdir().unwrap();
        let leads = PendingLeads::at(folder.path().join("leads.json"));
        let payload = json!({ "message": "a" });
        for (dealer, key) in [("https://a.example", "1"), ("https://b.example", "2")] {
            let identity = LeadIdentity::of(dealer, &payload).unwrap();
            let kept = leads.keep(&identity, NOW, || fresh(key)).unwrap();
            assert_eq!(kept.idempotency_key, key);
        }
    }

    #[test]
    fn key_order_and_number_form_do_not_make_another_lead() {
        let one = json!({ "a": 1.0, "b": { "c": "x", "d": 2 } });
        let two: serde_json::Value =
            serde_json::from_str(r#"{"b":{"d":2.0e0,"c":"x"},"a":1}"#).unwrap();
        assert_eq!(
            LeadIdentity::of("d", &one).unwrap(),
            LeadIdentity::of("d", &two).unwrap()
        );
    }

    #[cfg(unix)]
    #[test]
    fn the_file_is_the_owners_alone_and_names_nobody() {
        use std::os::unix::fs::PermissionsExt;

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("leads.json");
        let leads = PendingLeads::at(&path);
        leads
            .keep(&lead("Anna Example"), NOW, || fresh("1"))
            .unwrap();
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert!(!fs::read_to_string(&path).unwrap().contains("Anna"));
    }

    #[test]
    fn a_foreign_file_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("leads.json");
        for content in ["", "[]", "{\"leads\":[{}]}", "not json"] {
            fs::write(&path, content).unwrap();
            let error = PendingLeads::at(&path)
                .keep(&lead("a"), NOW, || fresh("1"))
                .unwrap_err();
            assert!(matches!(error, Error::Content { .. }), "{content}");
            assert_eq!(fs::read_to_string(&path).unwrap(), content);
        }
    }

    #[test]
    fn concurrent_repeats_share_one_key() {
        let folder = tempfile::tempdir().unwrap();
        let leads = PendingLeads::at(folder.path().join("leads.json"));
        let keys: std::collections::BTreeSet<String> = std::thread::scope(|scope| {
            let attempts: Vec<_> = (0..8)
                .map(|number| {
                    let leads = &leads;
                    scope.spawn(move || {
                        let kept = leads.keep(&lead("a"), NOW, || fresh(&number.to_string()));
                        kept.unwrap().idempotency_key
                    })
                })
                .collect();
            attempts
                .into_iter()
                .map(|attempt| attempt.join().unwrap())
                .collect()
        });
        assert_eq!(keys.len(), 1, "{keys:?}");
    }

    #[test]
    fn the_usual_place_follows_the_base_directory_specification() {
        let path = |text| Some(Path::new(text));
        assert_eq!(
            PendingLeads::usual_path(path("/state"), path("/home/a")),
            Some(PathBuf::from("/state/forecourt/buyer-leads.json"))
        );
        for ignored in [None, path("relative")] {
            assert_eq!(
                PendingLeads::usual_path(ignored, path("/home/a")),
                Some(PathBuf::from(
                    "/home/a/.local/state/forecourt/buyer-leads.json"
                ))
            );
        }
        assert_eq!(PendingLeads::usual_path(None, None), None);
    }
}
