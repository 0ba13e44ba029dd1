mod bounces;
mod destinations;
mod store;

use super::*;

fn parse(text: &str) -> Result<Config, ConfigError> {
    Config::parse(text, Path::new("forecourt.toml"))
}

#[test]
fn the_template_is_a_working_configuration() {
    let config = parse(TEMPLATE).unwrap();
    assert_eq!(config.dealers.len(), 1);
    let (id, dealer) = config.dealers.first().unwrap();
    assert_eq!(id.as_str(), "main");
    assert_eq!(dealer.default_rooftop(), Some("Main Street"));
}

#[test]
fn every_commented_setting_of_the_template_is_a_known_key() {
    let mut text = String::new();
    for line in TEMPLATE.lines() {
        let setting = line.strip_prefix("# ").filter(|rest| {
            rest.starts_with('[')
                || rest
                    .split_once(" = ")
                    .is_some_and(|(key, _)| !key.contains(' '))
        });
        text.push_str(setting.unwrap_or(line));
        text.push('\n');
    }
    let config = parse(&text).unwrap();
    let rooftop = &config.dealers[0].rooftops["Main Street"];
    assert_eq!(rooftop.feed_id.as_deref(), Some("12345"));
    assert_eq!(rooftop.schedules.len(), 1);
    assert_eq!(rooftop.destinations.len(), 4);
    assert!(config.mail.bounce_tag);
}

#[test]
fn the_configuration_of_a_dealer_group_is_read() {
    let config = parse(
        r#"
        public_url = "https://agent.group.example"
        [dealers.group]
        name = "Group Motors"
        default_rooftop = "North"
        skills = ["dealer.information", "inventory.search", "lead.submit"]
        [dealers.group.rooftops.North]
        feed_id = "DCID1"
        timezone = "America/Chicago"
        crm = "leads@crm.example"
        fallback = "gm@group.example"
        [dealers.group.rooftops.Airport]
        [dealers.group.feeds.used]
        path = "/srv/drop/*.csv"
        conditions = ["used", "cpo"]
        expect_every = "26h"
        max_age = "72h"
        price = { column = "Internet_Price", advertised = false }
        "#,
    )
    .unwrap();
    let dealer = &config.dealers[0];
    let rooftops: Vec<&String> = dealer.rooftops.keys().collect();
    assert_eq!(rooftops, ["North", "Airport"], "the order of the file");
    assert_eq!(
        dealer.feeds["used"].price.column.as_deref(),
        Some("Internet_Price")
    );
}

#[test]
fn an_unknown_key_is_refused_with_line_and_column() {
    let error = parse("[dealers.a]\nname = \"A\"\nnmae = \"B\"\n[dealers.a.rooftops.X]\n")
        .unwrap_err()
        .to_string();
    assert!(error.contains("line 3, column 1"), "{error}");
    assert!(error.contains("nmae"), "{error}");
}

#[test]
fn every_contradiction_is_reported_at_once() {
    let error = parse(
        r#"
        [dealers.a]
        name = "A"
        hosts = ["one.example"]
        default_rooftop = "Nowhere"
        page = { default = 50, most = 20 }
        [dealers.a.rooftops.North]
        timezone = "Mars/Olympus"
        fees = [{ name = "Doc", amount = 1 }, { name = "Doc", amount = 2 }]
        [dealers.a.feeds.f]
        rooftops = ["South"]
        conditions = ["good"]
        [dealers.b]
        name = "B"
        hosts = ["ONE.example"]
        rooftops = {}
        "#,
    )
    .unwrap_err();
    let ConfigError::Contradictory { problems, .. } = error else {
        panic!("{error}");
    };
    let keys: Vec<&str> = problems
        .iter()
        .map(|problem| problem.key.as_str())
        .collect();
    assert_eq!(
        keys,
        [
            "dealers.a.default_rooftop",
            "dealers.a.page",
            "dealers.a.rooftops.North.timezone",
            "dealers.a.rooftops.North.fees",
            "dealers.a.feeds.f.rooftops",
            "dealers.a.feeds.f.conditions",
            "dealers.b.hosts",
            "dealers.b.rooftops",
        ]
    );
}

