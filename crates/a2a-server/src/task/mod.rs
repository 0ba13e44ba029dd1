//! Tasks: work that goes on when its client leaves, and that anybody entitled can follow, read and end.
//!
//! Everything that happens to a task is an [`Entry`] of its log, numbered from 1. An entry is in the
//! [`TaskStore`] before anybody sees it; a reader of a stream is a place in the log and no more, so
//! that a slow one holds up nobody and loses nothing, and one that comes back goes on where it was.
//!
//! Follow a message through `Tasks::begin`, the work that it begins through `run`, and a reader through
//! `stream`.

mod cursor;
mod memory;
mod owner;
pub mod push;
mod run;
mod sink;
mod store;
mod stream;
mod tasks;

pub use memory::MemoryStore;
pub use owner::{Owner, TaskKey};
pub use sink::{Ended, TaskSink};
pub use store::{
    Change, Entry, ListPage, ListQuery, Position, Remembered, StoreError, StoredTask, TaskStore,
};
pub use stream::{StreamEvent, Subscription};
pub(crate) use tasks::{Begun, shorten};
pub use tasks::{Settings, Tasks};
