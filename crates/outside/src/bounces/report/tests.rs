use proptest::prelude::*;

use super::*;

const OURS: &str = "019a2b3c-4d5e-7f60-8a9b-0c1d2e3f4a5b";
const OTHER: &str = "019a2b3c-0000-7000-8000-000000000001";

/// The mail that was sent, as it comes back.
fn original() -> String {
    format!(
        "From: Group Motors <leads@group.example>\n\
         To: leads@crm.example\n\
         Subject: Lead: Ada Example, still trying to find a 2019 Outback\n\
         Message-ID: <{OURS}@group.example>\n\
         \n\
         <?xml version=\"1.0\"?><adf>Ada, ada@example.com, it has been delayed</adf>\n"
    )
}

/// A report as RFC 3464 wants it.
fn notification(status_part: &str, returned_type: &str) -> String {
    format!(
        "From: Mail Delivery System <MAILER-DAEMON@mx.crm.example>\n\
         To: bounces@group.example\n\
         Subject: Undelivered Mail Returned to Sender\n\
         Auto-Submitted: auto-replied\n\
         MIME-Version: 1.0\n\
         Content-Type: multipart/report; report-type=delivery-status; boundary=\"b1\"\n\
         \n\
         --b1\n\
         Content-Type: text/plain\n\
         \n\
         I am sorry, <leads@crm.example> did not work.\n\
         \n\
         --b1\n\
         Content-Type: message/delivery-status\n\
         \n\
         {status_part}\n\
         --b1\n\
         Content-Type: {returned_type}\n\
         \n\
         {}\n\
         --b1--\n",
        original()
    )
}

fn failed(action: &str, status: &str) -> String {
    format!(
        "Reporting-MTA: dns; out.group.example\n\
         Arrival-Date: Mon, 4 May 2026 10:00:00 +0000\n\
         \n\
         Final-Recipient: rfc822; leads@crm.example\n\
         Action: {action}\n\
         Status: {status}\n\
         Remote-MTA: dns; mx.crm.example\n\
         Diagnostic-Code: smtp; 550 {status} <leads@crm.example>:\n\
         \tAda Example is not here\n"
    )
}

fn lines(mail: &str) -> Vec<u8> {
    mail.replace('\n', "\r\n").into_bytes()
}

fn ids(report: &Report) -> Vec<&str> {
    report.about.iter().map(DeliveryId::as_str).collect()
}

#[test]
fn a_delivery_status_notification_names_delivery_status_and_server() {
    for returned in [
        "message/rfc822",
        "text/rfc822-headers",
        "message/global-headers",
    ] {
        for bytes in [
            notification(&failed("failed", "5.1.1"), returned).into_bytes(),
            lines(&notification(&failed("failed", "5.1.1"), returned)),
        ] {
            let report = read(&bytes);
            assert_eq!(report.verdict, Verdict::Failed, "{returned}");
            assert_eq!(ids(&report), [OURS], "{returned}");
            assert_eq!(
                report.reason(),
                "5.1.1 there is no such mailbox, says mx.crm.example"
            );
        }
    }
}

#[test]
fn the_action_says_whether_a_mail_is_lost() {
    for (action, status, verdict) in [
        ("failed", "5.2.2", Verdict::Failed),
        ("Failed (bad)", "4.4.7", Verdict::Failed),
        ("delayed", "4.2.2", Verdict::Delayed),
        ("delivered", "2.0.0", Verdict::Other),
        ("relayed", "2.0.0", Verdict::Other),
        ("expanded", "2.0.0", Verdict::Other),
        ("", "5.7.1", Verdict::Failed),
        ("", "4.4.1", Verdict::Delayed),
    ] {
        let mail = notification(&failed(action, status), "message/rfc822");
        assert_eq!(read(&lines(&mail)).verdict, verdict, "{action} {status}");
    }
}

#[test]
fn of_several_recipients_one_that_failed_counts() {
    let status = format!(
        "{}\nFinal-Recipient: rfc822; two@crm.example\nAction: delivered\nStatus: 2.0.0\n",
        failed("failed", "5.2.2")
    );
    let report = read(&lines(&notification(&status, "message/rfc822")));
    assert_eq!(report.verdict, Verdict::Failed);
    assert!(report.reason().starts_with("5.2.2 the mailbox is full"));
}

