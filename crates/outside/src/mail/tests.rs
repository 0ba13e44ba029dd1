//! Mail against a real server: TLS, login, and a server that misbehaves.

use egress::Egress;
use lettre::Address;
use tempfile::TempDir;
use testkit::{
    certificate::Certificate,
    mail::{Account, Act, At, MailSink, Protection},
    webhook::WebhookSink,
};

use super::*;
use crate::Secret;

const MAIL: &str = "Subject: a lead\r\n\r\n.<adf/>\r\n..";

fn envelope() -> Envelope {
    let address = |text: &str| text.parse::<Address>().unwrap();
    let (from, to) = ("leads@group.example", "crm@crm.example");
    Envelope::new(Some(address(from)), vec![address(to)]).unwrap()
}

/// The settings for a server of the tests whose certificate is trusted.
fn server(
    sink: &MailSink,
    tls: MailTls,
    certificate: &Certificate,
    folder: &TempDir,
) -> MailServer {
    let ca_file = folder.path().join("ca.pem");
    std::fs::write(&ca_file, certificate.pem()).unwrap();
    let mut server = MailServer::new("localhost", sink.address().port(), tls);
    server.ca_file = Some(ca_file);
    server
}

fn account() -> Account {
    Account {
        user: "leads".to_owned(),
        password: "s3cret".to_owned(),
        token: "token-1".to_owned(),
        mechanisms: "PLAIN LOGIN XOAUTH2".to_owned(),
    }
}

fn password() -> Login {
    Login::Password {
        user: "leads".to_owned(),
        password: Secret::new("s3cret"),
    }
}

fn plain(sink: &MailSink) -> MailServer {
    MailServer::new("127.0.0.1", sink.address().port(), MailTls::None)
}

fn mailer(server: MailServer) -> Mailer {
    Mailer::new(server, "group.example").unwrap()
}

async fn send(mailer: &Mailer) -> Result<String, MailError> {
    mailer.send(&envelope(), MAIL).await
}

#[tokio::test]
async fn a_mail_travels_under_tls_from_the_first_byte_or_after_starttls() {
    let (certificate, folder) = (Certificate::new("localhost"), TempDir::new().unwrap());
    for (tls, protection) in [
        (MailTls::Implicit, Protection::Implicit(certificate.clone())),
        (MailTls::StartTls, Protection::StartTls(certificate.clone())),
    ] {
        let sink = MailSink::protected(protection);
        sink.ask_for_login(account());
        let mut server = server(&sink, tls, &certificate, &folder);
        server.login = password();
        assert_eq!(send(&mailer(server)).await.unwrap(), "250 kept");
        let mails = sink.mails();
        assert!(mails[0].is_encrypted, "{tls:?}");
        assert_eq!(mails[0].login, "PLAIN leads");
        assert_eq!(mails[0].text, "Subject: a lead\n\n.<adf/>\n..\n");
    }
}

#[tokio::test]
async fn nothing_is_sent_to_a_server_whose_certificate_is_not_right() {
    let folder = TempDir::new().unwrap();
    let right = Certificate::new("localhost");
    for (tls, shown, trusted) in [
        // For another host, over since years, and by nobody that is trusted.
        (
            MailTls::StartTls,
            Certificate::new("mail.other.example"),
            None,
        ),
        (MailTls::Implicit, Certificate::ended("localhost"), None),
        (
            MailTls::StartTls,
            Certificate::new("localhost"),
            Some(&right),
        ),
    ] {
        let sink = MailSink::protected(match tls {
            MailTls::Implicit => Protection::Implicit(shown.clone()),
            _ => Protection::StartTls(shown.clone()),
        });
        let mut server = server(&sink, tls, trusted.unwrap_or(&shown), &folder);
        server.login = password();
        let error = send(&mailer(server)).await.unwrap_err();
        assert!(matches!(error, MailError::Insecure { .. }), "{error:?}");
        assert!(crate::explain(&error).contains("certificate"), "{error:?}");
        assert_eq!((sink.count(), sink.attempts()), (0, 0));
    }
}

#[tokio::test]
async fn nothing_is_sent_in_clear_where_starttls_is_not_offered() {
    let (sink, folder) = (MailSink::start(), TempDir::new().unwrap());
    let server = server(
        &sink,
        MailTls::StartTls,
        &Certificate::new("localhost"),
        &folder,
    );
    let error = send(&mailer(server)).await.unwrap_err();
    assert!(matches!(error, MailError::NoStartTls { .. }), "{error:?}");
    assert_eq!((sink.count(), sink.attempts()), (0, 0));
}

#[test]
fn a_server_elsewhere_is_not_spoken_to_in_clear() {
    for host in ["mail.crm.example", "192.0.2.7", "localhost.crm.example"] {
        let server = MailServer::new(host, 25, MailTls::None);
        let error = Mailer::new(server, "group.example").unwrap_err();
        assert!(
            matches!(error, SetupError::Clear { .. }),
            "{host}: {error:?}"
        );
    }
    for host in ["localhost", "127.0.0.1", "127.1.2.3", "::1"] {
        mailer(MailServer::new(host, 25, MailTls::None));
    }
}

