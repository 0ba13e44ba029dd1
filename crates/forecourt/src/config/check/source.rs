//! What of a feed's source cannot work.

use dealers::FeedSettings;
use jiff::SignedDuration;

use super::{super::Config, Findings};

/// Most megabytes of a feed file: it is held in memory while it is read.
const MOST_MEGABYTES: u64 = 4096;

/// A feed with a drop folder.
struct Dropped<'c> {
    /// The table of the configuration that states it.
    at: Vec<&'c str>,
    called: String,
    path: &'c str,
}

/// Finds feeds that would take each other's files.
pub(super) fn check_apart(config: &Config, found: &mut Findings<'_>) {
    let of_dealers = config.dealers.iter().flat_map(|(id, dealer)| {
        dealer.feeds.iter().filter_map(move |(name, feed)| {
            Some(Dropped {
                at: vec!["dealers", id.as_str(), "feeds", name],
                called: format!("feed {name} of dealer {id}"),
                path: feed.path.as_deref()?,
            })
        })
    });
    let of_catalogs = config.catalogs.iter().filter_map(|(id, catalog)| {
        Some(Dropped {
            at: vec!["catalogs", id.as_str()],
            called: format!("catalog {id}"),
            path: catalog.path.as_deref()?,
        })
    });
    let mut earlier: Vec<Dropped<'_>> = Vec::new();
    for feed in of_dealers.chain(of_catalogs) {
        let overlaps =
            |other: &&Dropped<'_>| outside::feeds::patterns_overlap(feed.path, other.path);
        if let Some(other) = earlier.iter().find(overlaps) {
            found.add(
                &[&feed.at[..], &["path"]].concat(),
                format!(
                    "{:?} names files of {} as well, and a file belongs to one feed; give each its own \
                     folder or file names",
                    feed.path, other.called
                ),
            );
        }
        earlier.push(feed);
    }
}

pub(super) fn check(at: &[&str], feed: &FeedSettings, found: &mut Findings<'_>) {
    let key = |last| [at, &[last]].concat();
    if let Some(pattern) = &feed.path
        && let Err(reason) = outside::feeds::check_pattern(pattern)
    {
        found.add(&key("path"), format!("{pattern:?}: {reason}"));
    }
    if feed.path.is_some() && feed.url.is_some() {
        found.add(
            &key("url"),
            "a feed has one source; write `path` or `url`, or make two feeds of it",
        );
    }
    if let Some(url) = &feed.url {
        found.web_address(&key("url"), url);
        if !url.username().is_empty() || url.password().is_some() {
            found.add(
                &key("url"),
                "write name and password as `user` and `password_file` instead",
            );
        }
    }
    if feed.user.is_some() != feed.password_file.is_some() {
        found.add(
            &key("password_file"),
            "name both `user` and `password_file`, or neither",
        );
    }
    if feed.every() < SignedDuration::from_mins(1) {
        found.add(&key("every"), "write at least \"1m\"");
    }
    let (path, url) = (("path", feed.path.is_some()), ("url", feed.url.is_some()));
    for (setting, is_stated, (needs, has)) in [
        ("settle", feed.settle.is_some(), path),
        ("keep_files", feed.keep_files.is_some(), path),
        ("every", feed.every.is_some(), url),
        ("headers_file", feed.headers_file.is_some(), url),
        ("user", feed.user.is_some(), url),
    ] {
        if is_stated && !has {
            found.add(&key(setting), format!("it means nothing without `{needs}`"));
        }
    }
    if feed
        .max_megabytes
        .is_some_and(|most| most == 0 || most > MOST_MEGABYTES)
    {
        found.add(
            &key("max_megabytes"),
            format!("write 1 to {MOST_MEGABYTES}"),
        );
    }
}
