//! Where files go after they were dealt with: `done` or `refused` beside them, each with its report.

use std::{
    ffi::OsString,
    fs, io,
    io::Write as _,
    path::{Path, PathBuf},
    time::SystemTime,
};

use jiff::Timestamp;

use super::folder::Found;

/// What the report of a file is called after.
const REPORT: &str = ".report.json";
/// Files of one name and one second; more than this is not a drop folder.
const SAME_NAMES: u32 = 100;

/// A folder for files that were dealt with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shelf {
    Done,
    Refused,
}

impl Shelf {
    pub(super) const ALL: [Self; 2] = [Self::Done, Self::Refused];

    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Refused => "refused",
        }
    }
}

/// Moves a file onto a shelf as [`put`] does, unless it is another one meanwhile: what was written
/// over it has not been read yet, and stays.
pub(super) fn put_unchanged(
    found: &Found,
    shelf: Shelf,
    report: &str,
    now: Timestamp,
) -> io::Result<Option<PathBuf>> {
    let there = match fs::symlink_metadata(&found.path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        there => there?,
    };
    if (there.len(), there.modified()?) != (found.size, found.modified) {
        return Ok(None);
    }
    put(&found.path, shelf, report, now)
}

/// Moves a file of a drop folder onto a shelf, its report beside it, and says where it lies.
/// Nothing is overwritten: a name that is taken gets the time behind it. `None` when the file has
/// gone meanwhile.
fn put(file: &Path, shelf: Shelf, report: &str, now: Timestamp) -> io::Result<Option<PathBuf>> {
    let folder = file.parent().unwrap_or(Path::new(".")).join(shelf.as_str());
    open_shelf(&folder)?;
    let (place, written) = reserve(&folder, file, now)?;
    let moved = write_report(&written, report).and_then(|()| relocate(file, &place));
    match moved {
        Ok(()) => Ok(Some(place)),
        Err(error) => {
            // What was reserved is empty and ours; if it stays, the next name is taken instead.
            let _ = fs::remove_file(&place);
            let _ = fs::remove_file(&written);
            match error.kind() {
                io::ErrorKind::NotFound if !file.exists() => Ok(None),
                _ => Err(error),
            }
        }
    }
}

/// A shelf is a folder and no link to one: whoever may write into the drop folder must not choose
/// where files go.
fn open_shelf(folder: &Path) -> io::Result<()> {
    match fs::symlink_metadata(folder) {
        Ok(found) if found.is_dir() => Ok(()),
        Ok(_) => Err(io::Error::other(format!(
            "{} is not a folder",
            folder.display()
        ))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => fs::create_dir(folder),
        Err(error) => Err(error),
    }
}

/// Makes an empty file under a free name, and another for its report.
fn reserve(folder: &Path, file: &Path, now: Timestamp) -> io::Result<(PathBuf, PathBuf)> {
    for attempt in 0..SAME_NAMES {
        let place = folder.join(name(file, attempt, now));
        let mut report = place.clone().into_os_string();
        report.push(REPORT);
        let report = PathBuf::from(report);
        match create(&place) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
            made => made?,
        }
        match create(&report) {
            Ok(()) => return Ok((place, report)),
            Err(error) => {
                fs::remove_file(&place)?;
                if error.kind() != io::ErrorKind::AlreadyExists {
                    return Err(error);
                }
            }
        }
    }
    Err(io::Error::other(format!(
        "{} holds too many files of this name",
        folder.display()
    )))
}

fn create(path: &Path) -> io::Result<()> {
    let options = fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(path);
    options.map(drop)
}

/// `export.csv`, then `export-20260501T120000.csv`, then `export-20260501T120000-2.csv`.
fn name(file: &Path, attempt: u32, now: Timestamp) -> OsString {
    let own = file.file_name().unwrap_or_default();
    if attempt == 0 {
        return own.to_owned();
    }
    let mut name = file.file_stem().unwrap_or(own).to_owned();
    name.push(now.strftime("-%Y%m%dT%H%M%S").to_string());
    if attempt > 1 {
        name.push(format!("-{attempt}"));
    }
    if let Some(extension) = file.extension() {
        name.push(".");
        name.push(extension);
    }
    name
}

fn write_report(path: &Path, report: &str) -> io::Result<()> {
    let mut file = fs::OpenOptions::new().write(true).open(path)?;
    file.write_all(report.as_bytes())
}

/// Moves a file over the empty one that holds its place, to another file system too.
fn relocate(file: &Path, place: &Path) -> io::Result<()> {
    match fs::rename(file, place) {
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => carry(file, place),
        renamed => renamed,
    }
}

/// Copies a file, and removes it once the copy is on disk.
fn carry(file: &Path, place: &Path) -> io::Result<()> {
    let mut from = open(file)?;
    let mut to = fs::OpenOptions::new().write(true).open(place)?;
    io::copy(&mut from, &mut to)?;
    to.sync_all()?;
    fs::remove_file(file)
}

/// Opens a plain file for reading; never what a link points to, a pipe or a device.
pub(super) fn open(path: &Path) -> io::Result<fs::File> {
    let mut options = fs::OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt as _;
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
        options.custom_flags(flags.bits().cast_signed());
    }
    let file = options.open(path)?;
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::other("it is not a plain file"))
    }
}

