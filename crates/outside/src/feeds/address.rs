//! Watching an address: ask it for the file every so often, publish what is new.

use std::{path::PathBuf, sync::Arc, time::Duration};

use base64::{Engine, engine::general_purpose::STANDARD};
use data_encoding::HEXLOWER;
use dealers::DealerId;
use egress::{Egress, Request, Response};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use inventory::stock;
use jiff::{SignedDuration, Timestamp};
use sha2::{Digest, Sha256};
use store::{Claim, Conn, Error};
use url::Url;

use super::{
    Feed,
    receive::{Verdict, receive},
};
use crate::{
    alarm::{Cause, Kind},
    explain,
    headers_file::{self, HeadersError},
    trouble::Trouble,
};

/// Longest time that a file may take.
const PATIENCE: Duration = Duration::from_secs(600);
/// The wait after the first failure; it doubles with each further one, up to the feed's own `every`.
const RETRY: SignedDuration = SignedDuration::from_secs(60);

/// Where a feed is fetched from, and what opens the door there.
#[derive(Debug)]
pub(super) struct Address {
    pub(super) egress: Egress,
    pub(super) url: Url,
    pub(super) headers_file: Option<PathBuf>,
    /// Name, and the file of the password.
    pub(super) login: Option<(String, PathBuf)>,
}

/// What is remembered of an address between two looks.
#[derive(Debug)]
pub(super) struct AddressWatch<'a> {
    feed: Arc<Feed>,
    address: &'a Address,
    /// What the database holds; `None` before it was read.
    known: Option<Known>,
    due_at: Timestamp,
    source: Trouble,
}

/// What is known of an address from earlier answers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Known {
    asked_at: Option<Timestamp>,
    /// Validators of the last file that was published (RFC 9110 §8.8).
    etag: Option<String>,
    last_modified: Option<String>,
    /// [`inventory::intake::digest`] of that file.
    digest: Option<String>,
}

