use dealers::Period;
use jiff::{SignedDuration, ToSpan as _};
use store::{Clock, Migration, Options, Store};

use super::*;
use crate::{app::migrations, config::BackupSettings, data_lock};

const KEY: [u8; 32] = [7; 32];

fn time(text: &str) -> Timestamp {
    text.parse().unwrap()
}

async fn names_of(store: &Store) -> Vec<String> {
    let keys = store
        .read(|conn| dealers::keys::list(conn, &"north".parse().unwrap()))
        .await
        .unwrap_or_else(|error: store::Error| panic!("{error}"));
    keys.into_iter().map(|key| key.name).collect()
}

/// A data folder with a database and a hash key, and a configuration beside it.
struct Site {
    folder: TempDir,
}

impl Site {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("data")).unwrap();
        let site = Self { folder };
        drop(site.store());
        fs::write(site.data().join(HASH_KEY_FILE), KEY).unwrap();
        fs::write(site.config(), "# the configuration").unwrap();
        site
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn config(&self) -> PathBuf {
        self.folder.path().join("site.toml")
    }

    fn backups(&self) -> PathBuf {
        self.folder.path().join("backups")
    }

    fn options(&self) -> Options {
        Options::sqlite(self.data().join(DATABASE_FILE)).migrations(&migrations())
    }

    fn store(&self) -> Store {
        Store::open(self.options()).unwrap()
    }

    fn make(&self, now: &str) -> Result<PathBuf, Error> {
        make(
            &self.options(),
            &self.data(),
            Some(&self.config()),
            &self.backups(),
            time(now),
        )
    }

    /// Keys in the database, which stand for whatever it holds.
    async fn keys(&self) -> Vec<String> {
        names_of(&self.store()).await
    }

    async fn add_key(&self, name: &'static str, random: u8) {
        let secret = dealers::keys::Secret::new("north".parse().unwrap(), [random; 32]);
        let key = dealers::keys::NewKey {
            name: name.to_owned(),
            scopes: [dealers::keys::Scope::Feeds].into(),
            expires_at: None,
        };
        let now = time("2026-05-01T12:00:00Z");
        let made = self
            .store()
            .write(move |conn| dealers::keys::create(conn, &secret, &key, now))
            .await;
        made.unwrap();
    }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[tokio::test]
async fn a_restored_backup_is_the_state_of_its_time() {
    let site = Site::new();
    site.add_key("before", 1).await;
    // Open all the while, as a server has it.
    let in_use = site.store();
    let backup = site.make("2026-05-01T03:00:00Z").unwrap();
    drop(in_use);
    assert_eq!(
        names(&backup),
        [DATABASE_FILE, CONFIG_FILE, "manifest.json", HASH_KEY_FILE]
    );
    site.add_key("after", 2).await;
    fs::write(site.data().join(HASH_KEY_FILE), [8; 32]).unwrap();

    let now = time("2026-05-02T03:00:00Z");
    let refused = restore(&backup, &site.data(), false, now).unwrap_err();
    assert!(matches!(refused, Error::Exists(_)), "{refused:?}");
    assert_eq!(site.keys().await.len(), 2, "nothing has changed");

    // What a restore leaves that was killed while it copied.
    fs::create_dir(site.data().join(".restoring-killed")).unwrap();
    fs::write(site.data().join(".restoring-killed/forecourt.db"), "half").unwrap();
    let restored = restore(&backup, &site.data(), true, now).unwrap();
    assert_eq!(site.keys().await, ["before"]);
    assert_eq!(fs::read(site.data().join(HASH_KEY_FILE)).unwrap(), KEY);
    assert_eq!(restored.configuration, Some(backup.join(CONFIG_FILE)));
    let aside = restored.set_aside.unwrap();
    assert_eq!(fs::read(aside.join(HASH_KEY_FILE)).unwrap(), [8; 32]);
    assert!(aside.join(DATABASE_FILE).exists());
    let hidden: Vec<_> = names(&site.data());
    assert!(!hidden.iter().any(|it| it.starts_with(".restoring")));

    let elsewhere = site.folder.path().join("new").join("data");
    restore(&backup, &elsewhere, false, now).unwrap();
    assert!(elsewhere.join(DATABASE_FILE).exists());
}

