//! The checks that rules are made of. Each looks at one value and notes at most what is wrong with
//! it; the place is kept as a stack of steps and written out only for a problem.

use std::fmt::{Arguments, Write};

use serde_json::{Map, Number, Value};

use super::{MAX_PROBLEMS, Problem, Rejection};
use crate::{error::ErrorCode, formats, number, vehicle::is_vin};

/// A check of one value.
pub(super) type Check = for<'p> fn(&mut Findings<'p>, &'p Value);

/// The members that an object knows, each with its check.
pub(super) type Members = &'static [(&'static str, Check)];

/// Members that must be there, each with what to send.
pub(super) type Required = &'static [(&'static str, &'static str)];

/// What a problem means for the error code, gravest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) enum Cause {
    ConsentMissing,
    ConsentInvalid,
    ChannelNotAllowed,
    OtherVocabulary,
    #[default]
    Schema,
}

/// The problems found so far, and where the walk stands.
#[derive(Default)]
pub(super) struct Findings<'p> {
    path: Vec<Step<'p>>,
    problems: Vec<Problem>,
    total: usize,
    /// What a problem noted here and now is blamed on.
    blame: Cause,
    gravest: Cause,
    /// Values that cannot be read and that no rule has met yet; null stands in their places.
    unreadable: Vec<Problem>,
}

enum Step<'p> {
    Member(&'p str),
    Item(usize),
}

/// Walking.
impl<'p> Findings<'p> {
    pub(super) fn new(unreadable: Vec<Problem>) -> Self {
        Self {
            unreadable,
            ..Self::default()
        }
    }

    /// An object that knows these members and no others.
    pub(super) fn closed(&mut self, value: &'p Value, known: Members, required: Required) {
        let Some(members) = self.object(value) else {
            return;
        };
        for (name, value) in members {
            let check = known.iter().find(|(known, _)| *known == name);
            self.at_member(name, |findings| match check {
                Some((_, check)) => check(findings, value),
                None => findings.unknown(known),
            });
        }
        self.require(members, required);
    }

    /// An object that may have members beside these.
    pub(super) fn open(&mut self, value: &'p Value, known: Members) {
        let Some(members) = self.object(value) else {
            return;
        };
        for (name, value) in members {
            if let Some((_, check)) = known.iter().find(|(known, _)| *known == name) {
                self.at_member(name, |findings| check(findings, value));
            }
        }
    }

    /// An object whose members have free names and are all checked alike.
    pub(super) fn map(&mut self, value: &'p Value, check: Check) {
        let Some(members) = self.object(value) else {
            return;
        };
        for (name, value) in members {
            self.at_member(name, |findings| check(findings, value));
        }
    }

    /// An array whose items are all checked alike.
    pub(super) fn list(&mut self, value: &'p Value, check: Check) -> Option<&'p [Value]> {
        let Value::Array(items) = value else {
            self.wrong_type("an array", value);
            return None;
        };
        for (index, item) in items.iter().enumerate() {
            self.path.push(Step::Item(index));
            check(self, item);
            self.path.pop();
        }
        Some(items)
    }

    /// Runs a check one step further down.
    pub(super) fn at_member(&mut self, name: &'p str, check: impl FnOnce(&mut Self)) {
        self.path.push(Step::Member(name));
        check(self);
        self.path.pop();
    }

    /// Runs a check whose problems are blamed on `cause`.
    pub(super) fn blaming(&mut self, cause: Cause, check: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.blame, cause);
        check(self);
        self.blame = before;
    }

    /// Notes each required member that is not there.
    pub(super) fn require(&mut self, members: &Map<String, Value>, required: Required) {
        for (name, what) in required {
            if !members.contains_key(*name) {
                self.at_member(name, |findings| {
                    findings.note("required", format_args!("required: {what}"));
                });
            }
        }
    }

    fn object(&mut self, value: &'p Value) -> Option<&'p Map<String, Value>> {
        let members = value.as_object();
        if members.is_none() {
            self.wrong_type("an object", value);
        }
        members
    }

    fn unknown(&mut self, known: Members) {
        let names: Vec<_> = known.iter().map(|(name, _)| *name).collect();
        let names = names.join(", ");
        self.note(
            "additionalProperties",
            format_args!("unknown here, leave it out; known are {names}"),
        );
    }
}

/// Single values. What is found is repeated only where it cannot be a person's: numbers, and texts
/// that look like a word of a closed list or like a time.
impl Findings<'_> {
    pub(super) fn text(&mut self, value: &Value) {
        self.string(value);
    }

