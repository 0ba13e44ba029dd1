//! What looks like a card number or a US social security number in a text.

use std::ops::Range;

use aap::vehicle::is_vin;

/// Digits that a card number has (ISO/IEC 7812).
const CARD: std::ops::RangeInclusive<usize> = 13..=19;
/// How far from nine bare digits a word may stand that makes them a social security number, in
/// characters.
const NEAR: usize = 40;
/// Most characters between two groups of one number, as in `4111 - 1111`.
const WIDEST_GAP: usize = 3;

/// The text with the digits of such numbers replaced by asterisks; `None` when it has none.
pub(super) fn masked(text: &str) -> Option<String> {
    let text: Vec<char> = text.chars().collect();
    let groups = groups(&text);
    let mut hidden: Vec<Range<usize>> = Vec::new();
    let mut first = 0;
    while first < groups.len() {
        let numbers = (first..groups.len())
            .map(|last| Number {
                text: &text,
                groups: &groups,
                first,
                last,
            })
            .take_while(Number::is_in_one_piece);
        let found = numbers
            .filter(|it| it.is_card() || it.is_social_security())
            .last();
        match found {
            Some(number) => {
                hidden.extend(number.own().iter().cloned());
                first = number.last + 1;
            }
            None => first += 1,
        }
    }
    if hidden.is_empty() {
        return None;
    }
    let mut text = text;
    for group in hidden {
        text[group].fill('*');
    }
    Some(text.into_iter().collect())
}

/// The runs of digits.
fn groups(text: &[char]) -> Vec<Range<usize>> {
    let mut groups: Vec<Range<usize>> = Vec::new();
    for (at, _) in text
        .iter()
        .enumerate()
        .filter(|(_, it)| digit(**it).is_some())
    {
        match groups.last_mut() {
            Some(last) if last.end == at => last.end += 1,
            _ => groups.push(at..at + 1),
        }
    }
    groups
}

/// The value of a digit, also of one as keyboards for Arabic, Hindi or Japanese write it.
fn digit(character: char) -> Option<u32> {
    const ZEROS: [char; 4] = ['\u{660}', '\u{6f0}', '\u{966}', '\u{ff10}'];
    let from = |zero: &char| {
        let value = u32::from(character).checked_sub(u32::from(*zero));
        value.filter(|value| *value < 10)
    };
    let value = character.to_digit(10);
    value.or_else(|| ZEROS.iter().find_map(from))
}

/// Groups of digits, the first to the last, that may be one number.
#[derive(Clone, Copy)]
struct Number<'a> {
    text: &'a [char],
    /// Every group of the text.
    groups: &'a [Range<usize>],
    first: usize,
    last: usize,
}

impl<'a> Number<'a> {
    fn own(&self) -> &'a [Range<usize>] {
        &self.groups[self.first..=self.last]
    }

    fn digits(&self) -> impl Iterator<Item = u32> {
        let text = self.text;
        self.own()
            .iter()
            .flat_map(move |group| &text[group.clone()])
            .filter_map(|it| digit(*it))
    }

    fn sizes(&self) -> Vec<usize> {
        self.own().iter().map(Range::len).collect()
    }

    /// What stands before a group, back to the group before it.
    fn gap_before(&self, group: usize) -> &'a [char] {
        let begin = group.checked_sub(1).map_or(0, |it| self.groups[it].end);
        &self.text[begin..self.groups[group].start]
    }

    /// Not longer than any number, and nothing in between but what joins groups.
    fn is_in_one_piece(&self) -> bool {
        let joined = |group| is_joint(self.gap_before(group));
        self.sizes().iter().sum::<usize>() <= *CARD.end()
            && (self.first + 1..=self.last).all(joined)
    }

    fn is_card(&self) -> bool {
        let digits: Vec<u32> = self.digits().collect();
        CARD.contains(&digits.len())
            && is_card_grouping(&self.sizes())
            && is_issued(&digits)
            && passes_luhn(&digits)
            && !self.is_telephone()
            && !self.is_in_vin()
    }

    /// A plus sign before at most 15 digits begins a telephone number (ITU-T E.164).
    fn is_telephone(&self) -> bool {
        let mut digits = 0;
        let mut group = self.last;
        loop {
            digits += self.groups[group].len();
            let gap = self.gap_before(group);
            if group <= self.first && gap.ends_with(&['+']) {
                return digits <= 15;
            }
            if group == 0 || !is_joint(gap) {
                return false;
            }
            group -= 1;
        }
    }

    /// Part of a vehicle's number, which begins with the letters of its maker.
    fn is_in_vin(&self) -> bool {
        let word: String = self.word().iter().collect();
        let letters = word.chars().filter(char::is_ascii_alphabetic);
        is_vin(&word) && letters.count() > 1
    }

    /// The letters and digits around the number without a gap.
    fn word(&self) -> &'a [char] {
        let own = self.own();
        let (Some(first), Some(last)) = (own.first(), own.last()) else {
            return &[];
        };
        let before = self.text[..first.start].iter().rev();
        let before = before.take_while(|it| it.is_ascii_alphanumeric()).count();
        let after = self.text[last.end..].iter();
        let after = after.take_while(|it| it.is_ascii_alphanumeric()).count();
        &self.text[first.start - before..last.end + after]
    }

    fn is_social_security(&self) -> bool {
        let digits: Vec<u32> = self.digits().collect();
        let grouped = self.sizes() == [3, 2, 4]
            && self.gap_before(self.first + 1) == self.gap_before(self.last)
            && !self.goes_on();
        let is_apart = self.word().len() == self.length();
        let bare = matches!(self.sizes()[..], [9] | [3, 6]) && is_apart;
        let looks_so = (grouped && is_apart) || self.is_called_social_security();
        (grouped || bare) && looks_so && is_assigned(&digits)
    }

    /// Characters from the first digit to the last.
    fn length(&self) -> usize {
        self.groups[self.last].end - self.groups[self.first].start
    }

    /// Further groups follow or come before, joined as its own are.
    fn goes_on(&self) -> bool {
        let joint = self.gap_before(self.last);
        let before = self.first > 0 && self.gap_before(self.first) == joint;
        let after = self.last + 1 < self.groups.len() && self.gap_before(self.last + 1) == joint;
        before || after
    }

    /// A word nearby says what nine digits are.
    fn is_called_social_security(&self) -> bool {
        let (begin, end) = (self.groups[self.first].start, self.groups[self.last].end);
        let near = begin.saturating_sub(NEAR)..(end + NEAR).min(self.text.len());
        let near: String = self.text[near].iter().collect::<String>().to_lowercase();
        let words: Vec<&str> = near.split(|it: char| !it.is_alphabetic()).collect();
        let whole = ["ssn", "ssns", "social", "soc"];
        words.iter().any(|word| whole.contains(word)) || near.contains("s.s.n")
    }
}