#[cfg(unix)]
#[test]
fn only_its_owner_may_read_a_backup() {
    use std::os::unix::fs::PermissionsExt as _;

    let site = Site::new();
    let backup = site.make("2026-05-01T03:00:00Z").unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&backup), 0o700);
    for name in names(&backup) {
        assert_eq!(mode(&backup.join(&name)), 0o600, "{name}");
    }
}

#[test]
fn a_damaged_backup_is_refused_and_changes_nothing() {
    let site = Site::new();
    let backup = site.make("2026-05-01T03:00:00Z").unwrap();
    let database = backup.join(DATABASE_FILE);
    let manifest = backup.join("manifest.json");
    let (whole, said) = (fs::read(&database).unwrap(), fs::read(&manifest).unwrap());
    let present = fs::read(site.data().join(DATABASE_FILE)).unwrap();
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 1;
    let other_digest =
        String::from_utf8(said.clone())
            .unwrap()
            .replacen("\"sha256\": \"", "\"sha256\": \"0", 1);
    let escaping = String::from_utf8(said.clone())
        .unwrap()
        .replace(HASH_KEY_FILE, "../../somewhere");
    for (what, file, bytes) in [
        ("cut off", &database, &whole[..whole.len() / 2]),
        ("one bit", &database, &flipped),
        ("empty", &database, &[]),
        ("wrong digest", &manifest, other_digest.as_bytes()),
        ("no manifest", &manifest, b"{}"),
        ("half a manifest", &manifest, &said[..said.len() / 2]),
        ("a foreign file", &manifest, escaping.as_bytes()),
    ] {
        fs::write(file, bytes).unwrap();
        let refused = restore(&backup, &site.data(), true, time("2026-05-02T03:00:00Z"));
        let refused = refused.map(|_| ()).unwrap_err();
        assert!(
            matches!(refused, Error::Damaged { .. }),
            "{what}: {refused:?}"
        );
        assert_eq!(fs::read(site.data().join(DATABASE_FILE)).unwrap(), present);
        fs::write(&database, &whole).unwrap();
        fs::write(&manifest, &said).unwrap();
    }
    fs::remove_file(backup.join(HASH_KEY_FILE)).unwrap();
    let refused = verify(&backup).unwrap_err().to_string();
    assert!(refused.contains(HASH_KEY_FILE), "{refused}");
}

#[test]
fn a_backup_of_a_newer_version_is_refused() {
    const LATER: &[Migration] = &[Migration {
        name: "later-1",
        sql: "CREATE TABLE later (dealer TEXT PRIMARY KEY)",
    }];
    let site = Site::new();
    let lists: Vec<_> = migrations().into_iter().chain([LATER]).collect();
    let options = Options::sqlite(site.data().join(DATABASE_FILE)).clock(Clock::system());
    drop(Store::open(options.migrations(&lists)).unwrap());
    let backup = site.make("2026-05-01T03:00:00Z").unwrap();
    let refused = verify(&backup).unwrap_err();
    assert!(refused.to_string().contains("later-1"), "{refused}");
}

#[test]
fn data_in_use_are_not_replaced() {
    let site = Site::new();
    let backup = site.make("2026-05-01T03:00:00Z").unwrap();
    let in_use = data_lock::shared(&site.data()).unwrap();
    let now = time("2026-05-02T03:00:00Z");
    let refused = restore(&backup, &site.data(), true, now).unwrap_err();
    assert!(matches!(refused, Error::InUse(_)), "{refused:?}");
    drop(in_use);
    restore(&backup, &site.data(), true, now).unwrap();
}

#[test]
fn a_backup_that_cannot_be_made_leaves_nothing_under_a_backups_name() {
    let site = Site::new();
    fs::write(site.backups(), "a file in the way").unwrap();
    let refused = site.make("2026-05-01T03:00:00Z").unwrap_err();
    assert!(matches!(refused, Error::Io { .. }), "{refused:?}");
    fs::remove_file(site.backups()).unwrap();
    fs::write(site.data().join(DATABASE_FILE), "no database".repeat(1000)).unwrap();
    let refused = site.make("2026-05-01T03:00:00Z").unwrap_err();
    assert!(matches!(refused, Error::Store(_)), "{refused:?}");
    assert!(!names(&site.backups()).iter().any(|it| it.contains("2026")));
    assert_eq!(newest(&site.backups()).unwrap(), None);
}

