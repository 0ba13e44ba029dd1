//! Where leads come back to.

use egress::Egress;
use outside::{bounces::Maildir, mail::Login};

use super::*;

const DEALER: &str = "[dealers.a]\nname = \"A\"\n[dealers.a.rooftops.X]\n";

#[test]
fn a_mailbox_is_read_as_the_file_says() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("password"), "secret\n").unwrap();
    let config = parse(&format!(
        r#"
        [bounces]
        maildir = "bounces"
        [bounces.imap]
        host = "imap.group.example"
        tls = "starttls"
        user = "bounce@group.example"
        password_file = "password"
        ca_file = "ca.pem"
        move_to = "Done"
        {DEALER}"#
    ))
    .unwrap();
    let egress = Egress::new(egress::Options::default()).unwrap();
    let settings = config.bounces.settings(folder.path(), &egress).unwrap();
    assert_eq!(settings.every.as_secs(), 60);
    assert_eq!(
        settings.maildir,
        Some(Maildir::new(folder.path().join("bounces")))
    );
    let imap = settings.imap.unwrap();
    assert_eq!((imap.host.as_str(), imap.port), ("imap.group.example", 143));
    assert_eq!(
        (imap.folder.as_str(), imap.move_to.as_deref()),
        ("INBOX", Some("Done"))
    );
    assert_eq!(imap.ca_file, Some(folder.path().join("ca.pem")));
    let Login::Password { user, password } = &imap.login else {
        panic!("{:?}", imap.login);
    };
    assert_eq!(
        (user.as_str(), password.reveal()),
        ("bounce@group.example", "secret")
    );
}

#[test]
fn without_a_table_nothing_is_read_and_alarms_are_still_judged() {
    let config = parse(DEALER).unwrap();
    let egress = Egress::new(egress::Options::default()).unwrap();
    let settings = config.bounces.settings(Path::new("."), &egress).unwrap();
    assert!(settings.imap.is_none() && settings.maildir.is_none());
    assert_eq!(settings.every.as_secs(), 60);
}

#[test]
fn everything_about_a_mailbox_that_cannot_work_is_found() {
    let found = problems(&format!(
        r#"
        [bounces]
        every = "1s"
        [bounces.imap]
        host = "imap.group.example:993"
        tls = "none"
        password_file = "password"
        token_file = "token"
        move_to = "INBOX"
        {DEALER}"#
    ));
    let keys: Vec<&str> = found.iter().map(|(key, ..)| key.as_str()).collect();
    assert_eq!(
        keys,
        [
            "bounces.every",
            "bounces.imap",
            "bounces.imap",
            "bounces.imap.host",
            "bounces.imap.tls",
            "bounces.imap.move_to",
        ]
    );
}
