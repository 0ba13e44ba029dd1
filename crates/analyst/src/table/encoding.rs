//! Bytes to text.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

/// A file as text, without a byte order mark, its lines ended by `\n` or `\r\n`.
pub(super) struct Decoded<'b> {
    pub(super) text: Cow<'b, str>,
    /// The WHATWG name of the encoding.
    pub(super) encoding: &'static str,
    /// Bytes that mean nothing in the encoding stand as U+FFFD.
    pub(super) is_damaged: bool,
}

/// The text of a file: by its byte order mark, as UTF-16 where every other byte is NUL, as an XML document
/// declares it, as UTF-8 where it is valid, else in the encoding that its bytes make likely.
pub(super) fn decode(bytes: &[u8]) -> Decoded<'_> {
    if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        return decode_as(encoding, &bytes[mark..]);
    }
    if let Some(encoding) = utf_16_without_mark(bytes) {
        return decode_as(encoding, bytes);
    }
    if let Some(encoding) = declared_by_xml(bytes) {
        return decode_as(encoding, bytes);
    }
    if std::str::from_utf8(bytes).is_ok() {
        return decode_as(UTF_8, bytes);
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    decode_as(detector.guess(None, Utf8Detection::Deny), bytes)
}

fn decode_as<'b>(encoding: &'static Encoding, bytes: &'b [u8]) -> Decoded<'b> {
    let (text, is_damaged) = encoding.decode_without_bom_handling(bytes);
    Decoded {
        text: unify_line_ends(text),
        encoding: encoding.name(),
        is_damaged,
    }
}

/// Western text in UTF-16 has NUL in most odd places (little end first) or even ones.
fn utf_16_without_mark(bytes: &[u8]) -> Option<&'static Encoding> {
    const SAMPLE: usize = 4 * 1024;
    let sample = &bytes[..bytes.len().min(SAMPLE)];
    let pairs = sample.len() / 2;
    let [even, odd] = [0, 1].map(|first| {
        let places = sample.iter().skip(first).step_by(2);
        places.filter(|byte| **byte == 0).count()
    });
    let (most, few) = (pairs * 6 / 10, pairs / 10);
    if pairs < 2 {
        None
    } else if odd > most && even <= few {
        Some(UTF_16LE)
    } else if even > most && odd <= few {
        Some(UTF_16BE)
    } else {
        None
    }
}

/// The encoding of an XML declaration (XML 1.0, section 4.3.3). One that declares UTF-16 and yet can be read
/// byte by byte is not UTF-16, and one that is said to be UTF-8 must prove it.
fn declared_by_xml(bytes: &[u8]) -> Option<&'static Encoding> {
    const WINDOW: usize = 512;
    let window = &bytes[..bytes.len().min(WINDOW)];
    let ascii = window.iter().take_while(|byte| byte.is_ascii()).count();
    let start = std::str::from_utf8(&window[..ascii]).unwrap_or_default();
    let declaration = start.trim_ascii_start().strip_prefix("<?xml")?;
    let (declaration, _) = declaration.split_once("?>")?;
    let (_, value) = declaration.split_once("encoding")?;
    let value = value.trim_ascii_start().strip_prefix('=')?.trim_ascii();
    let quote = value.chars().next().filter(|it| matches!(it, '"' | '\''))?;
    let (name, _) = value[1..].split_once(quote)?;
    let encoding = Encoding::for_label_no_replacement(name.as_bytes())?;
    (![UTF_8, UTF_16BE, UTF_16LE].contains(&encoding)).then_some(encoding)
}

/// A file of the old Macintosh ends its lines by `\r` alone, which no counter of lines expects.
fn unify_line_ends(text: Cow<'_, str>) -> Cow<'_, str> {
    if memchr::memchr(b'\n', text.as_bytes()).is_none()
        && memchr::memchr(b'\r', text.as_bytes()).is_some()
    {
        Cow::Owned(text.replace('\r', "\n"))
    } else {
        text
    }
}