#[test]
fn a_status_without_a_reason_gives_way_to_what_the_server_said() {
    let status = "Reporting-MTA: dns; out.group.example\n\nAction: failed\nStatus: 5.0.0\n\
                  Diagnostic-Code: smtp; 552 5.2.2 over quota\n";
    let report = read(&lines(&notification(status, "message/rfc822")));
    assert_eq!(
        report.reason(),
        "5.2.2 the mailbox is full, says out.group.example"
    );
}

#[test]
fn the_recipient_is_surer_than_what_came_back() {
    for to in [
        format!("To: bounces+{OTHER}@group.example"),
        format!("Delivered-To: bounces+{OTHER}@group.example\nTo: undisclosed"),
        format!(
            "X-Original-To: <bounces+{}@group.example>\nTo: x",
            OTHER.to_uppercase()
        ),
    ] {
        let mail = notification(&failed("failed", "5.1.1"), "message/rfc822")
            .replace("To: bounces@group.example", &to);
        let report = read(&lines(&mail));
        assert_eq!(ids(&report), [OTHER, OURS], "{to}");
    }
}

#[test]
fn encoded_parts_are_read() {
    let status = data_encoding::BASE64_MIME.encode(failed("failed", "5.1.1").as_bytes());
    let returned = data_encoding::BASE64_MIME.encode(original().as_bytes());
    let mail = notification(
        "STATUS",
        "message/rfc822\nContent-Transfer-Encoding: base64",
    )
    .replace(
        "message/delivery-status\n",
        "message/delivery-status\nContent-Transfer-Encoding: base64\n",
    )
    .replace("STATUS", &status)
    .replace(&original(), &returned);
    let report = read(&lines(&mail));
    assert_eq!(
        (report.verdict, ids(&report)),
        (Verdict::Failed, vec![OURS])
    );
}

/// A bounce in words, with what the server says and the mail below.
fn in_words(headers: &str, says: &str) -> Report {
    let mail = format!(
        "{headers}\nTo: bounces@group.example\n\n{says}\n\n{}",
        original()
    );
    read(&lines(&mail))
}

#[test]
fn old_bounces_are_known_by_sender_and_words() {
    let qmail = in_words(
        "From: MAILER-DAEMON@mx.crm.example\nSubject: failure notice",
        "Hi. This is the mail program at mx.crm.example.\n\
         I'm afraid I wasn't able to deliver your message.\n\
         <leads@crm.example>:\nSorry, no mailbox here by that name. (#5.1.1)\n\
         --- Below this line is a copy of the message.",
    );
    assert_eq!((qmail.verdict, ids(&qmail)), (Verdict::Failed, vec![OURS]));
    assert_eq!(qmail.reason(), "5.1.1 there is no such mailbox");
    let exim = in_words(
        "From: Mail Delivery System <Mailer-Daemon@mx.crm.example>\n\
         X-Failed-Recipients: leads@crm.example\nAuto-Submitted: auto-replied\n\
         Subject: Mail delivery failed: returning message to sender",
        "A message that you sent could not be delivered.\n\n  leads@crm.example\n    \
         552 mailbox full\n\n------ This is a copy of the message, including all the headers. ------",
    );
    assert_eq!((exim.verdict, ids(&exim)), (Verdict::Failed, vec![OURS]));
    assert_eq!(exim.reason(), "5.0.0 no reason was given");
    let postmaster = in_words(
        "From: \"Post Master\" <postmaster@crm.example>\nSubject: Ihre Nachricht",
        "550 unknown user",
    );
    assert_eq!(postmaster.verdict, Verdict::Failed);
}

#[test]
fn a_notice_of_delay_is_no_bounce() {
    for (headers, says) in [
        (
            "From: Mailer-Daemon@mx.crm.example\nSubject: Warning: message 1abc delayed 24 hours",
            "No action is required on your part.",
        ),
        (
            "From: MAILER-DAEMON@mx.crm.example\nSubject: Your mail",
            "Your message has not yet been delivered. Delivery attempts will continue.",
        ),
    ] {
        assert_eq!(
            in_words(headers, says).verdict,
            Verdict::Delayed,
            "{headers}"
        );
    }
}