fn problems(text: &str) -> Vec<(String, usize, usize, String)> {
    let Err(ConfigError::Contradictory { problems, .. }) = parse(text) else {
        panic!("no problems are listed");
    };
    problems
        .into_iter()
        .map(|it| (it.key, it.line, it.column, it.message))
        .collect()
}

#[test]
fn keys_that_nothing_reads_are_found_at_every_depth_and_all_at_once() {
    let found = problems(
        r#"[dealers.a]
name = "A"
[dealers.a.rooftops."St. Mary"]
geo = { latitude = 1.0, longitude = 2.0, altitude = 3.0 }
phones = [{ name = "Sales", value = "+12125550100", ext = "9" }]
[[dealers.a.rooftops."St. Mary".schedules]]
name = "sales"
  value.mondya = { open = "09:00", close = "17:00" }
"#,
    );
    let places: Vec<(&str, usize, usize)> = found
        .iter()
        .map(|(key, line, column, _)| (key.as_str(), *line, *column))
        .collect();
    assert_eq!(
        places,
        [
            ("dealers.a.rooftops.St. Mary.geo.altitude", 4, 42),
            ("dealers.a.rooftops.St. Mary.phones.0.ext", 5, 53),
            ("dealers.a.rooftops.St. Mary.schedules.0.value.mondya", 8, 9),
        ]
    );
}

#[test]
fn what_a_buyer_could_not_use_is_refused() {
    let found = problems(
        r#"
        [log]
        level = "info,,=="
        [limits]
        idle_seconds = 9000000000000000000
        [alarm]
        mail = "nobody"
        [dealers.a]
        name = " "
        hosts = ["agent.example:8080"]
        [dealers.a.rooftops.X]
        website = "example"
        geo = { latitude = 900.0, longitude = 0.0 }
        crm = "crm"
        emails = [{ value = "sales" }]
        phones = [{ value = "555-0100" }]
        [[dealers.a.rooftops.X.schedules]]
        value.monday = { open = "9am", close = "24:00" }
        [dealers.a.feeds.f]
        price = { column = "" }
        "#,
    );
    let lines: Vec<usize> = found.iter().map(|(_, line, ..)| *line).collect();
    assert_eq!(
        lines,
        [3, 5, 7, 9, 10, 12, 13, 14, 15, 16, 17, 17, 20],
        "{found:#?}"
    );
}

#[test]
fn an_empty_configuration_says_what_to_write() {
    for (text, expected) in [
        ("", "[dealers.ID]"),
        ("[dealers.a]\nname = \"A\"\n", "[dealers.a.rooftops."),
    ] {
        let message = parse(text).unwrap_err().to_string();
        assert!(message.contains(expected), "{message}");
        assert!(message.contains("line 1, column"), "{message}");
    }
}

#[test]
fn an_address_that_is_none_says_what_to_write() {
    for (text, expected) in [
        ("listen = \"localhost:8080\"", "127.0.0.1:8080"),
        ("public_url = \"agent.example\"", "https://"),
        ("public_url = \"ftp://agent.example\"", "https://"),
    ] {
        let message = parse(text).unwrap_err().to_string();
        assert!(message.contains(expected), "{message}");
        assert!(message.contains("line 1, column"), "{message}");
    }
}

#[test]
fn a_feed_or_an_alarm_that_cannot_work_is_refused() {
    let found = problems(
        r#"
        [alarm]
        smtp = { host = "mail.group.example", user = "forecourt" }
        webhook = "ftp://group.example"
        heartbeat_every = "1s"
        [dealers.a]
        name = "A"
        [dealers.a.rooftops.X]
        [dealers.a.feeds.both]
        path = "/srv/*/export.csv"
        url = "https://me:secret@vendor.example/export.csv"
        [dealers.a.feeds.neither]
        every = "1s"
        settle = "10s"
        max_megabytes = 0
        "#,
    );
    let keys: Vec<&str> = found.iter().map(|(key, ..)| key.as_str()).collect();
    assert_eq!(
        keys,
        [
            "alarm.smtp",
            "alarm.smtp",
            "alarm.webhook",
            "alarm.heartbeat_every",
            "dealers.a.feeds.both.path",
            "dealers.a.feeds.both.url",
            "dealers.a.feeds.both.url",
            "dealers.a.feeds.neither.every",
            "dealers.a.feeds.neither.every",
            "dealers.a.feeds.neither.settle",
            "dealers.a.feeds.neither.max_megabytes",
        ]
    );
    assert!(!format!("{found:?}").contains("secret"), "{found:?}");
}

