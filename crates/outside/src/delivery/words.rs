//! What a receiver said, made fit for logs and alarms.

use std::{collections::HashSet, ops::Range};

use super::courier::Parcel;

/// Most characters that are kept of what a receiver said.
const MOST: usize = 300;
/// Digits in a row that may be a telephone number.
const TELEPHONE: usize = 7;
/// Characters of a word of the buyer's that is found within others too.
const TELLING: usize = 4;
/// Words in a row that are a quotation.
const ROW: usize = 3;

/// What of a parcel must stand in no log, because a receiver may quote it.
pub(super) struct Words {
    /// Each word of who the buyer is: name, addresses, numbers.
    buyer: HashSet<String>,
    /// Every few words in a row of the whole document, the buyer's message among them. Single
    /// words of a message are words of every refusal as well.
    rows: HashSet<[String; ROW]>,
}

impl Words {
    pub(super) fn of(parcel: &Parcel) -> Self {
        let mut buyer = HashSet::new();
        let mut all = Vec::new();
        // What stands before the first `<customer` is not the buyer's.
        for (place, part) in parcel.adf.split("<customer").enumerate() {
            let (inside, outside) = part.split_once("</customer>").unwrap_or((part, ""));
            let (identity, rest) = inside.split_once("<comments").unwrap_or((inside, ""));
            if place > 0 {
                buyer.extend(texts(identity));
            }
            all.extend([identity, rest, outside].into_iter().flat_map(texts));
        }
        let rows = all
            .windows(ROW)
            .filter_map(|row| row.to_vec().try_into().ok());
        Self {
            rows: rows.collect(),
            buyer: buyer
                .into_iter()
                .filter(|it| it.chars().count() > 1)
                .collect(),
        }
    }

    /// One line of what the receiver said, with dots for each of these words, also within others, as
    /// where a receiver repeats an encoded one, and for numbers that may be a telephone's, which a
    /// receiver may write in another form.
    pub(super) fn without(&self, said: &str) -> String {
        let line: String = said
            .chars()
            .map(|it| if it.is_control() { ' ' } else { it })
            .take(MOST)
            .collect();
        let pieces = pieces(&line);
        let words: Vec<String> = pieces.iter().filter_map(|it| it.word()).collect();
        let mut hidden: Vec<bool> = words.iter().map(|it| self.is_of_buyer(it)).collect();
        for (start, row) in words.windows(ROW).enumerate() {
            if <&[String; ROW]>::try_from(row).is_ok_and(|row| self.rows.contains(row)) {
                hidden[start..start + ROW].fill(true);
            }
        }
        for number in telephones(&pieces) {
            hidden[number].fill(true);
        }
        let mut hidden = hidden.into_iter();
        let kept = pieces.into_iter().map(|piece| match piece {
            Piece::Word(_) if hidden.next() == Some(true) => "…",
            Piece::Word(text) | Piece::Between(text) => text,
        });
        let kept: String = kept.collect();
        kept.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn is_of_buyer(&self, word: &str) -> bool {
        let is_number = word.chars().all(|it| it.is_ascii_digit());
        let mut telling = self.buyer.iter().filter(|it| it.chars().count() >= TELLING);
        self.buyer.contains(word)
            || (is_number && word.len() >= TELEPHONE)
            || telling.any(|it| word.contains(it.as_str()))
    }
}

/// Numbers of several groups that may be a telephone's, as places among the words. A group of four
/// digits tells them from addresses of the Internet, groups of two and more from status codes.
fn telephones(pieces: &[Piece<'_>]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let (mut words, mut first, mut digits, mut has_four) = (0, 0, 0, false);
    for piece in pieces {
        match piece {
            Piece::Word(word) => {
                let is_group = word.len() > 1 && word.bytes().all(|it| it.is_ascii_digit());
                if is_group {
                    digits += word.len();
                    has_four |= word.len() >= 4;
                }
                words += 1;
                if !is_group {
                    (first, digits, has_four) = (words, 0, false);
                } else if digits >= TELEPHONE && has_four {
                    found.push(first..words);
                }
            }
            Piece::Between(text) if text.len() > 2 => (first, digits, has_four) = (words, 0, false),
            Piece::Between(_) => {}
        }
    }
    found
}

/// The words of a piece of XML, without the names of its elements.
fn texts(xml: &str) -> impl Iterator<Item = String> {
    let texts = xml
        .split('<')
        .map(|it| it.split_once('>').map_or("", |(_, text)| text));
    texts.flat_map(|text| pieces(text).into_iter().filter_map(|it| it.word()))
}

/// A word, or what stands between two.
enum Piece<'a> {
    Word(&'a str),
    Between(&'a str),
}

impl Piece<'_> {
    /// The word in lower case.
    fn word(&self) -> Option<String> {
        match self {
            Self::Word(word) => Some(word.to_lowercase()),
            Self::Between(_) => None,
        }
    }
}

fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_word = first.is_alphanumeric();
        let end = rest.find(|it: char| it.is_alphanumeric() != is_word);
        let (piece, after) = rest.split_at(end.unwrap_or(rest.len()));
        pieces.push(if is_word {
            Piece::Word(piece)
        } else {
            Piece::Between(piece)
        });
        rest = after;
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::delivery::courier::tests::parcel;

    #[test]
    fn what_the_buyer_wrote_is_not_repeated() {
        let words = Words::of(&parcel());
        for (said, kept) in [
            (
                "550 5.1.1 <leads@crm.example> no such user",
                "550 5.1.1 <leads@crm.example> no such user",
            ),
            (
                "422 lead of ADA Muster (ada@muster.test, +1 2125550100) has no ZIP",
                "422 lead of … … (…@….…, +1 …) has no ZIP",
            ),
            (
                "the car is not in: is the red car at the lot still",
                "the car is not in: … … … … … the lot still",
            ),
            ("a\r\nb\tc", "a b c"),
            (
                "421 4.7.26 no%20muster, call 212.555.0100 or (212) 555-0100 from 192.168.10.25",
                "421 4.7.26 no%…, call ….….… or (…) …-… from 192.168.10.25",
            ),
        ] {
            assert_eq!(words.without(said), kept);
        }
        assert!(words.without(&"x ".repeat(1000)).chars().count() <= MOST);
    }
}