#[tokio::test]
async fn every_way_to_log_in_works_and_a_wrong_password_is_told() {
    let sink = MailSink::start();
    let folder = TempDir::new().unwrap();
    let token_file = folder.path().join("token");
    std::fs::write(&token_file, "token-1\n").unwrap();
    let token = Login::Token {
        user: "leads".to_owned(),
        tokens: AccessTokens::file(token_file),
    };
    for (mechanisms, login) in [
        ("PLAIN", password()),
        ("LOGIN", password()),
        ("XOAUTH2", token),
    ] {
        sink.ask_for_login(Account {
            mechanisms: mechanisms.to_owned(),
            ..account()
        });
        let mut server = plain(&sink);
        server.login = login;
        send(&mailer(server)).await.unwrap();
        let mails = sink.mails();
        assert_eq!(mails.last().unwrap().login, format!("{mechanisms} leads"));
    }
    let mut server = plain(&sink);
    server.login = Login::Password {
        user: "leads".to_owned(),
        password: Secret::new("wrong"),
    };
    sink.ask_for_login(account());
    let error = send(&mailer(server.clone())).await.unwrap_err();
    let MailError::Refused { stage, code, .. } = &error else {
        panic!("{error:?}");
    };
    assert_eq!((*stage, *code), (Stage::Login, 535));
    // Neither name is in the error, nor the secret.
    assert!(!format!("{error:?} {server:?}").contains("wrong"));
    sink.ask_for_login(Account {
        mechanisms: "CRAM-MD5".to_owned(),
        ..account()
    });
    let error = send(&mailer(server)).await.unwrap_err();
    assert!(matches!(error, MailError::NoLogin { .. }), "{error:?}");
}

fn egress() -> Egress {
    let mut options = egress::Options::default();
    options.allow = vec!["127.0.0.0/8".parse().unwrap()];
    Egress::new(options).unwrap()
}

fn by_token(sink: &MailSink, tokens: AccessTokens) -> Mailer {
    let mut server = plain(sink);
    server.login = Login::Token {
        user: "leads".to_owned(),
        tokens,
    };
    mailer(server)
}

fn granted(token: &str) -> String {
    format!(r#"{{"access_token":"{token}","token_type":"Bearer","expires_in":3600}}"#)
}

#[tokio::test]
async fn an_access_token_is_fetched_once_and_anew_when_the_server_refuses_it() {
    let (sink, issuer) = (MailSink::start(), WebhookSink::start());
    sink.ask_for_login(account());
    issuer.answer_next_with(200, &granted("token-1"));
    let url = issuer.url("/token").parse().unwrap();
    let address = TokenAddress::new(egress(), url, "forecourt", Grant::ClientCredentials)
        .secret(Some(Secret::new("app s3cret")))
        .scope(Some("https://outlook.office365.com/.default".to_owned()));
    let tokens = AccessTokens::address(address);
    let first = by_token(&sink, tokens.clone());
    send(&first).await.unwrap();
    send(&by_token(&sink, tokens.clone())).await.unwrap();
    assert_eq!(issuer.calls().len(), 1);
    let form = String::from_utf8(issuer.calls()[0].body.clone()).unwrap();
    assert_eq!(
        form,
        "client_id=forecourt&client_secret=app+s3cret\
         &scope=https%3A%2F%2Foutlook.office365.com%2F.default&grant_type=client_credentials"
    );
    // The token is taken back before its time.
    sink.ask_for_login(Account {
        token: "token-2".to_owned(),
        ..account()
    });
    issuer.answer_next_with(200, &granted("token-2"));
    send(&by_token(&sink, tokens.clone())).await.unwrap();
    assert_eq!((issuer.calls().len(), sink.count()), (2, 3));
    // A second refusal is not a reason for a third token.
    sink.ask_for_login(Account {
        token: "other".to_owned(),
        ..account()
    });
    issuer.answer_next_with(200, &granted("token-3"));
    let error = send(&by_token(&sink, tokens)).await.unwrap_err();
    assert!(
        matches!(error, MailError::Refused { code: 535, .. }),
        "{error:?}"
    );
    assert_eq!(issuer.calls().len(), 3);
}

#[tokio::test]
async fn a_refresh_token_that_is_replaced_is_written_down() {
    let (sink, issuer) = (MailSink::start(), WebhookSink::start());
    sink.ask_for_login(account());
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("refresh-token");
    std::fs::write(&file, "refresh-1\n").unwrap();
    issuer.answer_next_with(
        200,
        r#"{"access_token":"token-1","expires_in":3600,"refresh_token":"refresh-2"}"#,
    );
    let url = issuer.url("/token").parse().unwrap();
    let grant = Grant::RefreshToken(file.clone());
    let tokens = AccessTokens::address(TokenAddress::new(egress(), url, "forecourt", grant));
    send(&by_token(&sink, tokens.clone())).await.unwrap();
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "refresh-2");
    // A refusal says why, without the token.
    issuer.answer_next_with(
        400,
        r#"{"error":"invalid_grant","error_description":"The token has been revoked."}"#,
    );
    assert!(tokens.forget().await);
    let error = send(&by_token(&sink, tokens)).await.unwrap_err();
    let text = crate::explain(&error);
    assert!(
        text.contains("invalid_grant The token has been revoked."),
        "{text}"
    );
    assert!(!text.contains("refresh-"), "{text}");
    let form = String::from_utf8(issuer.calls()[1].body.clone()).unwrap();
    assert!(form.contains("refresh_token=refresh-2"), "{form}");
}

