//! The messages of 0.3, translated to and from the model of 1.0.

mod message;
mod request;
