//! Watching a drop folder: take the newest complete file, publish it, move it away.

use std::{
    io,
    io::Read as _,
    path::Path,
    sync::Arc,
    time::{Duration, SystemTime},
};

use jiff::{SignedDuration, Timestamp};
use serde_json::json;
use store::Claim;
use tokio::task::{JoinHandle, spawn_blocking};

use super::{
    Feed,
    folder::{DropFolder, Found, Listing, Settling},
    receive::{Verdict, receive},
    shelf::{self, Shelf},
    stuck::{self, Stuck},
};
use crate::{
    alarm::{Cause, Kind},
    disk, explain,
    trouble::Trouble,
};

/// How long a network share may take to list its files.
const LISTING: Duration = Duration::from_secs(60);
/// The wait after the database failed.
const RETRY: SignedDuration = SignedDuration::from_secs(30);
/// How often old files are removed from the shelves.
const PRUNE_EVERY: SignedDuration = SignedDuration::from_hours(1);

/// What is remembered of a drop folder between two looks.
#[derive(Debug)]
pub(super) struct FolderWatch {
    feed: Arc<Feed>,
    place: DropFolder,
    settling: Settling,
    /// `None` before it was read from the database.
    stuck: Option<Vec<Stuck>>,
    /// A listing that takes long is waited for, instead of starting another.
    listing: Option<JoinHandle<io::Result<Listing>>>,
    source: Trouble,
    files: Trouble,
    retry_at: Timestamp,
    prune_at: Timestamp,
}

impl FolderWatch {
    pub(super) fn new(feed: &Arc<Feed>, place: DropFolder) -> Self {
        let trouble = |kind| Trouble::new(Cause::of_dealer(&feed.dealer_id, kind, &feed.name));
        Self {
            feed: Arc::clone(feed),
            place,
            settling: Settling::default(),
            stuck: None,
            listing: None,
            source: trouble(Kind::FeedSource),
            files: trouble(Kind::FeedFile),
            retry_at: Timestamp::UNIX_EPOCH,
            prune_at: Timestamp::UNIX_EPOCH,
        }
    }

    /// Looks into the folder once.
    pub(super) async fn look(&mut self) {
        let listing = match self.list().await {
            Ok(listing) => listing,
            Err(error) => {
                let folder = self.place.folder.display();
                let message = format!(
                    "the drop folder {folder} cannot be read: {error}; no file of the feed arrives"
                );
                return self.source.failed(&self.feed.store, message, false).await;
            }
        };
        self.source.fine(&self.feed.store).await;
        let mut complaints = listing.oddities;
        let Some(files) = self.sort_out(listing.files, &mut complaints).await else {
            return;
        };
        let now = self.feed.store.clock().now();
        let settled = self
            .settling
            .settled(files, now, self.feed.settings.settle());
        if now >= self.retry_at
            && let Some((newest, older)) = settled.split_last()
        {
            self.take(newest, older, &mut complaints).await;
        }
        let complaints = (!complaints.is_empty()).then(|| complaints.join("; "));
        self.files.set(&self.feed.store, complaints).await;
        self.prune(now).await;
    }

    async fn list(&mut self) -> io::Result<Listing> {
        let place = self.place.clone();
        let listing = self
            .listing
            .get_or_insert_with(|| spawn_blocking(move || place.list()));
        let Ok(listed) = tokio::time::timeout(LISTING, listing).await else {
            let seconds = LISTING.as_secs();
            let text = format!("it does not answer within {seconds} seconds");
            return Err(io::Error::new(io::ErrorKind::TimedOut, text));
        };
        self.listing = None;
        listed.map_err(io::Error::other)?
    }

    /// The files that may be read: neither too large, nor dealt with before. `None` while the
    /// database does not tell which those are.
    async fn sort_out(
        &mut self,
        files: Vec<Found>,
        complaints: &mut Vec<String>,
    ) -> Option<Vec<Found>> {
        for stuck in self.load_stuck().await? {
            let lies_there = files.contains(&stuck.file);
            if lies_there && let Err(error) = self.put(&stuck).await {
                complaints.push(unmovable(&stuck, &error));
                continue;
            }
            self.forget(&stuck).await;
        }
        let most = self.feed.settings.max_bytes();
        let stuck = self.stuck.as_deref().unwrap_or_default();
        let mut readable = Vec::new();
        for file in files {
            if stuck.iter().any(|it| it.file == file) {
                continue;
            }
            if file.size <= most {
                readable.push(file);
            } else {
                complaints.push(format!(
                    "{} has {} and is not read: max_megabytes allows {}",
                    file.path.display(),
                    disk::bytes(file.size),
                    disk::bytes(most)
                ));
            }
        }
        Some(readable)
    }

    async fn load_stuck(&mut self) -> Option<Vec<Stuck>> {
        if let Some(stuck) = &self.stuck {
            return Some(stuck.clone());
        }
        let feed = Arc::clone(&self.feed);
        let read = self
            .feed
            .store
            .read(move |conn| stuck::load(conn, &feed.dealer_id, &feed.name))
            .await;
        match read {
            Ok(stuck) => {
                self.stuck = Some(stuck.clone());
                Some(stuck)
            }
            Err(error) => {
                self.feed.database_failed(&error);
                None
            }
        }
    }