/// Why no file came of a request.
#[derive(Debug, thiserror::Error)]
enum FetchError {
    #[error(transparent)]
    Headers(#[from] HeadersError),
    #[error(transparent)]
    Egress(#[from] egress::Error),
    #[error("the address answered with HTTP status {0}")]
    Status(StatusCode),
    #[error("the database fails")]
    Database(#[source] stock::Error),
}

impl Known {
    /// True when a request says which file is known.
    const fn is_conditional(&self) -> bool {
        self.etag.is_some() || self.last_modified.is_some()
    }
}

impl FetchError {
    /// True when it may go away by itself.
    fn may_pass(&self) -> bool {
        match self {
            Self::Headers(_) => false,
            Self::Egress(error) => error.is_retryable(),
            Self::Status(status) => {
                status.is_server_error() || matches!(status.as_u16(), 408 | 425 | 429)
            }
            Self::Database(_) => true,
        }
    }
}

impl<'a> AddressWatch<'a> {
    pub(super) fn new(feed: &Arc<Feed>, address: &'a Address) -> Self {
        Self {
            feed: Arc::clone(feed),
            address,
            known: None,
            due_at: Timestamp::UNIX_EPOCH,
            source: Trouble::new(Cause::of_dealer(
                &feed.dealer_id,
                Kind::FeedSource,
                &feed.name,
            )),
        }
    }

    /// Asks the address when it is time to.
    pub(super) async fn look(&mut self) {
        let now = self.feed.store.clock().now();
        if now < self.due_at {
            return;
        }
        let Some(known) = self.load(now).await else {
            return;
        };
        if now < self.due_at {
            return;
        }
        match self.ask(&known).await {
            Ok(known) => {
                self.due_at = match known.asked_at {
                    Some(_) => now + self.feed.settings.every(),
                    None => now,
                };
                self.save(known).await;
                self.source.fine(&self.feed.store).await;
            }
            Err(FetchError::Database(error)) => {
                self.due_at = now + RETRY;
                self.feed.database_failed(&error);
            }
            Err(error) => {
                let every = self.feed.settings.every();
                self.due_at = now + self.retry_after(every);
                let message = format!("the feed cannot be fetched: {}", explain(&error));
                self.source
                    .failed(&self.feed.store, message, !error.may_pass())
                    .await;
            }
        }
    }

    /// What the database knows of the address. The first time, it also says when to ask next.
    async fn load(&mut self, now: Timestamp) -> Option<Known> {
        if let Some(known) = &self.known {
            return Some(known.clone());
        }
        let (feed, digest) = (Arc::clone(&self.feed), self.url_digest());
        let read = self
            .feed
            .store
            .read(move |conn| load(conn, &feed.dealer_id, &feed.name, &digest))
            .await;
        match read {
            Ok(known) => {
                let known = known.unwrap_or_default();
                if let Some(asked_at) = known.asked_at {
                    self.due_at = asked_at + self.feed.settings.every();
                }
                self.known = Some(known.clone());
                Some(known)
            }
            Err(error) => {
                self.due_at = now + RETRY;
                self.feed.database_failed(&error);
                None
            }
        }
    }

    /// Fetches the file, publishes it, and returns what is known of the address after it.
    async fn ask(&self, known: &Known) -> Result<Known, FetchError> {
        let asked_at = Some(self.feed.store.clock().now());
        let answer = {
            let _turn = self.feed.downloads.acquire().await;
            self.request(known)?.send().await?
        };
        match answer.status {
            StatusCode::OK => {}
            StatusCode::NOT_MODIFIED if self.sighted(known).await? => {
                return Ok(Known {
                    asked_at,
                    ..known.clone()
                });
            }
            // The stock is another one meanwhile, so that the file is needed whole, and at once.
            StatusCode::NOT_MODIFIED if known.is_conditional() => return Ok(Known::default()),
            status => return Err(FetchError::Status(status)),
        }
        let validator = |name: HeaderName| text(&answer, &name);
        let (etag, last_modified) = (validator(header::ETAG), validator(header::LAST_MODIFIED));
        let feed = &self.feed;
        let _turn = feed.turns.acquire().await;
        let receipt = receive(
            &feed.store,
            &feed.dealer_id,
            feed.target(),
            None,
            &answer.body,
        )
        .await
        .map_err(FetchError::Database)?;
        tracing::info!(
            dealer = %feed.dealer_id,
            feed = feed.name,
            result = receipt.document["result"].as_str(),
            "feed fetched"
        );
        // A file that was not published is fetched again, for the day when it would be.
        let good = receipt.verdict == Verdict::Applied;
        Ok(Known {
            asked_at,
            etag: etag.filter(|_| good),
            last_modified: last_modified.filter(|_| good),
            digest: receipt.digest.filter(|_| good),
        })
    }

    fn request(&self, known: &Known) -> Result<Request<'_>, FetchError> {
        let most = usize::try_from(self.feed.settings.max_bytes()).unwrap_or(usize::MAX);
        let mut request = self
            .address
            .egress
            .get(self.address.url.as_str())
            .timeout(PATIENCE)
            .body_limit(most);
        for (name, value) in &self.address.secrets()? {
            request = request.header(name.clone(), value.clone());
        }
        for (name, value) in [
            (header::IF_NONE_MATCH, &known.etag),
            (header::IF_MODIFIED_SINCE, &known.last_modified),
        ] {
            let value = value.as_ref().and_then(|it| HeaderValue::try_from(it).ok());
            if let Some(value) = value {
                request = request.header(name, value);
            }
        }
        Ok(request)
    }

    /// Notes that the file that was published last still is the one at the address. False when the
    /// stock of the feed is not that file's.
    async fn sighted(&self, known: &Known) -> Result<bool, FetchError> {
        let Some(digest) = known.digest.clone().filter(|_| known.is_conditional()) else {
            return Ok(false);
        };
        let feed = Arc::clone(&self.feed);
        let (run, now) = (feed.store.clock().new_id(), feed.store.clock().now());
        self.feed
            .store
            .write_claiming(stock::claim(&self.feed.dealer_id), move |conn| {
                let named = (feed.name.as_str(), &feed.settings);
                stock::sighted(conn, &feed.dealer_id, named, &digest, run, now)
            })
            .await
            .map_err(FetchError::Database)
    }

    async fn save(&mut self, known: Known) {
        let (feed, digest, saved) = (Arc::clone(&self.feed), self.url_digest(), known.clone());
        let written = self
            .feed
            .store
            .write_claiming(Claim::ROWS, move |conn| {
                save(conn, &feed.dealer_id, &feed.name, &digest, &saved)
            })
            .await;
        if let Err(error) = written {
            self.feed.database_failed(&error);
        }
        self.known = Some(known);
    }

    /// The wait before the next attempt, a little different each time, so that many feeds of one
    /// vendor do not come back at the same moment.
    fn retry_after(&self, every: SignedDuration) -> SignedDuration {
        let doubled = RETRY * (1_i32 << self.source.failures().min(10));
        let wait = doubled.min(every.max(RETRY));
        let chance = i32::from(self.feed.store.clock().new_id().as_bytes()[15]);
        wait + wait * chance / 1024
    }

    fn url_digest(&self) -> String {
        HEXLOWER.encode(&Sha256::digest(self.address.url.as_str()))
    }
}

impl Address {
    /// The headers that open the door, read anew each time, so that a changed secret counts at once.
    fn secrets(&self) -> Result<HeaderMap, FetchError> {
        let mut headers = match &self.headers_file {
            Some(path) => headers_file::read(path)?,
            None => HeaderMap::new(),
        };
        if let Some((user, path)) = &self.login {
            let password = headers_file::text(path)?;
            let pair = STANDARD.encode(format!(
                "{user}:{}",
                password.trim_end_matches(['\r', '\n'])
            ));
            if let Some(value) = headers_file::sensitive(&format!("Basic {pair}")) {
                headers.insert(header::AUTHORIZATION, value);
            }
        }
        Ok(headers)
    }
}

fn text(answer: &Response, name: &HeaderName) -> Option<String> {
    let value = answer.headers.get(name)?;
    value.to_str().ok().map(str::to_owned)
}

/// What is known of the feed's address; `None` when it was another one.
fn load(
    conn: &mut dyn Conn,
    dealer: &DealerId,
    feed: &str,
    url_digest: &str,
) -> Result<Option<Known>, Error> {
    conn.first(
        "SELECT asked_at, etag, last_modified, file_digest FROM feed_address
         WHERE dealer = $1 AND feed = $2 AND url_digest = $3",
        &[dealer.into(), feed.into(), url_digest.into()],
        |row| {
            Ok(Known {
                asked_at: Some(row.time(0)?),
                etag: row.optional_text(1)?.map(str::to_owned),
                last_modified: row.optional_text(2)?.map(str::to_owned),
                digest: row.optional_text(3)?.map(str::to_owned),
            })
        },
    )
}

fn save(
    conn: &mut dyn Conn,
    dealer: &DealerId,
    feed: &str,
    url_digest: &str,
    known: &Known,
) -> Result<(), Error> {
    conn.execute(
        "INSERT INTO feed_address (dealer, feed, url_digest, etag, last_modified, file_digest,
                                   asked_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)
         ON CONFLICT (dealer, feed) DO UPDATE SET
             url_digest = excluded.url_digest, etag = excluded.etag,
             last_modified = excluded.last_modified, file_digest = excluded.file_digest,
             asked_at = excluded.asked_at",
        &[
            dealer.into(),
            feed.into(),
            url_digest.into(),
            known.etag.as_ref().into(),
            known.last_modified.as_ref().into(),
            known.digest.as_ref().into(),
            known.asked_at.unwrap_or_default().into(),
        ],
    )?;
    Ok(())
}