#[test]
fn what_is_no_bounce_is_told_apart() {
    for (headers, verdict) in [
        (
            "From: sales@crm.example\nAuto-Submitted: auto-replied (vacation)\nSubject: Re: Lead",
            Verdict::AutoReply,
        ),
        (
            "From: sales@crm.example\nX-Autoreply: yes\nSubject: Undeliverable until Monday",
            Verdict::AutoReply,
        ),
        (
            "From: postmaster@crm.example\nSubject: Automatic reply: Lead",
            Verdict::AutoReply,
        ),
        ("From: sales@crm.example\nSubject: Re: Lead", Verdict::Other),
        (
            "From: abuse@crm.example\nSubject: complaint\nMIME-Version: 1.0\n\
             Content-Type: message/feedback-report",
            Verdict::Other,
        ),
        (
            "From: postmaster@crm.example\nSubject: Not read: Lead\nMIME-Version: 1.0\n\
             Content-Type: message/disposition-notification",
            Verdict::Other,
        ),
    ] {
        assert_eq!(
            in_words(headers, "Thank you.").verdict,
            verdict,
            "{headers}"
        );
    }
}

#[test]
fn nothing_of_the_mail_stands_in_the_reason() {
    let mail = notification(&failed("failed", "5.7.1"), "message/rfc822")
        .replace("dns; mx.crm.example", "dns; ada@example.com");
    let reason = read(&lines(&mail)).reason();
    for personal in ["Ada", "ada@", "leads@"] {
        assert!(!reason.contains(personal), "{reason}");
    }
    assert!(reason.ends_with("says out.group.example"), "{reason}");
}

#[test]
fn an_identifier_stands_by_itself_before_an_at() {
    for (text, found) in [
        (format!("<{OURS}@group.example>"), 1),
        (format!("{OURS}@"), 1),
        (format!("bounces+{OURS}@g, <{OTHER}@g>"), 2),
        (format!("a{OURS}@group.example"), 0),
        (OURS.to_owned(), 0),
        (format!("{}@g", OURS.replace('-', "")), 0),
        (format!("é{OURS}@g"), 1),
        ("@".to_owned(), 0),
    ] {
        assert_eq!(ids_in(&text).count(), found, "{text}");
    }
}

#[test]
fn mails_in_mails_without_end_say_nothing() {
    let nested = "Content-Type: message/rfc822\n\n".repeat(8000);
    let report = read(nested.as_bytes());
    assert_eq!((report.verdict, report.about), (Verdict::Other, Vec::new()));
}

#[test]
fn a_soft_line_break_before_a_boundary_is_survived() {
    let mail = "Content-Type: multipart/report; boundary=b\r\n\r\n--b\r\n\
                Content-Transfer-Encoding: quoted-printable\r\n\r\n=\r\n--b\r\n";
    assert_eq!(read(mail.as_bytes()).verdict, Verdict::Other);
}

#[test]
fn a_mail_that_is_cut_off_is_read_as_far_as_it_goes() {
    let whole = lines(&notification(&failed("failed", "5.1.1"), "message/rfc822"));
    for end in 0..whole.len() {
        let report = read(&whole[..end]);
        assert!(report.about.iter().all(|it| it.as_str() == OURS), "{end}");
    }
    let end = whole.len() - 100;
    assert_eq!(read(&whole[..end]).verdict, Verdict::Failed);
}

proptest! {
    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        let report = read(&bytes);
        prop_assert!(report.about.len() <= MOST_IDS);
    }

    /// Pieces of reports in any order, which reach further than bytes by chance.
    #[test]
    fn any_pieces_are_read(pieces in prop::collection::vec(prop::sample::select(vec![
        "Content-Type: multipart/report; boundary=b\r\n", "Content-Type: multipart/digest; boundary=b\r\n",
        "Content-Type: message/rfc822\r\n", "Content-Type: message/delivery-status\r\n",
        "Content-Transfer-Encoding: base64\r\n", "Content-Transfer-Encoding: quoted-printable\r\n",
        "\r\n", "\n", "--b\r\n", "--b--\r\n", "--b", "Action: failed\r\n", "Status: 5.1.1\r\n", "Status: 5",
        "From: MAILER-DAEMON@x\r\n", "Message-ID: <019a2b3c-4d5e-7f60-8a9b-0c1d2e3f4a5b@x>\r\n", "@", "=\r\n",
        "To: bounces+019a2b3c-4d5e-7f60-8a9b-0c1d2e3f4a5b@x\r\n", "é", "\u{0}", " folded\r\n", "Zm9v\r\n",
    ]), 0..60)) {
        let report = read(pieces.concat().as_bytes());
        prop_assert!(report.about.len() <= 1);
        prop_assert!(report.reason().len() < 250);
    }
}
