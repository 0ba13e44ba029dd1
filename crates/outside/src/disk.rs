//! Room on a disk.

use std::{io, path::Path};

use crate::alarm::DiskWatch;

/// Whether a disk needs a person: `Some(Some(_))` says why, `Some(None)` that it does not, `None`
/// that it stays as it was. Between the two lies a margin, so that a disk at the limit does not
/// raise its alarm again and again.
pub(crate) async fn verdict(watch: &DiskWatch) -> Option<Option<String>> {
    let folder = watch.folder.clone();
    let asked = tokio::task::spawn_blocking(move || free(&folder)).await;
    judge(
        asked.unwrap_or_else(|error| Err(io::Error::other(error))),
        watch,
    )
}

fn judge(free: io::Result<u64>, watch: &DiskWatch) -> Option<Option<String>> {
    let folder = watch.folder.display();
    match free {
        Err(error) => Some(Some(format!(
            "the free space of {folder} is not known: {error}"
        ))),
        Ok(free) if free < watch.least => Some(Some(format!(
            "{folder} has less than {} free; make room, or stock and leads can no longer be written",
            bytes(watch.least)
        ))),
        Ok(free) if free >= watch.least + watch.least / 10 => Some(None),
        Ok(_) => None,
    }
}

/// Free bytes of the disk that holds a folder.
///
/// # Errors
/// When the system does not tell.
pub fn free(folder: &Path) -> io::Result<u64> {
    fs4::available_space(folder)
}

/// A number of bytes as a person reads it.
#[must_use]
pub fn bytes(count: u64) -> String {
    match count {
        0..1_000_000 => format!("{} kB", count / 1000),
        1_000_000..10_000_000_000 => format!("{} MB", count / 1_000_000),
        _ => format!("{} GB", count / 1_000_000_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_at_its_limit_does_not_flap() {
        let watch = DiskWatch {
            folder: "/srv/data".into(),
            subject: "/srv/data".to_owned(),
            least: 1_000_000_000,
        };
        let judged = |free| judge(Ok(free), &watch);
        let full = judged(999_999_999).unwrap().unwrap();
        assert!(full.contains("/srv/data has less than 1000 MB"), "{full}");
        assert_eq!(judged(1_050_000_000), None);
        assert_eq!(judged(1_100_000_000), Some(None));
        let unknown = judge(Err(io::Error::other("gone")), &watch);
        assert!(unknown.unwrap().unwrap().contains("gone"));
    }
}