#[test]
fn what_broke_off_is_swept_up_by_the_next_one_but_not_while_it_is_made() {
    let site = Site::new();
    let broken = site.backups().join(".partial-x");
    fs::create_dir_all(&broken).unwrap();
    fs::write(broken.join(DATABASE_FILE), "half").unwrap();
    let making = lock(&site.backups()).unwrap();
    let refused = site.make("2026-05-01T03:00:00Z").unwrap_err();
    assert!(matches!(refused, Error::Busy(_)), "{refused:?}");
    assert!(broken.exists());
    drop(making);
    let made = site.make("2026-05-01T03:00:00Z").unwrap();
    assert!(!broken.exists());
    assert_eq!(newest(&site.backups()).unwrap().unwrap().0, made);
}

#[test]
fn the_newest_whole_backups_are_kept_and_their_age_is_told() {
    let site = Site::new();
    let settings = BackupSettings {
        dir: site.backups(),
        every: Period::days(1),
        keep: 2,
    };
    let start = time("2026-05-01T00:00:00Z");
    let told = |now: Timestamp| age_finding(&settings, start, now);
    assert_eq!(told(start + 47.hours()), None, "there was no time for one");
    let never = told(start + 49.hours()).unwrap();
    assert!(never.contains("there is no backup"), "{never}");

    let made: Vec<PathBuf> = (1..=4)
        .map(|day| site.make(&format!("2026-05-0{day}T03:00:00Z")).unwrap())
        .collect();
    // Cut off by hand: it counts for nothing.
    fs::write(made[3].join(DATABASE_FILE), "").unwrap();
    assert_eq!(newest(&site.backups()).unwrap().unwrap().0, made[2]);
    let third = time("2026-05-03T03:00:00Z");
    assert_eq!(told(third + SignedDuration::from_hours(48)), None);
    let old = told(third + SignedDuration::from_hours(72)).unwrap();
    assert!(old.contains("3 days ago"), "{old}");
    assert_eq!(thin_out(&site.backups(), 2).unwrap(), [made[0].clone()]);
    assert!(made[1].exists() && made[2].exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_servers_database_is_backed_up_and_restored_into_another_one_and_into_a_folder() {
    let Some(server) = testkit::postgres::Postgres::find() else {
        return;
    };
    let site = Site::new();
    let on_server = || {
        let options = Options::postgres(&server.database()).unwrap();
        options.connections(1).migrations(&migrations())
    };
    let (first, second) = (on_server(), on_server());
    site.add_key("portal", 1).await;
    store::transfer::transfer(&site.options(), &first, &mut |_| {}).unwrap();
    let now = time("2026-05-01T03:00:00Z");
    // The file in the data folder is what was there before the server.
    site.add_key("later", 2).await;
    let backup = make(
        &first,
        &site.data(),
        Some(&site.config()),
        &site.backups(),
        now,
    )
    .unwrap();
    verify(&backup).unwrap();

    let elsewhere = site.folder.path().join("elsewhere");
    restore_into(&second, &backup, &elsewhere).unwrap();
    assert_eq!(fs::read(elsewhere.join(HASH_KEY_FILE)).unwrap(), KEY);
    assert_eq!(
        names_of(&Store::open(second.clone()).unwrap()).await,
        ["portal"]
    );
    let refused = restore_into(&second, &backup, &elsewhere).unwrap_err();
    assert!(
        refused.to_string().contains("could not be put"),
        "{refused}"
    );
    fs::write(elsewhere.join(HASH_KEY_FILE), [8; 32]).unwrap();
    let refused = restore_into(&on_server(), &backup, &elsewhere).unwrap_err();
    assert!(matches!(refused, Error::OtherKey(_)), "{refused}");

    restore(&backup, &site.data(), true, now).unwrap();
    assert_eq!(site.keys().await, ["portal"]);
}