    pub(super) fn nullable_text(&mut self, value: &Value) {
        if !value.is_null() && !value.is_string() {
            self.wrong_type("a string or null", value);
        }
    }

    /// A string of `min` to `max` Unicode characters.
    pub(super) fn text_between(&mut self, value: &Value, min: usize, max: usize) {
        let Some(text) = self.string(value) else {
            return;
        };
        let length = text.chars().count();
        if length < min {
            self.note(
                "minLength",
                format_args!("too short: send {min} or more characters, not {length}"),
            );
        }
        if length > max {
            self.note(
                "maxLength",
                format_args!("too long: send at most {max} characters, not {length}"),
            );
        }
    }

    pub(super) fn boolean(&mut self, value: &Value) {
        if !value.is_boolean() {
            self.wrong_type("true or false", value);
        }
    }

    /// An integer in the sense of JSON Schema, so `25.0` too.
    pub(super) fn integer(&mut self, value: &Value, min: u32, max: Option<u32>) {
        match value {
            Value::Number(number) if number::is_integer(number) => {
                self.bounds(number, min, max);
            }
            Value::Number(number) => {
                self.note("type", format_args!("send a whole number, not {number}"));
            }
            Value::String(_) => self.note(
                "type",
                format_args!("send a whole number without quotes, not a string"),
            ),
            _ => self.wrong_type("a whole number", value),
        }
    }

    /// A number of 0 or more.
    pub(super) fn number(&mut self, value: &Value) {
        match value {
            Value::Number(number) => self.bounds(number, 0, None),
            Value::String(_) => self.note(
                "type",
                format_args!("send a number without quotes, not a string"),
            ),
            _ => self.wrong_type("a number", value),
        }
    }

    /// One of a closed list of words.
    pub(super) fn one_of(&mut self, value: &Value, words: &[&str]) {
        let Some(text) = self.string(value) else {
            return;
        };
        if !words.contains(&text) {
            let found = found(text, is_word(text));
            self.note(
                "enum",
                format_args!("send one of {}{found}", words.join(", ")),
            );
        }
    }

    pub(super) fn vin(&mut self, value: &Value) {
        let Some(text) = self.string(value) else {
            return;
        };
        if is_vin(text) {
            return;
        }
        let length = text.chars().count();
        let why = if length != 17 {
            format!("this has {length}")
        } else if is_vin(&text.to_ascii_uppercase()) {
            "send it in upper case".to_owned()
        } else {
            "this has another character".to_owned()
        };
        self.note(
            "pattern",
            format_args!("a VIN has 17 characters of A-Z and 0-9 without I, O and Q; {why}"),
        );
    }

    pub(super) fn e164(&mut self, value: &Value) {
        if self
            .string(value)
            .is_some_and(|text| !formats::is_e164(text))
        {
            self.note(
                "pattern",
                format_args!(
                    "send the number in E.164 form: + and 2 to 15 digits, such as +13125550100"
                ),
            );
        }
    }

    pub(super) fn email(&mut self, value: &Value) {
        if self
            .string(value)
            .is_some_and(|text| !formats::is_email(text))
        {
            self.note(
                "format",
                format_args!("send a mail address alone, such as name@mail.example"),
            );
        }
    }

    pub(super) fn uri(&mut self, value: &Value) {
        if self
            .string(value)
            .is_some_and(|text| !formats::is_uri(text))
        {
            self.note(
                "format",
                format_args!("send an absolute URI (RFC 3986), such as https://agent.example/"),
            );
        }
    }

    pub(super) fn date_time(&mut self, value: &Value) {
        let Some(text) = self.string(value) else {
            return;
        };
        if !formats::is_date_time(text) {
            let found = found(text, begins_like_date(text));
            self.note(
                "format",
                format_args!(
                    "send a date and time with offset (RFC 3339), such as 2026-05-01T14:30:00-05:00{found}"
                ),
            );
        }
    }

    pub(super) fn date(&mut self, value: &Value) {
        let Some(text) = self.string(value) else {
            return;
        };
        if !formats::is_date(text) {
            let found = found(text, begins_like_date(text));
            self.note(
                "format",
                format_args!("send a date (RFC 3339), such as 2026-05-01{found}"),
            );
        }
    }

