//! Values that must not reach a log.

use serde::Serialize;

/// Something about a person. It can be read and serialised on purpose, and prints nothing with
/// `{:?}`, so that it does not end up in a log by accident.
#[derive(Clone, PartialEq, Eq, Default, Serialize)]
#[serde(transparent)]
pub struct Personal<T>(pub T);

impl<T> std::fmt::Debug for Personal<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("(personal)")
    }
}
