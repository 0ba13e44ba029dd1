//! Where leads go, and the mail server.

use egress::Egress;
use outside::{delivery::Couriers, mail::MailTls};
use tempfile::TempDir;

use super::*;

fn keys(found: &[(String, usize, usize, String)]) -> Vec<&str> {
    found.iter().map(|(key, ..)| key.as_str()).collect()
}

#[test]
fn everything_about_destinations_that_cannot_work_is_found() {
    let found = problems(
        r#"
        [dealers.a]
        name = "A"
        [dealers.a.rooftops.X]
        crm = "nobody"
        fallback = "elsewhere"
        [dealers.a.rooftops.X.destinations.none]
        [dealers.a.rooftops.X.destinations.both]
        mail = "leads@crm.example"
        folder = "/srv/leads"
        [dealers.a.rooftops.X.destinations.box]
        mail = "no mailbox"
        copy_to = "neither"
        success_status = [200]
        secret_file = "secret"
        [dealers.a.rooftops.X.destinations.post]
        post = "ftp://me:secret@crm.example/adf"
        copy_to = "sales@group.example"
        success_status = [20]
        success_body = ""
        [dealers.a.rooftops.X.destinations.hook]
        webhook = "https://crm.example/hook"
        adf = { provider = "network" }
        [dealers.a.rooftops.Y]
        crm = "leads@crm.example"
        [dealers.a.rooftops.Y.destinations.crm]
        folder = "/srv/leads"
        [dealers.a.rooftops.W]
        crm = "leads@crm.example"
        fallback = "leads@crm.example"
        [dealers.a.rooftops.Z]
        fallback = "only"
        [dealers.a.rooftops.Z.destinations.only]
        folder = "/srv/leads"
        "#,
    );
    let prefix = "dealers.a.rooftops.";
    let found_keys: Vec<&str> = keys(&found)
        .iter()
        .map(|it| it.strip_prefix(prefix).unwrap())
        .collect();
    let mut expected = vec![
        "X.crm",
        "X.fallback",
        "X.destinations.none",
        "X.destinations.both",
        "X.destinations.box.mail",
        "X.destinations.box.copy_to",
        "X.destinations.box.success_status",
        "X.destinations.box.secret_file",
        "X.destinations.post.post",
        "X.destinations.post.post",
        "X.destinations.post.copy_to",
        "X.destinations.post.success_status",
        "X.destinations.post.success_body",
        "X.destinations.hook",
        "X.destinations.hook.adf",
        "X.destinations.hook.adf.provider",
        "Y.crm",
        "W.fallback",
        "Z.fallback",
    ];
    let mut sorted = found_keys.clone();
    sorted.sort_unstable();
    expected.sort_unstable();
    assert_eq!(sorted, expected);
    let text = format!("{found:?}");
    assert!(!text.contains("me:secret"), "{text}");
    assert!(
        text.contains("neither a mailbox nor a destination"),
        "{text}"
    );
}

#[test]
fn a_fallback_is_a_mailbox_or_a_destination() {
    let config = parse(
        r#"
        [dealers.a]
        name = "A"
        [dealers.a.rooftops.X]
        crm = "leads@crm.example"
        fallback = "desk"
        [dealers.a.rooftops.X.destinations.desk]
        mail = "gm@group.example"
        copy_to = "gm@group.example"
        [dealers.a.rooftops.Y]
        crm = "leads@crm.example"
        fallback = "gm@group.example"
        "#,
    )
    .unwrap();
    let dealer = &config.dealers[0];
    for (name, fallback) in [("X", "desk"), ("Y", "fallback")] {
        let rooftop = &dealer.rooftops[name];
        let destinations = rooftop.destinations();
        assert_eq!(destinations.keys().collect::<Vec<_>>(), ["crm"]);
        assert_eq!(rooftop.fallback().unwrap().0, fallback);
    }
}

#[test]
fn everything_about_the_mail_server_that_cannot_work_is_found() {
    let found = problems(
        r#"
        [mail]
        host = "smtp.group.example:587"
        user = "leads"
        password_file = "password"
        token_file = "token"
        timeout = "1s"
        connections = 0
        from = "nobody"
        bounce_tag = true
        [mail.oauth]
        token_url = "ftp://login.example/token"
        client_id = "app"
        [alarm]
        mail = "it@group.example"
        [alarm.smtp]
        host = "smtp.group.example"
        tls = "none"
        bounce_address = "bounce@group.example"
        password_file = "password"
        [dealers.a]
        name = "A"
        [dealers.a.rooftops.X]
        "#,
    );
    assert_eq!(
        keys(&found),
        [
            "mail",
            "mail.host",
            "mail.timeout",
            "mail.connections",
            "mail.from",
            "mail.bounce_tag",
            "mail.oauth",
            "mail.oauth.token_url",
            "alarm.smtp",
            "alarm.smtp.tls",
            "alarm.smtp.bounce_address",
        ]
    );
    assert!(
        found.iter().any(|it| it.3.contains("must be encrypted")),
        "{found:?}"
    );
}

#[test]
fn mail_by_a_server_elsewhere_needs_a_sender_that_is_known_there() {
    let text = |public_url: &str, from: &str| {
        format!(
            "{public_url}\n[mail]\nhost = \"smtp.group.example\"\n{from}\n[dealers.a]\nname = \"A\"\n\
             [dealers.a.rooftops.X]\ncrm = \"leads@crm.example\"\n"
        )
    };
    let found = problems(&text("", ""));
    assert_eq!(keys(&found), ["mail.from"]);
    parse(&text("", "from = \"leads@group.example\"")).unwrap();
    parse(&text("public_url = \"https://agent.group.example\"", "")).unwrap();
}