    fn string<'v>(&mut self, value: &'v Value) -> Option<&'v str> {
        let text = value.as_str();
        if text.is_none() {
            self.wrong_type("a string", value);
        }
        text
    }

    fn bounds(&mut self, number: &Number, min: u32, max: Option<u32>) {
        let Some(value) = number.as_f64() else {
            return;
        };
        if value < f64::from(min) {
            self.note("minimum", format_args!("send {min} or more, not {number}"));
        }
        if let Some(max) = max.filter(|max| value > f64::from(*max)) {
            self.note("maximum", format_args!("send {max} or less, not {number}"));
        }
    }

    fn wrong_type(&mut self, expected: &str, value: &Value) {
        self.note("type", format_args!("send {expected}, not {}", kind(value)));
    }
}

/// The outcome.
impl Findings<'_> {
    /// Notes a problem at the place where the walk stands.
    pub(super) fn note(&mut self, keyword: &'static str, error: Arguments<'_>) {
        let unreadable = self.take_unreadable();
        self.count(|place| {
            unreadable.unwrap_or_else(|| Problem {
                instance_location: pointer(place),
                keyword,
                error: error.to_string(),
            })
        });
    }

    /// The problem of the value where the walk stands, when that cannot be read.
    fn take_unreadable(&mut self) -> Option<Problem> {
        if self.unreadable.is_empty() {
            return None;
        }
        let place = pointer(&self.path);
        let found = self
            .unreadable
            .iter()
            .position(|it| it.instance_location == place && it.keyword == "type")?;
        Some(self.unreadable.swap_remove(found))
    }

    fn count(&mut self, problem: impl FnOnce(&[Step<'_>]) -> Problem) {
        self.total += 1;
        self.gravest = if self.total == 1 {
            self.blame
        } else {
            self.gravest.min(self.blame)
        };
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(problem(&self.path));
        }
    }

    pub(super) fn into_result(mut self) -> Result<(), Rejection> {
        for problem in std::mem::take(&mut self.unreadable) {
            self.count(|_| problem);
        }
        let Some(first) = self.problems.first() else {
            return Ok(());
        };
        let code = match self.gravest {
            Cause::ConsentMissing | Cause::ChannelNotAllowed => ErrorCode::ContactConsentRequired,
            Cause::ConsentInvalid => ErrorCode::InvalidConsent,
            Cause::OtherVocabulary => ErrorCode::InvalidCondition,
            Cause::Schema if self.total == 1 && first.keyword == "required" => {
                ErrorCode::MissingRequiredField
            }
            Cause::Schema => ErrorCode::SchemaValidationFailed,
        };
        let reason = match self.gravest {
            Cause::ConsentMissing => "a lead needs the person's consent",
            Cause::ConsentInvalid => "the consent is not valid",
            Cause::ChannelNotAllowed => "the consent does not allow the channel asked for",
            Cause::OtherVocabulary => "the condition is of the other vocabulary",
            Cause::Schema => "the request breaks its schema",
        };
        let total = self.total;
        let count = match total {
            1 => "1 problem".to_owned(),
            _ if total > MAX_PROBLEMS => {
                format!("{total} problems, of which the first {MAX_PROBLEMS} are listed")
            }
            _ => format!("{total} problems"),
        };
        Err(Rejection {
            code,
            message: format!("{reason}: {count}"),
            problems: self.problems,
            total,
        })
    }
}

/// What a value is, in words.
pub(super) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// The end of a message that says what was found. A text that does not look like something of its
/// kind is not repeated: it may be a person's, put into the wrong member.
fn found(text: &str, harmless: bool) -> String {
    if harmless {
        format!(", not {}", shortened(text))
    } else {
        format!(", not this text of {} characters", text.chars().count())
    }
}

/// Looks like a word of a closed list.
fn is_word(text: &str) -> bool {
    text.bytes()
        .all(|byte| byte.is_ascii_lowercase() || matches!(byte, b'_' | b'-'))
}

/// Begins with a year and a hyphen.
fn begins_like_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.get(4) == Some(&b'-') && bytes.iter().take(4).all(u8::is_ascii_digit)
}

/// A text in quotes, cut to a length that fits into a message.
pub(super) fn shortened(text: &str) -> String {
    const LONGEST: usize = 40;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{:?}", format!("{}…", &text[..end])),
        None => format!("{text:?}"),
    }
}

/// A JSON Pointer (RFC 6901 §4).
fn pointer(path: &[Step<'_>]) -> String {
    let mut pointer = String::new();
    for step in path {
        pointer.push('/');
        match step {
            Step::Member(name) => {
                for character in name.chars() {
                    match character {
                        '~' => pointer.push_str("~0"),
                        '/' => pointer.push_str("~1"),
                        other => pointer.push(other),
                    }
                }
            }
            // Writing to a string does not fail.
            Step::Item(index) => drop(write!(pointer, "{index}")),
        }
    }
    pointer
}
