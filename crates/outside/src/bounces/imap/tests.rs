use testkit::{
    certificate::Certificate,
    imap::{Mailbox, Protection},
};

use super::*;
use crate::{Secret, mail::AccessTokens};

fn mailbox_of(server: &Mailbox, tls: MailTls, password: &str) -> Imap {
    let login = Login::Password {
        user: "bounces".to_owned(),
        password: Secret::new(password),
    };
    with_login(server, tls, login)
}

fn with_login(server: &Mailbox, tls: MailTls, login: Login) -> Imap {
    let mut mailbox = Imap::new("localhost", tls, login);
    // The server listens on one family only.
    mailbox.host = match tls {
        MailTls::None => "127.0.0.1".to_owned(),
        _ => "localhost".to_owned(),
    };
    mailbox.port = server.address().port();
    mailbox
}

/// A file with a certificate as PEM, in a folder that is to be kept.
fn authority(certificate: &Certificate) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ca.pem");
    std::fs::write(&path, certificate.pem()).unwrap();
    (folder, path)
}

#[tokio::test]
async fn mails_are_fetched_unseen_and_put_away() {
    let server = Mailbox::start(Protection::None);
    server.deliver(b"Subject: one\r\n\r\nfirst");
    server.deliver(b"Subject: two\r\n\r\nsecond");
    let mailbox = mailbox_of(&server, MailTls::None, "secret");
    let mut open = mailbox.open().await.unwrap();
    assert_eq!(open.validity, Some(1));
    let unseen = open.unseen().await.unwrap();
    assert_eq!(unseen, BTreeSet::from([1, 2]));
    let mail = open.fetch(1).await.unwrap();
    assert_eq!(mail.as_deref(), Some(&b"Subject: one\r\n\r\nfirst"[..]));
    assert_eq!(open.fetch(9).await.unwrap(), None);
    assert!(
        server.mails().iter().all(|it| !it.seen),
        "reading marks nothing"
    );
    open.put_away(1).await.unwrap();
    assert_eq!(open.unseen().await.unwrap(), BTreeSet::from([2]));
    open.close().await;
    assert_eq!(server.commands().last().unwrap(), "LOGOUT");
}

#[tokio::test]
async fn a_large_mail_is_read_as_far_as_a_report_reaches() {
    let server = Mailbox::start(Protection::None);
    server.deliver(&vec![b'x'; MOST_BYTES + 1000]);
    let mailbox = mailbox_of(&server, MailTls::None, "secret");
    let mut open = mailbox.open().await.unwrap();
    let mail = open.fetch(1).await.unwrap().unwrap();
    assert_eq!(mail.len(), MOST_BYTES);
}

#[tokio::test]
async fn mails_that_were_dealt_with_are_moved_or_copied_and_never_deleted() {
    for can_move in [true, false] {
        let server = Mailbox::start(Protection::None);
        if !can_move {
            server.forget_move();
        }
        server.deliver(b"Subject: one\r\n\r\n");
        let mut mailbox = mailbox_of(&server, MailTls::None, "secret");
        mailbox.move_to = Some("Dealt with".to_owned());
        let mut open = mailbox.open().await.unwrap();
        open.put_away(1).await.unwrap();
        assert!(open.unseen().await.unwrap().is_empty());
        let mails = server.mails();
        let moved = mails.iter().filter(|it| it.folder == "Dealt with");
        assert_eq!(moved.count(), 1, "{mails:?}");
        assert_eq!(mails.len(), if can_move { 1 } else { 2 });
    }
}

#[tokio::test]
async fn the_connection_is_protected_and_its_certificate_checked() {
    let certificate = Certificate::new("localhost");
    let (_folder, path) = authority(&certificate);
    for (tls, protection) in [
        (MailTls::Implicit, Protection::Implicit(certificate.clone())),
        (MailTls::StartTls, Protection::StartTls(certificate.clone())),
    ] {
        let server = Mailbox::start(protection);
        server.deliver(b"Subject: one\r\n\r\n");
        let mut mailbox = mailbox_of(&server, tls, "secret");
        let untrusted = mailbox.open().await.unwrap_err();
        assert!(
            matches!(untrusted, ImapError::Connect { .. }),
            "{untrusted:?}"
        );
        mailbox.ca_file = Some(path.clone());
        let mut open = mailbox.open().await.unwrap();
        assert_eq!(open.unseen().await.unwrap().len(), 1);
        assert!(
            server.commands().iter().filter(|it| *it == "LOGIN").count() == 1,
            "no secret before the certificate is checked"
        );
    }
}

#[tokio::test]
async fn what_does_not_work_is_said() {
    let server = Mailbox::start(Protection::None);
    let wrong = mailbox_of(&server, MailTls::None, "wrong");
    let error = wrong.open().await.unwrap_err().to_string();
    assert!(error.contains("does not let bounces in"), "{error}");
    assert!(!error.contains("secret"), "{error}");
    let mut clear = mailbox_of(&server, MailTls::StartTls, "secret");
    clear.host = "127.0.0.1".to_owned();
    let error = clear.open().await.unwrap_err().to_string();
    assert!(error.contains("does not offer STARTTLS"), "{error}");
    let mut closed = mailbox_of(&server, MailTls::None, "secret");
    closed.port = 1;
    let error = closed.open().await.unwrap_err().to_string();
    assert!(error.contains("cannot be reached"), "{error}");
}

#[tokio::test]
async fn an_access_token_opens_the_mailbox() {
    let server = Mailbox::start(Protection::None);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("token");
    let login = Login::Token {
        user: "bounces".to_owned(),
        tokens: AccessTokens::file(path.clone()),
    };
    let mailbox = with_login(&server, MailTls::None, login);
    let none = mailbox.open().await.unwrap_err();
    assert!(matches!(none, ImapError::Token(_)), "{none:?}");
    std::fs::write(&path, "ended").unwrap();
    let refused = mailbox.open().await.unwrap_err();
    assert!(matches!(refused, ImapError::Login { .. }), "{refused:?}");
    std::fs::write(&path, "token\n").unwrap();
    mailbox.open().await.unwrap().close().await;
}
