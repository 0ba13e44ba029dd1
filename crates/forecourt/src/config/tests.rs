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
            "dealers.b.rooftops",
            "dealers.b.hosts",
        ]
    );
}

#[test]
fn a_missing_file_says_what_to_do() {
    let error = Config::read(Path::new("nowhere/forecourt.toml")).unwrap_err();
    assert!(error.to_string().contains("forecourt init"));
}
