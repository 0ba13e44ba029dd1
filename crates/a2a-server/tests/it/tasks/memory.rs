//! The store in memory, held to the contract of stores.

use a2a_server::task::MemoryStore;

use super::contract::{self, hold_to_contract};

hold_to_contract!(MemoryStore::new());
