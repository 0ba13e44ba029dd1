//! Looking into the mailbox of bounces.

use std::{
    collections::BTreeSet,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use jiff::SignedDuration;
use leads::outbox;
use store::{Claim, Lease, Store};
use tokio::time::{sleep, timeout};

use super::{Dealers, Imap, ImapError, Maildir, Taken, Verdict, alarm, read, take};
use crate::{
    alarm::{Cause, Kind},
    explain,
    trouble::Trouble,
};

/// Longest time in a mailbox; what was not read then is read at the next look.
const LONGEST_VISIT: Duration = Duration::from_secs(300);
/// How often the lease is prolonged.
const LEASE_EVERY: Duration = Duration::from_secs(20);
/// For how long another process waits for one that died.
const LEASE: SignedDuration = SignedDuration::from_secs(60);
/// Most mails at one look.
const MOST_MAILS: usize = 500;
/// How many mails that say nothing about a lead are remembered, so as not to be read again.
const MOST_LEFT: usize = 100_000;

/// Where bounces come to.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Settings {
    /// The mailbox that is read by IMAP.
    pub imap: Option<Imap>,
    /// The folder that a mail server of this machine fills.
    pub maildir: Option<Maildir>,
    /// How often both are looked into.
    pub every: Duration,
}

/// What was found at one look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Counts {
    /// Leads that came back.
    pub bounced: u64,
    /// Words that a lead is late.
    pub late: u64,
    /// Words that change nothing, and replies of machines.
    pub idle: u64,
    /// Mails that say nothing about a lead. They are left as they are.
    pub left: u64,
}

/// The worker that looks into the mailbox of bounces.
#[derive(Debug)]
pub struct Bounces {
    store: Store,
    settings: Settings,
    dealers: Dealers,
    holder: String,
    /// Of several processes on one database, this is the one that looks.
    holds_lease: AtomicBool,
}

/// What becomes of a mail that was read.
enum Handling {
    /// It was dealt with.
    Done,
    /// It is somebody else's to deal with.
    Leave,
}

/// What is remembered of the mailboxes between two looks.
pub(super) struct Memory {
    imap: Trouble,
    maildir: Trouble,
    /// Numbers of mails that are left, valid as long as the mailbox numbers its mails as before.
    left: BTreeSet<u32>,
    validity: Option<u32>,
    left_files: BTreeSet<String>,
}

