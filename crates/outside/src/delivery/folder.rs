//! Leads as files in a folder that another program empties.

use std::{
    fs::File,
    io::{self, Write},
    path::{Path, PathBuf},
};

use jiff::Timestamp;
use leads::{DeliveryId, Purpose};
use uuid::Uuid;

use super::courier::{Fault, Parcel, Receipt};

/// Puts one file for each lead into a folder.
#[derive(Debug)]
pub(super) struct FolderCourier {
    pub(super) folder: PathBuf,
}

impl FolderCourier {
    pub(super) async fn send(&self, parcel: &Parcel) -> Result<Receipt, Fault> {
        if parcel.purpose == Purpose::Copy {
            return Err(Fault::permanent("only mail has copies for people"));
        }
        let (folder, name) = (self.folder.clone(), name(&parcel.delivery_id));
        let (text, named) = (parcel.adf.clone(), name.clone());
        let writing = tokio::task::spawn_blocking(move || put(&folder, &named, text.as_bytes()));
        let written = writing
            .await
            .unwrap_or_else(|error| Err(io::Error::other(error)));
        match written {
            Ok(()) => Ok(Receipt {
                detail: format!("written as {name}"),
            }),
            Err(error) => Err(fault(&error, &self.folder)),
        }
    }
}

/// The file of a delivery, the same at every attempt: the moment from which the identifier is
/// (RFC 9562 §5.7), so that files sort by time, then the identifier.
fn name(id: &DeliveryId) -> String {
    let made = id.as_str().parse::<Uuid>().ok();
    let made = made.and_then(|it| it.get_timestamp()).and_then(|it| {
        let second = i64::try_from(it.to_unix().0).ok()?;
        Timestamp::from_second(second).ok()
    });
    let made = made.unwrap_or(Timestamp::UNIX_EPOCH);
    format!("{}-{id}.xml", made.strftime("%Y%m%dT%H%M%SZ"))
}

/// Writes a file so that a reader finds it whole or not at all, and that it is on disk when this
/// returns. Until then it has another name, which begins with a dot and does not end in `.xml`.
fn put(folder: &Path, name: &str, content: &[u8]) -> io::Result<()> {
    let prefix = format!(".{name}.");
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).suffix(".part");
    // Who may read it is the folder's and the umask's business: another user empties the folder.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(content)?;
    file.as_file().sync_all()?;
    file.persist(folder.join(name))?;
    sync_folder(folder)
}

#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Whatever keeps a file from being written keeps all of them, until somebody puts it right.
fn fault(error: &io::Error, folder: &Path) -> Fault {
    let shown = folder.display();
    Fault::of_destination(match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            format!("there is no room in {shown}: {error}")
        }
        io::ErrorKind::NotFound => format!("the folder {shown} is not there"),
        _ => format!("no file can be written to {shown}: {error}"),
    })
}

#[cfg(test)]
mod tests;
