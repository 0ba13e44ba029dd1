//! What of a feed's source cannot work.

use dealers::{Dealer, DealerId, FeedSettings};
use indexmap::IndexMap;
use jiff::SignedDuration;

use super::Findings;

/// Most megabytes of a feed file: it is held in memory while it is read.
const MOST_MEGABYTES: u64 = 4096;

/// Finds feeds that would take each other's files.
pub(super) fn check_apart(dealers: &IndexMap<DealerId, Dealer>, found: &mut Findings<'_>) {
    let mut earlier: Vec<(&DealerId, &str, &str)> = Vec::new();
    for (id, dealer) in dealers {
        for (name, feed) in &dealer.feeds {
            let Some(path) = &feed.path else { continue };
            let other = earlier
                .iter()
                .find(|(.., other)| outside::feeds::patterns_overlap(path, other));
            if let Some((owner, other, _)) = other {
                found.add(
                    &["dealers", id.as_str(), "feeds", name, "path"],
                    format!(
                        "{path:?} names files of feed {other} of dealer {owner} as well, and a file belongs to one \
                         feed; give each its own folder or file names"
                    ),
                );
            }
            earlier.push((id, name, path));
        }
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