/// What may stand between two groups of one number: blanks and line ends, dashes, dots, and what
/// nobody sees.
fn is_joint(gap: &[char]) -> bool {
    let joins = |it: &char| {
        it.is_whitespace()
            || matches!(
                it,
                '-' | '.'
                    | '_'
                    | '\u{ad}'
                    | '\u{200b}'..='\u{200f}'
                    | '\u{2010}'..='\u{2015}'
                    | '\u{2060}'
                    | '\u{2212}'
                    | '\u{feff}'
            )
    };
    (1..=WIDEST_GAP).contains(&gap.len()) && gap.iter().all(joins)
}

/// The ways in which cards print their numbers and people write them. Telephone numbers, dates and
/// prices are grouped otherwise.
fn is_card_grouping(sizes: &[usize]) -> bool {
    match sizes {
        [_] | [4, 6, 4 | 5] => true,
        [fours @ .., last] => {
            let all = |size| fours.iter().all(|it| *it == size);
            (all(4) && (1..=4).contains(last)) || (all(1) && *last == 1)
        }
        [] => false,
    }
}

/// Begins as an issuer's numbers do, and is as long as they are.
fn is_issued(digits: &[u32]) -> bool {
    let start = |count| digits.iter().take(count).fold(0, |sum, it| sum * 10 + it);
    let visa = start(1) == 4 && matches!(digits.len(), 13 | 16 | 19);
    let mastercard = matches!(start(2), 51..=55) || matches!(start(4), 2221..=2720);
    let american_express = matches!(start(2), 34 | 37) && digits.len() == 15;
    let diners = matches!(start(3), 300..=305 | 309) || matches!(start(2), 36 | 38 | 39);
    let discover = start(4) == 6011 || matches!(start(3), 644..=659);
    let jcb = matches!(start(4), 3528..=3589);
    let maestro = matches!(
        start(4),
        5018 | 5020 | 5038 | 5893 | 6304 | 6759 | 6761..=6763
    );
    let long = digits.len() >= 16;
    visa || (mastercard && digits.len() == 16)
        || american_express
        || (diners && digits.len() >= 14)
        || (discover && long)
        || (start(2) == 62 && long)
        || (jcb && long)
        || maestro
}

/// The check digit of ISO/IEC 7812-1, annex B.
fn passes_luhn(digits: &[u32]) -> bool {
    let weighed = digits.iter().rev().enumerate().map(|(at, digit)| {
        let doubled = digit * (1 + at as u32 % 2);
        doubled / 10 + doubled % 10
    });
    weighed.sum::<u32>().is_multiple_of(10)
}

/// Area, group and serial number as the Social Security Administration assigns them.
fn is_assigned(digits: &[u32]) -> bool {
    let number = |range: Range<usize>| digits[range].iter().fold(0, |sum, it| sum * 10 + it);
    digits.len() == 9
        && !matches!(number(0..3), 0 | 666 | 900..)
        && number(3..5) != 0
        && number(5..9) != 0
}
