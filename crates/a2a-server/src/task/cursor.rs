//! Page tokens: a place in a list, opaque to clients and checked when it comes back.

use a2a::{
    error::Error,
    fault::{Fault, Segment},
    model::Timestamp,
};
use data_encoding::BASE64URL_NOPAD;
use sha2::{Digest, Sha256};

use super::Position;

/// Bytes of the checksum.
const CHECK: usize = 6;
/// Bytes of the time: whole nanoseconds since 1970.
const TIME: usize = 16;

/// The token of a place.
pub(super) fn write(position: &Position) -> String {
    let nanoseconds = position.at.get().as_nanosecond();
    let mut bytes = nanoseconds.to_be_bytes().to_vec();
    bytes.extend_from_slice(position.id.as_bytes());
    let check = check(&bytes);
    bytes.extend_from_slice(&check);
    BASE64URL_NOPAD.encode(&bytes)
}

/// The place of a token; invalid params for what is none.
pub(super) fn read(token: &str) -> Result<Position, Error> {
    parse(token).ok_or_else(|| {
        let place = vec![Segment::Member("pageToken".to_owned())];
        let words = "is not a token of this server; leave it out to begin with the first page";
        Error::invalid_params(&[Fault::new(place, words)])
    })
}

fn parse(token: &str) -> Option<Position> {
    let bytes = BASE64URL_NOPAD.decode(token.as_bytes()).ok()?;
    let (content, found) = bytes.split_at_checked(bytes.len().checked_sub(CHECK)?)?;
    if check(content) != found {
        return None;
    }
    let (time, id) = content.split_first_chunk::<TIME>()?;
    let at = jiff::Timestamp::from_nanosecond(i128::from_be_bytes(*time)).ok()?;
    Some(Position {
        at: Timestamp::try_from(at).ok()?,
        id: std::str::from_utf8(id).ok()?.to_owned(),
    })
}

fn check(content: &[u8]) -> [u8; CHECK] {
    let digest = Sha256::new_with_prefix("page").chain_update(content);
    let digest: [u8; 32] = digest.finalize().into();
    let mut check = [0; CHECK];
    check.copy_from_slice(&digest[..CHECK]);
    check
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_leads_back_to_its_place_and_a_changed_one_nowhere() {
        let position = Position {
            at: "2026-05-01T12:00:00.123456789Z".parse().unwrap(),
            id: "t-1".to_owned(),
        };
        let token = write(&position);
        assert_eq!(read(&token).unwrap(), position);
        for wrong in ["", "abc", "-1", "999999", &token[1..], &format!("{token}A")] {
            let error = read(wrong).unwrap_err();
            assert_eq!(error.kind.json_rpc_code(), -32602, "{wrong}");
        }
    }
}