    /// Publishes the newest file and moves it and those that it overtakes away.
    async fn take(&mut self, newest: &Found, older: &[Found], complaints: &mut Vec<String>) {
        // One file in memory at a time for each of a few feeds.
        let feed = Arc::clone(&self.feed);
        let _turn = feed.turns.acquire().await;
        let bytes = match read(newest).await {
            Ok(Some(bytes)) => bytes,
            Ok(None) => return self.settling.restart(newest),
            Err(error) => {
                let path = newest.path.display();
                return complaints.push(format!("{path} cannot be read: {error}"));
            }
        };
        let name = file_name(&newest.path);
        let received = receive(
            &feed.store,
            &feed.dealer_id,
            feed.target(),
            Some(&name),
            &bytes,
        )
        .await;
        let receipt = match received {
            Ok(receipt) => receipt,
            Err(error) => {
                self.retry_at = self.feed.store.clock().now() + RETRY;
                return self.feed.database_failed(&error);
            }
        };
        // The overtaken ones go first: should the program die in between, the newest is still
        // there, and being read once more it changes nothing.
        for file in older {
            let report = json!({
                "feed": feed.name,
                "file": file_name(&file.path),
                "result": "overtaken",
                "message": format!("the newer file {name} was read instead"),
            });
            self.put_away(file, Shelf::Done, &report, complaints).await;
        }
        let shelf = match receipt.verdict {
            Verdict::Applied => Shelf::Done,
            Verdict::KeptLastGood | Verdict::Refused => Shelf::Refused,
        };
        tracing::info!(
            dealer = %feed.dealer_id,
            feed = feed.name,
            file = name,
            result = receipt.document["result"].as_str(),
            "feed file read"
        );
        self.put_away(newest, shelf, &receipt.document, complaints)
            .await;
    }

    async fn put_away(
        &mut self,
        file: &Found,
        shelf: Shelf,
        report: &serde_json::Value,
        complaints: &mut Vec<String>,
    ) {
        let stuck = Stuck {
            file: file.clone(),
            shelf,
            report: format!("{report:#}\n"),
        };
        let Err(error) = self.put(&stuck).await else {
            return;
        };
        complaints.push(unmovable(&stuck, &error));
        self.stuck.get_or_insert_default().push(stuck.clone());
        let feed = Arc::clone(&self.feed);
        let saved = self
            .feed
            .store
            .write_claiming(Claim::ROWS, move |conn| {
                stuck::save(conn, &feed.dealer_id, &feed.name, &stuck)
            })
            .await;
        if let Err(error) = saved {
            self.feed.database_failed(&error);
        }
    }

    async fn put(&self, stuck: &Stuck) -> io::Result<()> {
        let (stuck, now) = (stuck.clone(), self.feed.store.clock().now());
        let put = spawn_blocking(move || {
            shelf::put_unchanged(&stuck.file, stuck.shelf, &stuck.report, now)
        });
        put.await.map_err(io::Error::other)?.map(drop)
    }

    async fn forget(&mut self, stuck: &Stuck) {
        if let Some(known) = &mut self.stuck {
            known.retain(|it| it != stuck);
        }
        let (feed, stuck) = (Arc::clone(&self.feed), stuck.clone());
        let forgotten = self
            .feed
            .store
            .write_claiming(Claim::ROWS, move |conn| {
                stuck::forget(conn, &feed.dealer_id, &feed.name, &stuck)
            })
            .await;
        if let Err(error) = forgotten {
            self.feed.database_failed(&error);
        }
    }

    async fn prune(&mut self, now: Timestamp) {
        if now < self.prune_at {
            return;
        }
        self.prune_at = now + PRUNE_EVERY;
        let Ok(before) = SystemTime::try_from(now - self.feed.settings.keep_files()) else {
            return;
        };
        let folder = self.place.folder.clone();
        let pruned = spawn_blocking(move || shelf::prune(&folder, before)).await;
        if let Err(error) = pruned.map_err(io::Error::other).and_then(|it| it) {
            tracing::warn!(
                dealer = %self.feed.dealer_id,
                feed = self.feed.name,
                error = %explain(&error),
                "old feed files could not be removed"
            );
        }
    }
}

/// The whole file; `None` when it is no longer as long as it was.
async fn read(file: &Found) -> io::Result<Option<Vec<u8>>> {
    let (path, size) = (file.path.clone(), file.size);
    let reading = spawn_blocking(move || {
        let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
        shelf::open(&path)?.take(size + 1).read_to_end(&mut bytes)?;
        Ok::<_, io::Error>(bytes)
    });
    match reading.await.map_err(io::Error::other)? {
        Ok(bytes) if bytes.len() as u64 == size => Ok(Some(bytes)),
        Ok(_) => Ok(None),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

fn unmovable(stuck: &Stuck, error: &io::Error) -> String {
    format!(
        "{} was read and cannot be moved to {}: {error}; it is not read again, let this program \
         write in its folder or remove it",
        stuck.file.path.display(),
        stuck.shelf.as_str()
    )
}