/// Removes the files, and their reports, that were put on the shelf before a time. Only what has a
/// report was put there by this program.
pub(super) fn prune(drop_folder: &Path, before: SystemTime) -> io::Result<u64> {
    let mut removed = 0;
    for shelf in Shelf::ALL {
        let entries = match fs::read_dir(drop_folder.join(shelf.as_str())) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            entries => entries?,
        };
        for entry in entries {
            let report = entry?.path();
            let Some(name) = report.to_str().and_then(|it| it.strip_suffix(REPORT)) else {
                continue;
            };
            let found = fs::symlink_metadata(&report)?;
            if !found.is_file() || found.modified()? >= before {
                continue;
            }
            match fs::remove_file(name) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => fs::remove_file(&report)?,
            }
            removed += 1;
        }
    }
    Ok(removed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> Timestamp {
        "2026-05-01T12:00:00Z".parse().unwrap()
    }

    #[test]
    fn nothing_on_a_shelf_is_ever_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("export.csv");
        let mut names = Vec::new();
        for content in ["one", "two", "three"] {
            fs::write(&file, content).unwrap();
            let place = put(&file, Shelf::Done, "{}", now()).unwrap().unwrap();
            assert_eq!(fs::read_to_string(&place).unwrap(), content);
            names.push(place.file_name().unwrap().to_str().unwrap().to_owned());
        }
        assert_eq!(
            names,
            [
                "export.csv",
                "export-20260501T120000.csv",
                "export-20260501T120000-2.csv"
            ]
        );
        let first = folder.path().join("done/export.csv");
        assert_eq!(fs::read_to_string(first).unwrap(), "one");
    }

    #[test]
    fn a_file_that_was_written_over_since_it_was_read_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("export.csv");
        fs::write(&path, "one").unwrap();
        let found = Found {
            size: 3,
            modified: fs::metadata(&path).unwrap().modified().unwrap(),
            path: path.clone(),
        };
        fs::write(&path, "the next day").unwrap();
        let moved = put_unchanged(&found, Shelf::Done, "{}", now()).unwrap();
        assert_eq!(moved, None);
        assert_eq!(fs::read_to_string(&path).unwrap(), "the next day");
    }

    #[test]
    fn a_report_that_lies_there_keeps_its_name_too() {
        let folder = tempfile::tempdir().unwrap();
        let done = folder.path().join("done");
        fs::create_dir(&done).unwrap();
        fs::write(done.join("export.csv.report.json"), "foreign").unwrap();
        let file = folder.path().join("export.csv");
        fs::write(&file, "one").unwrap();
        let place = put(&file, Shelf::Done, "{}", now()).unwrap().unwrap();
        assert!(place.ends_with("export-20260501T120000.csv"));
        let foreign = fs::read_to_string(done.join("export.csv.report.json")).unwrap();
        assert_eq!(foreign, "foreign");
        assert!(!done.join("export.csv").exists());
    }

    #[test]
    fn a_file_is_carried_where_it_cannot_be_renamed() {
        let folder = tempfile::tempdir().unwrap();
        let (file, place) = (folder.path().join("a"), folder.path().join("b"));
        fs::write(&file, "content").unwrap();
        fs::write(&place, "").unwrap();
        carry(&file, &place).unwrap();
        assert_eq!(fs::read_to_string(&place).unwrap(), "content");
        assert!(!file.exists());
    }

    #[test]
    fn a_file_that_has_gone_leaves_nothing_on_the_shelf() {
        let folder = tempfile::tempdir().unwrap();
        let gone = folder.path().join("export.csv");
        assert_eq!(put(&gone, Shelf::Refused, "{}", now()).unwrap(), None);
        let shelf = fs::read_dir(folder.path().join("refused")).unwrap();
        assert_eq!(shelf.count(), 0);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_neither_read_nor_taken_for_a_shelf() {
        let folder = tempfile::tempdir().unwrap();
        let secret = folder.path().join("secret");
        fs::write(&secret, "secret").unwrap();
        let link = folder.path().join("export.csv");
        std::os::unix::fs::symlink(&secret, &link).unwrap();
        open(&link).unwrap_err();
        open(folder.path()).unwrap_err();
        let elsewhere = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(elsewhere.path(), folder.path().join("done")).unwrap();
        put(&secret, Shelf::Done, "{}", now()).unwrap_err();
        assert!(secret.exists());
    }

    #[test]
    fn old_files_leave_the_shelves_and_foreign_ones_stay() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["old.csv", "new.csv"] {
            let file = folder.path().join(name);
            fs::write(&file, name).unwrap();
            put(&file, Shelf::Done, "{}", now()).unwrap();
        }
        let done = folder.path().join("done");
        fs::write(done.join("foreign.csv"), "").unwrap();
        let age = |name: &str, time: Timestamp| {
            let file = fs::File::options().write(true).open(done.join(name));
            file.unwrap()
                .set_modified(time.try_into().unwrap())
                .unwrap();
        };
        let long_ago = "2026-01-01T00:00:00Z".parse().unwrap();
        age("old.csv.report.json", long_ago);
        age("foreign.csv", long_ago);
        age("new.csv", long_ago);
        let before = "2026-02-01T00:00:00Z".parse::<Timestamp>().unwrap();
        assert_eq!(prune(folder.path(), before.try_into().unwrap()).unwrap(), 1);
        let mut left: Vec<String> = fs::read_dir(&done)
            .unwrap()
            .map(|it| it.unwrap().file_name().into_string().unwrap())
            .collect();
        left.sort();
        assert_eq!(left, ["foreign.csv", "new.csv", "new.csv.report.json"]);
    }
}