/// Why a look ended early.
#[derive(Debug, thiserror::Error)]
enum LookError {
    #[error(transparent)]
    Imap(#[from] ImapError),
    #[error("the folder cannot be read")]
    Folder(#[from] std::io::Error),
    /// Which has an alarm of its own.
    #[error(transparent)]
    Database(#[from] outbox::Error),
}

impl Bounces {
    /// Prepares to look after the deliveries of these dealers.
    #[must_use]
    pub fn new(store: Store, settings: Settings, dealers: Dealers) -> Self {
        Self {
            holder: store.clock().new_id().to_string(),
            store,
            settings,
            dealers,
            holds_lease: AtomicBool::new(false),
        }
    }

    /// Looks into the mailbox and keeps the alarms true, until the future is dropped.
    pub async fn run(&self) {
        tokio::join!(self.keep_looking(), self.keep_lease());
    }

    async fn keep_looking(&self) {
        let mut memory = self.memory();
        loop {
            if self.lease().await {
                self.look(&mut memory).await;
                self.renew_alarms().await;
                sleep(self.settings.every).await;
            } else {
                // What another process does meanwhile is not known here.
                memory = self.memory();
                sleep(LEASE_EVERY).await;
            }
        }
    }

    /// Prolongs the lease, however long a look or the wait for the next one takes.
    async fn keep_lease(&self) {
        loop {
            sleep(LEASE_EVERY).await;
            if self.holds_lease.load(Ordering::Relaxed) {
                self.lease().await;
            }
        }
    }

    /// Lets another process take over at once. For a server that stops.
    pub async fn release(&self) {
        if !self.holds_lease.swap(false, Ordering::Relaxed) {
            return;
        }
        let holder = self.holder.clone();
        let released = self
            .store
            .write_claiming(Claim::ROWS, move |conn| lease(&holder).release(conn))
            .await;
        if let Err(error) = released {
            tracing::warn!(error = %explain(&error), "the mailbox of bounces could not be handed over");
        }
    }

    pub(super) fn memory(&self) -> Memory {
        let imap = self.settings.imap.as_ref();
        let host = imap.map(|it| it.host.clone()).unwrap_or_default();
        let maildir = self.settings.maildir.as_ref();
        let folder = maildir.map(|it| it.folder().display().to_string());
        let trouble = |subject| Trouble::new(Cause::of_server(Kind::BounceSource, subject));
        Memory {
            imap: trouble(host),
            maildir: trouble(folder.unwrap_or_default()),
            left: BTreeSet::new(),
            validity: None,
            left_files: BTreeSet::new(),
        }
    }

    pub(super) async fn lease(&self) -> bool {
        let (holder, now) = (self.holder.clone(), self.store.clock().now());
        let taken = self
            .store
            .write_claiming(Claim::ROWS, move |conn| {
                lease(&holder).take(conn, now, LEASE)
            })
            .await;
        let taken = taken.unwrap_or_else(|error| {
            tracing::error!(error = %explain(&error), "the lease of the bounces could not be prolonged");
            false
        });
        self.holds_lease.store(taken, Ordering::Relaxed);
        taken
    }

    /// Looks once into every mailbox.
    pub(super) async fn look(&self, memory: &mut Memory) -> Counts {
        let mut counts = Counts::default();
        if let Some(imap) = &self.settings.imap {
            let visit = timeout(LONGEST_VISIT, self.visit(imap, memory, &mut counts));
            // What takes longer goes on at the next look.
            let outcome = visit.await.unwrap_or(Ok(()));
            self.judge(outcome, &mut memory.imap).await;
        }
        if let Some(maildir) = &self.settings.maildir {
            let outcome = self.leaf_through(maildir, memory, &mut counts).await;
            self.judge(outcome, &mut memory.maildir).await;
        }
        if counts != Counts::default() {
            let Counts {
                bounced,
                late,
                idle,
                left,
            } = counts;
            tracing::info!(bounced, late, idle, left, "the mailbox of bounces was read");
        }
        counts
    }

    async fn judge(&self, outcome: Result<(), LookError>, trouble: &mut Trouble) {
        match outcome {
            Ok(()) => trouble.fine(&self.store).await,
            Err(LookError::Database(error)) => {
                tracing::error!(error = %explain(&error), "a bounce could not be kept; it is read again");
            }
            Err(error) => {
                let message = format!(
                    "the mailbox of bounces cannot be read: {}; nobody notices leads that come back",
                    explain(&error)
                );
                trouble.failed(&self.store, message, false).await;
            }
        }
    }

    /// One visit to the mailbox.
    async fn visit(
        &self,
        imap: &Imap,
        memory: &mut Memory,
        counts: &mut Counts,
    ) -> Result<(), LookError> {
        let mut open = imap.open().await?;
        if open.validity != memory.validity {
            memory.left.clear();
            memory.validity = open.validity;
        }
        let unseen = open.unseen().await?;
        memory.left.retain(|uid| unseen.contains(uid));
        let news: Vec<u32> = unseen.difference(&memory.left).copied().collect();
        let mut refused = None;
        for uid in news.into_iter().take(MOST_MAILS) {
            let dealt_with = async {
                let Some(mail) = open.fetch(uid).await? else {
                    return Ok(());
                };
                match self.handle(mail, counts).await? {
                    Handling::Done => open.put_away(uid).await?,
                    Handling::Leave => remember(&mut memory.left, uid),
                }
                Ok(())
            };
            // One mail that cannot be read or moved holds up no other.
            match dealt_with.await {
                Err(error @ LookError::Imap(ImapError::Refused { .. })) => refused = Some(error),
                outcome => outcome?,
            }
        }
        open.close().await;
        refused.map_or(Ok(()), Err)
    }

    /// The same for the folder.
    async fn leaf_through(
        &self,
        maildir: &Maildir,
        memory: &mut Memory,
        counts: &mut Counts,
    ) -> Result<(), LookError> {
        let unseen: BTreeSet<String> = maildir.unseen().await?.into_iter().collect();
        memory.left_files.retain(|name| unseen.contains(name));
        let news: Vec<String> = unseen.difference(&memory.left_files).cloned().collect();
        for name in news.into_iter().take(MOST_MAILS) {
            let Some(mail) = maildir.fetch(&name).await? else {
                continue;
            };
            match self.handle(mail, counts).await? {
                Handling::Done => maildir.put_away(&name).await?,
                Handling::Leave => remember(&mut memory.left_files, name),
            }
        }
        Ok(())
    }

    /// Reads a mail and takes what it claims.
    async fn handle(&self, mail: Vec<u8>, counts: &mut Counts) -> Result<Handling, LookError> {
        let reading = tokio::task::spawn_blocking(move || read(&mail)).await;
        let report = reading.map_err(std::io::Error::other)?;
        let Some(claim) = report.claim() else {
            if report.verdict == Verdict::AutoReply {
                counts.idle += 1;
                return Ok(Handling::Done);
            }
            counts.left += 1;
            return Ok(Handling::Leave);
        };
        match take(&self.store, &self.dealers, claim).await? {
            Taken::Bounced { .. } => counts.bounced += 1,
            Taken::Late { .. } => counts.late += 1,
            Taken::Unchanged { .. } => counts.idle += 1,
            Taken::Unknown => {
                counts.left += 1;
                return Ok(Handling::Leave);
            }
        }
        Ok(Handling::Done)
    }

    pub(super) async fn renew_alarms(&self) {
        if let Err(error) = alarm::renew(&self.store, &self.dealers).await {
            tracing::error!(error = %explain(&error), "what came back could not be judged");
        }
    }
}

fn remember<T: Ord>(left: &mut BTreeSet<T>, mail: T) {
    if left.len() < MOST_LEFT {
        left.insert(mail);
    }
}

/// One process at a time reads the mailbox.
fn lease(holder: &str) -> Lease<'_> {
    Lease {
        dealer: "",
        work: "bounces",
        holder,
    }
}