#[tokio::test]
async fn a_connection_is_used_again_and_one_that_was_closed_is_replaced() {
    let sink = MailSink::start();
    let mailer = mailer(plain(&sink));
    for _ in 0..3 {
        send(&mailer).await.unwrap();
    }
    assert_eq!((sink.connections(), sink.count()), (1, 3));
    // A refusal leaves the connection as it is.
    sink.answer_next("550 5.1.1 no such user");
    send(&mailer).await.unwrap_err();
    send(&mailer).await.unwrap();
    assert_eq!(sink.connections(), 1);
    sink.act_next(At::Content, Act::Close);
    let error = send(&mailer).await.unwrap_err();
    assert!(
        matches!(
            error,
            MailError::Broken {
                stage: Stage::Content,
                ..
            }
        ),
        "{error:?}"
    );
    send(&mailer).await.unwrap();
    assert_eq!((sink.connections(), sink.count()), (2, 6));
}

/// The connection on which somebody stopped waiting must not be used again: its next answer belongs
/// to the mail before, and a refusal would be taken for success.
#[tokio::test]
async fn a_server_that_hangs_is_given_up_and_its_late_answer_is_for_nobody() {
    let places = [
        At::Banner,
        At::Hello,
        At::Sender,
        At::Recipient,
        At::Data,
        At::Content,
    ];
    let trials = places.map(async |at| {
        let sink = MailSink::start();
        let mut server = plain(&sink);
        server.timeout = Duration::from_secs(2);
        let mailer = mailer(server);
        sink.act_next(at, Act::Hang);
        let error = send(&mailer).await.unwrap_err();
        assert!(matches!(error, MailError::TimedOut(_)), "{at:?}: {error:?}");
        sink.answer_next("550 5.1.1 no such user");
        let error = send(&mailer).await.unwrap_err();
        assert!(
            matches!(error, MailError::Refused { code: 550, .. }),
            "{at:?}: {error:?}"
        );
        assert_eq!(sink.connections(), 2, "{at:?}");
    });
    futures_util::future::join_all(trials).await;
}

/// Waits until a recipient was named.
async fn sink_is_asked(sink: &MailSink) {
    while sink.attempts() == 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn a_future_that_is_dropped_takes_its_connection_along() {
    let sink = MailSink::start();
    let mailer = mailer(plain(&sink));
    sink.act_next(At::Recipient, Act::Hang);
    tokio::select! {
        sent = send(&mailer) => panic!("{sent:?}"),
        () = sink_is_asked(&sink) => {}
    }
    send(&mailer).await.unwrap();
    assert_eq!((sink.connections(), sink.count()), (2, 1));
}

#[tokio::test]
async fn a_server_that_is_not_there_or_closes_is_told_apart_from_one_that_refuses() {
    let gone = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap().port()
    };
    let error = send(&mailer(MailServer::new("127.0.0.1", gone, MailTls::None))).await;
    assert!(
        matches!(error, Err(MailError::Unreachable { .. })),
        "{error:?}"
    );
    let sink = MailSink::start();
    sink.act_next(At::Banner, Act::Close);
    let error = send(&mailer(plain(&sink))).await;
    assert!(
        matches!(error, Err(MailError::Unreachable { .. })),
        "{error:?}"
    );
    sink.act_next(At::Banner, Act::Say("554 5.3.2 no service".to_owned()));
    let error = send(&mailer(plain(&sink))).await;
    assert!(
        matches!(
            error,
            Err(MailError::Refused {
                stage: Stage::Connect,
                code: 554,
                ..
            })
        ),
        "{error:?}"
    );
}

#[tokio::test]
async fn no_more_connections_are_made_than_the_server_allows() {
    let sink = MailSink::start();
    let mailer = mailer(plain(&sink));
    let sent = futures_util::future::join_all((0..20).map(|_| send(&mailer))).await;
    assert!(sent.iter().all(Result::is_ok), "{sent:?}");
    assert_eq!((sink.connections(), sink.count()), (3, 20));
}

#[tokio::test]
async fn after_a_hundred_mails_a_new_connection_is_made() {
    let sink = MailSink::start();
    let mailer = mailer(plain(&sink));
    for _ in 0..=MOST_MAILS {
        send(&mailer).await.unwrap();
    }
    assert_eq!((sink.connections(), sink.count()), (2, 101));
}
