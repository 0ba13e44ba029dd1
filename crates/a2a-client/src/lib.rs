//! a2a-client