#[test]
fn a_missing_file_says_what_to_do() {
    let error = Config::read(Path::new("nowhere/forecourt.toml")).unwrap_err();
    assert!(error.to_string().contains("forecourt init"));
}

#[test]
fn a_column_for_a_field_that_no_column_can_feed_is_found() {
    let found = problems(
        r##"[dealers.a]
name = "A"
[dealers.a.rooftops.X]
[dealers.a.feeds.f]
columns = { colour = "Color", exterior_color = "Color", vin = "#2" }
"##,
    );
    let [(key, line, column, message)] = found.as_slice() else {
        panic!("{found:?}");
    };
    assert_eq!(key, "dealers.a.feeds.f.columns.colour");
    assert_eq!((*line, *column), (5, 13));
    assert!(message.contains("exterior_color"), "{message}");
    let found = problems(
        "[dealers.a]\nname = \"A\"\n[dealers.a.rooftops.X]\n[dealers.a.feeds.f.columns]\ntrim = \" \"\n",
    );
    assert_eq!(found[0].0, "dealers.a.feeds.f.columns.trim");
}

#[test]
fn settings_of_ownership_history_and_doubt_that_cannot_work_are_found() {
    let found = problems(
        r#"[dealers.a]
name = "A"
remember_sold = "90d"
keep_history = "30d"
ownership = ["X", "Z", "X"]
[dealers.a.rooftops.X]
[dealers.a.feeds.f]
most_drop = 50
max_age = "0s"
expect_every = "30s"
"#,
    );
    let found: Vec<(&str, usize)> = found
        .iter()
        .map(|(key, line, ..)| (key.as_str(), *line))
        .collect();
    assert_eq!(
        found,
        [
            ("dealers.a.keep_history", 4),
            ("dealers.a.ownership", 5),
            ("dealers.a.ownership", 5),
            ("dealers.a.feeds.f.most_drop", 8),
            ("dealers.a.feeds.f.max_age", 9),
            ("dealers.a.feeds.f.expect_every", 10),
        ]
    );
}

#[test]
fn feeds_that_would_take_each_others_files_are_found() {
    let found = problems(
        r#"
        [dealers.a]
        name = "A"
        [dealers.a.rooftops.X]
        [dealers.a.feeds.all]
        path = "/srv/drop/*.csv"
        [dealers.a.feeds.elsewhere]
        path = "/srv/other/*.csv"
        [dealers.b]
        name = "B"
        [dealers.b.rooftops.X]
        [dealers.b.feeds.used]
        path = "/srv/drop/used*.csv"
        "#,
    );
    let keys: Vec<&str> = found.iter().map(|(key, ..)| key.as_str()).collect();
    assert_eq!(keys, ["dealers.b.feeds.used.path"]);
    assert!(
        found[0].3.contains("feed all of dealer a"),
        "{}",
        found[0].3
    );
}

#[test]
fn lengths_of_time_that_would_hide_the_stock_or_never_be_met_are_found() {
    let found = problems(
        r#"
        [dealers.a]
        name = "A"
        [dealers.a.rooftops.X]
        fees = [{ name = "Doc fee", amount = 75 }, { name = "doc  Fee", amount = 3 }]
        [dealers.a.feeds.used]
        expect_every = "0s"
        max_age = "0s"
        "#,
    );
    let keys: Vec<&str> = found.iter().map(|(key, ..)| key.as_str()).collect();
    assert_eq!(
        keys,
        [
            "dealers.a.rooftops.X.fees",
            "dealers.a.feeds.used.expect_every",
            "dealers.a.feeds.used.max_age",
        ]
    );
}

