//! Leads in a folder.

use std::fs;

use dealers::Destination;
use tempfile::TempDir;

use super::*;
use crate::delivery::{
    Courier, Reach,
    courier::tests::{courier, local_mail, parcel},
};

fn dropping(base: &Path, folder: &str) -> Courier {
    let destination = Destination {
        folder: Some(folder.into()),
        ..Destination::default()
    };
    courier(local_mail(), destination, base)
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let names = entries.map(|it| it.unwrap().file_name().into_string().unwrap());
    names.collect()
}

/// An identifier that was made on 1 May 2026, at noon in UTC.
const MADE: &str = "019de368-f600-7000-8000-000000000001";

#[tokio::test]
async fn a_lead_becomes_one_file_that_a_repeat_writes_over() {
    let base = TempDir::new().unwrap();
    let folder = base.path().join("leads");
    fs::create_dir(&folder).unwrap();
    let courier = dropping(base.path(), "leads");
    let mut parcel = parcel();
    parcel.delivery_id = MADE.parse().unwrap();
    let receipt = courier.send(&parcel).await.unwrap();
    let name = format!("20260501T120000Z-{MADE}.xml");
    assert_eq!(receipt.detail, format!("written as {name}"));
    assert_eq!(names(&folder), [name.as_str()]);
    assert_eq!(fs::read_to_string(folder.join(&name)).unwrap(), parcel.adf);
    parcel.attempt = 2;
    parcel.sent_at = "2026-05-01T13:00:00Z".parse().unwrap();
    courier.send(&parcel).await.unwrap();
    assert_eq!(names(&folder), [name]);
}

#[cfg(unix)]
#[tokio::test]
async fn the_file_can_be_read_by_those_whom_the_umask_lets() {
    use std::os::unix::fs::PermissionsExt;
    let base = TempDir::new().unwrap();
    fs::write(base.path().join("plain"), "").unwrap();
    let usual = |name: &str| {
        fs::metadata(base.path().join(name))
            .unwrap()
            .permissions()
            .mode()
    };
    dropping(base.path(), ".").send(&parcel()).await.unwrap();
    let name = names(base.path())
        .into_iter()
        .find(|it| it.ends_with(".xml"));
    assert_eq!(usual(&name.unwrap()), usual("plain"));
}

#[tokio::test]
async fn a_folder_that_is_not_there_is_for_now() {
    let base = TempDir::new().unwrap();
    let courier = dropping(base.path(), "gone");
    let fault = courier.send(&parcel()).await.unwrap_err();
    assert!(
        matches!(&fault, Fault::Temporary { reach: Reach::Destination, detail, .. } if detail.contains("not there")),
        "{fault:?}"
    );
    fs::create_dir(base.path().join("gone")).unwrap();
    courier.send(&parcel()).await.unwrap();
}

/// A file system of a few pages, unmounted with the test.
#[cfg(target_os = "linux")]
struct SmallDisk(TempDir);

#[cfg(target_os = "linux")]
impl SmallDisk {
    fn mount() -> Option<Self> {
        let folder = TempDir::new().unwrap();
        let run = std::process::Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=16k", "none"])
            .arg(folder.path())
            .output();
        run.is_ok_and(|it| it.status.success())
            .then_some(Self(folder))
    }
}

#[cfg(target_os = "linux")]
impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = std::process::Command::new("umount")
            .arg(self.0.path())
            .status();
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_full_disk_is_for_now_and_leaves_nothing_half_written() {
    let Some(disk) = SmallDisk::mount() else {
        println!("SKIPPED: no file system can be mounted here");
        return;
    };
    let folder = disk.0.path();
    let filler = folder.join("filler");
    fs::write(&filler, vec![0; 16 * 1024]).unwrap();
    let courier = dropping(folder, ".");
    let fault = courier.send(&parcel()).await.unwrap_err();
    assert!(
        matches!(&fault, Fault::Temporary { reach: Reach::Destination, detail, .. } if detail.contains("no room")),
        "{fault:?}"
    );
    assert_eq!(names(folder), ["filler"]);
    fs::remove_file(filler).unwrap();
    courier.send(&parcel()).await.unwrap();
    assert_eq!(names(folder).len(), 1);
}
