//! Which database server several nodes share.

use super::*;

const DEALER: &str = "[dealers.group]\nname = \"Group Motors\"\n[dealers.group.rooftops.North]\n";

fn faults(table: &str) -> String {
    let text = format!("{table}\n{DEALER}");
    match parse(&text) {
        Ok(_) => String::new(),
        Err(error @ ConfigError::Contradictory { .. }) => error.to_string(),
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn a_database_server_is_named_once_and_its_password_is_never_shown() {
    let secret = "postgres://ada:hunter2@db/cars";
    for (table, fault) in [
        (format!("[store]\nurl = \"{secret}\""), ""),
        ("[store]\nurl_file = \"store.url\"".to_owned(), ""),
        ("[store]".to_owned(), "write `url`, or `url_file`"),
        (
            format!("[store]\nurl = \"{secret}\"\nurl_file = \"store.url\""),
            "either `url` or `url_file`",
        ),
        (
            "[store]\nurl = \"mysql://ada:hunter2@db/cars\"".to_owned(),
            "begins with postgres://",
        ),
        (
            "[store]\nurl = \"sqlite:/srv/hunter2.db\"".to_owned(),
            "the folder that `data` names",
        ),
        (
            format!("[store]\nurl = \"{secret}\"\nconnections = 0"),
            "write 1 to 64",
        ),
    ] {
        let faults = faults(&table);
        assert_eq!(faults.is_empty(), fault.is_empty(), "{table}: {faults}");
        assert!(faults.contains(fault), "{table}: {faults}");
        assert!(!faults.contains("hunter2"), "{faults}");
    }
    let text = format!("[store]\nurl = \"{secret}\"\n{DEALER}");
    let config = parse(&text).unwrap();
    assert!(!format!("{config:?}").contains("hunter2"));
    let store = config.store.unwrap();
    assert!(!format!("{:?}", store.options().unwrap()).contains("hunter2"));
    // A flag wins over both settings.
    let other = UrlText::from("postgres://other/cars".to_owned());
    assert!(format!("{:?}", store.at(other).options().unwrap()).contains("other"));
}
