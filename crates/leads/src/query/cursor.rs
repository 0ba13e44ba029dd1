//! Where a list was left, to go on from there.

use std::{fmt, str::FromStr};

use data_encoding::BASE64URL_NOPAD;
use jiff::Timestamp;
use store::Value;

/// A place in a list that is newest first: behind the entry of this time and this identifier. As text
/// it is opaque, and stays valid while entries come and go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor {
    /// Milliseconds since 1970.
    at: i64,
    id: String,
}

/// The text is no cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("that is no cursor; send the one that the page before ended with, or none")]
pub struct NotACursor;

/// A part of a list.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Page<T> {
    /// What stands on it.
    pub entries: Vec<T>,
    /// Where the next page begins; `None` when this is the last.
    pub next: Option<Cursor>,
}

impl Cursor {
    /// The two values by which a list goes on, for `(time, id) < ($n, $m)`.
    pub(crate) fn values(after: Option<&Self>) -> [Value<'_>; 2] {
        match after {
            Some(cursor) => [cursor.at.into(), (&cursor.id).into()],
            None => [i64::MAX.into(), "".into()],
        }
    }
}

impl<T> Page<T> {
    /// The same page with each entry turned into another.
    pub(crate) fn try_map<U, E>(self, turn: impl FnMut(T) -> Result<U, E>) -> Result<Page<U>, E> {
        Ok(Page {
            entries: self
                .entries
                .into_iter()
                .map(turn)
                .collect::<Result<_, E>>()?,
            next: self.next,
        })
    }

    /// The page of at most `limit` out of what was found, which is one more where there are more.
    pub(crate) fn of(
        mut found: Vec<T>,
        limit: u32,
        place: impl Fn(&T) -> (Timestamp, &str),
    ) -> Self {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let has_more = found.len() > limit;
        found.truncate(limit);
        let last = found.last().filter(|_| has_more).map(place);
        let next = last.map(|(at, id)| Cursor {
            at: at.as_millisecond(),
            id: id.to_owned(),
        });
        Self {
            entries: found,
            next,
        }
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{}.{}", self.at, self.id);
        f.write_str(&BASE64URL_NOPAD.encode(text.as_bytes()))
    }
}

impl FromStr for Cursor {
    type Err = NotACursor;

    fn from_str(text: &str) -> Result<Self, NotACursor> {
        let bytes = BASE64URL_NOPAD.decode(text.as_bytes()).ok();
        let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
        let text = text.ok_or(NotACursor)?;
        let (at, id) = text.split_once('.').ok_or(NotACursor)?;
        Ok(Self {
            at: at.parse().map_err(|_| NotACursor)?,
            id: id.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_read_as_it_was_written() {
        let cursor = Cursor {
            at: 1_777_000_000_000,
            id: "019a2b3c-4d5e-7f60-8a9b-0c1d2e3f4a5b".to_owned(),
        };
        let text = cursor.to_string();
        assert!(!text.contains("019a2b3c"), "{text}");
        assert_eq!(text.parse(), Ok(cursor));
        for bad in ["", "x", "é", &text[1..], "MTIz"] {
            assert_eq!(bad.parse::<Cursor>(), Err(NotACursor), "{bad}");
        }
    }

    fn place(number: &i64) -> (Timestamp, &str) {
        let id = if *number == 2 { "two" } else { "" };
        (Timestamp::UNIX_EPOCH, id)
    }

    #[test]
    fn a_page_tells_where_it_ends_only_when_there_is_more() {
        let page = Page::of(vec![1, 2, 3], 2, place);
        assert_eq!(page.entries, [1, 2]);
        assert_eq!(page.next.unwrap().id, "two");
        assert_eq!(Page::of(vec![1, 2], 2, place).next, None);
        assert_eq!(Page::of(Vec::new(), 0, place).next, None);
    }
}