#[test]
fn appointments_that_nobody_could_get_are_found() {
    let found = problems(
        r#"
        [dealers.a]
        name = "A"
        [dealers.a.rooftops.North]
        [dealers.a.rooftops.North.appointments]
        slot = "7m"
        capacity = 0
        notice = "3d"
        horizon = "2d"
        [dealers.a.rooftops.South]
        timezone = "America/Chicago"
        [[dealers.a.rooftops.South.schedules]]
        name = "parts"
        value.monday = { open = "09:00", close = "17:00" }
        [dealers.a.rooftops.South.appointments]
        horizon = "400d"
        slot = "0m"
        schedules = { sales = "showroom" }
        "#,
    );
    let found: Vec<(&str, &str)> = found
        .iter()
        .map(|(key, _, _, message)| (key.as_str(), message.as_str()))
        .collect();
    for (key, words) in [
        ("dealers.a.rooftops.North.appointments", "timezone"),
        ("dealers.a.rooftops.North.appointments", "no schedule"),
        (
            "dealers.a.rooftops.North.appointments.slot",
            "7m is no slot",
        ),
        (
            "dealers.a.rooftops.North.appointments.capacity",
            "at least 1",
        ),
        (
            "dealers.a.rooftops.North.appointments.notice",
            "the horizon, 48h",
        ),
        ("dealers.a.rooftops.South.appointments.horizon", "366d"),
        ("dealers.a.rooftops.South.appointments.slot", "no slot"),
        (
            "dealers.a.rooftops.South.appointments.schedules.sales",
            "no schedule \"showroom\"; there is parts",
        ),
    ] {
        let hit = found
            .iter()
            .filter(|(at, message)| *at == key && message.contains(words));
        assert_eq!(hit.count(), 1, "{key}: {words}: {found:#?}");
    }
    assert_eq!(found.len(), 8, "{found:#?}");
}

#[test]
fn forms_of_adf_that_a_crm_would_refuse_are_found() {
    let error = parse(
        r#"
        [dealers.a]
        name = "A"
        [dealers.a.adf]
        provider = "network"
        [dealers.a.rooftops.North.destinations.crm]
        mail = "leads@crm.example"
        [dealers.a.rooftops.North.destinations.crm.adf]
        network = { name = "Example Network", email = "nobody" }
        placeholder = { make = " " }
        "#,
    )
    .unwrap_err()
    .to_string();
    for wanted in [
        "dealers.a.adf.provider: names the network, and there is none",
        "dealers.a.rooftops.North.destinations.crm.adf.network: is named to nobody",
        "nobody",
        "dealers.a.rooftops.North.destinations.crm.adf.placeholder",
    ] {
        assert!(error.contains(wanted), "{wanted}: {error}");
    }
}

#[test]
fn settings_of_trust_that_cannot_work_are_found() {
    let found = problems(
        r#"
        [limits.rate]
        contact_lead = { per_minute = 1, per_hour = 10, burst = 5 }
        agent_lead = { burst = 5 }
        known_agent_lead = { per_hour = 0, burst = 5 }
        [dealers.a]
        name = "A"
        agents = { known = ["Example Agent", " "], held = ["example agent"] }
        serves = { countries = ["US", "Canada"], states = ["NY", "QC"] }
        rooftops = { "North" = {} }
        "#,
    );
    let keys: Vec<&str> = found.iter().map(|it| it.0.as_str()).collect();
    assert_eq!(
        keys,
        [
            "limits.rate.contact_lead",
            "limits.rate.agent_lead",
            "limits.rate.known_agent_lead.per_hour",
            "dealers.a.agents.known",
            "dealers.a.agents.held",
            "dealers.a.serves.countries",
            "dealers.a.serves.states",
        ],
        "{found:#?}"
    );
}

#[test]
fn a_dealer_without_patience_is_told() {
    let problems = problems(
        r#"
        [dealers.group]
        name = "Group Motors"
        leads = { give_up_after = "10m", undelivered_after = "0s" }
        [dealers.group.rooftops.North]
        "#,
    );
    for (key, words) in [
        ("give_up_after", "less than an hour"),
        ("undelivered_after", "less than a minute"),
    ] {
        let told =
            |it: &(String, usize, usize, String)| it.0.ends_with(key) && it.3.contains(words);
        assert!(problems.iter().any(told), "{problems:?}");
    }
}