#[test]
fn leads_do_not_go_to_the_public_in_clear() {
    let text = |outgoing: &str, host: &str| {
        format!(
            "{outgoing}\n[dealers.a]\nname = \"A\"\n[dealers.a.rooftops.X.destinations.post]\n\
             post = \"http://{host}/adf\"\n"
        )
    };
    for host in ["crm.example", "8.8.8.8"] {
        let found = problems(&text("", host));
        assert_eq!(
            keys(&found),
            ["dealers.a.rooftops.X.destinations.post.post"]
        );
    }
    parse(&text("", "localhost:8080")).unwrap();
    parse(&text("", "10.2.0.7")).unwrap();
    parse(&text("[outgoing]\nallow = [\"10.2.0.0/16\"]", "crm.intern")).unwrap();
}

#[test]
fn files_that_a_server_cannot_read_are_found_all_at_once() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("forecourt.toml");
    std::fs::write(folder.path().join("there"), "s3cret").unwrap();
    let text = r#"
        [mail]
        host = "smtp.group.example"
        ca_file = "gone"
        user = "leads"
        password_file = "gone"
        from = "leads@group.example"
        [alarm]
        mail = "it@group.example"
        smtp = { user = "leads", password_file = "gone" }
        webhook = "https://hooks.example"
        webhook_secret_file = "there"
        [dealers.a]
        name = "A"
        [dealers.a.rooftops.X.destinations.post]
        post = "https://crm.example"
        headers_file = "gone"
        [dealers.a.rooftops.X.destinations.hook]
        webhook = "https://crm.example"
        secret_file = "gone"
        "#;
    std::fs::write(&path, text).unwrap();
    let now = "2026-05-01T12:00:00Z".parse().unwrap();
    let Err(ConfigError::Contradictory { problems, .. }) = Config::read_to_serve(&path, now) else {
        panic!("no problems are listed");
    };
    let mut keys: Vec<&str> = problems.iter().map(|it| it.key.as_str()).collect();
    keys.sort_unstable();
    assert_eq!(
        keys,
        [
            "alarm.smtp.password_file",
            "dealers.a.rooftops.X.destinations.hook.secret_file",
            "dealers.a.rooftops.X.destinations.post.headers_file",
            "mail.ca_file",
            "mail.password_file",
        ]
    );
    // Nobody but a server has to be able to read them.
    Config::read(&path).unwrap();
}

/// What stands in the documentation can be copied into a configuration.
#[test]
fn every_example_of_the_documentation_can_be_used() {
    let documentation = include_str!("../../../../../docs/delivery.md");
    let blocks = documentation.split("```toml").skip(1);
    let blocks: Vec<&str> = blocks.map(|it| it.split("```").next().unwrap()).collect();
    assert!(blocks.len() >= 4, "{}", blocks.len());
    for block in blocks {
        let rooftop = if block.contains("rooftops") {
            ""
        } else {
            "[dealers.group.rooftops.North]"
        };
        let text = format!("[dealers.group]\nname = \"Group Motors\"\n{rooftop}\n{block}");
        parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    }
}

#[test]
fn the_settings_make_couriers_to_every_destination_and_fallback() {
    let folder = TempDir::new().unwrap();
    for file in ["password", "secret", "headers"] {
        std::fs::write(folder.path().join(file), "X-Key: s3cret").unwrap();
    }
    let config = parse(
        r#"
        public_url = "https://agent.group.example"
        [mail]
        host = "smtp.group.example"
        user = "leads"
        password_file = "password"
        bounce_address = "bounce@group.example"
        bounce_tag = true
        [dealers.a]
        name = "A"
        [dealers.a.rooftops.X]
        crm = "leads@crm.example"
        fallback = "gm@group.example"
        [dealers.a.rooftops.X.destinations]
        post = { post = "https://crm.example/adf", headers_file = "headers" }
        drop = { folder = "leads" }
        hook = { webhook = "https://crm.example/hook", secret_file = "secret" }
        "#,
    )
    .unwrap();
    let egress = Egress::new(egress::Options::default()).unwrap();
    let settings = config
        .mail
        .leads(config.public_url.as_ref(), folder.path(), &egress);
    let settings = settings.unwrap();
    assert_eq!(settings.from, "forecourt@agent.group.example");
    assert_eq!(settings.server.port, 587);
    assert_eq!(settings.server.tls, MailTls::StartTls);
    assert_eq!(settings.server.login.user(), Some("leads"));
    assert!(settings.bounce.as_ref().unwrap().tag);
    let couriers = Couriers::new(&config.dealers, settings, folder.path(), &egress).unwrap();
    let id = "a".parse().unwrap();
    for name in ["crm", "post", "drop", "hook", "fallback"] {
        assert!(couriers.get(&id, "X", name).is_some(), "{name}");
    }
    assert!(couriers.get(&id, "X", "else").is_none());
}

#[test]
fn the_server_of_this_machine_is_used_in_clear_where_none_is_named() {
    let smtp = Smtp::default();
    assert_eq!((smtp.host(), smtp.tls()), ("localhost", MailTls::None));
    let egress = Egress::new(egress::Options::default()).unwrap();
    let settings = smtp.leads(None, Path::new(""), &egress).unwrap();
    assert_eq!(settings.from, "forecourt@localhost");
    assert_eq!(settings.server.port, 25);
}
