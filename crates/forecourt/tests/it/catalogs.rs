//! Named catalogs, from the file to the answer.

use std::path::Path;

use serde_json::{Value, json};

use crate::support::{Server, eventually, program, request, run_json};

const GARDEN: &str = r#"
    [dealers.main]
    name = "Main Cars"
    rooftops = { "Main" = {} }
    [catalogs.garden]
    name = "Garden House"
    path = "drop/*.csv"
    settle = "0s"
    [catalogs.kitchen]
    name = "Kitchen House"
"#;

/// So many items, each at its number times ten.
pub(crate) fn items(count: usize) -> String {
    let mut file = "sku,title,category,price\n".to_owned();
    for item in 1..=count {
        file.push_str(&format!(
            "G{item},Bench {item},Outdoor > Seating,{item}0 EUR\n"
        ));
    }
    file
}

/// A data folder with this configuration.
pub(crate) fn site(config: &str) -> tempfile::TempDir {
    let data = tempfile::tempdir().unwrap();
    std::fs::write(data.path().join("forecourt.toml"), config).unwrap();
    data
}

pub(crate) fn command(data: &Path, args: &[&str]) -> (i32, Value) {
    let common = ["--data", data.to_str().unwrap(), "--json"];
    run_json(&[args, &common].concat())
}

pub(crate) fn import(data: &Path, catalog: &str, content: &str) -> (i32, Value) {
    let file = data.join("garden.csv");
    std::fs::write(&file, content).unwrap();
    let file = file.to_str().unwrap();
    command(data, &["import", file, "--catalog", catalog])
}

pub(crate) fn key(data: &Path, owner: [&str; 2], scope: &str) -> String {
    let name = format!("{} {scope}", owner[1]);
    let create = ["key", "create", "--name", &name, "--scope", scope];
    let (status, made) = command(data, &[&create[..], &owner].concat());
    assert_eq!(status, 0, "{made:#}");
    made["key"].as_str().unwrap().to_owned()
}

/// Asks over JSON-RPC at a path, in A2A 0.3.
pub(crate) fn ask(server: &Server, path: &str, key: Option<&str>, params: &Value) -> (u16, Value) {
    let authorization = key.map(|key| format!("Bearer {key}"));
    let mut headers = vec![("Content-Type", "application/json")];
    headers.extend(authorization.as_deref().map(|it| ("Authorization", it)));
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "message/send", "params": params });
    let reply = request(&server.address, "POST", path, &headers, &body.to_string());
    let (status, body) = reply.unwrap();
    (status, serde_json::from_str(&body).unwrap_or_default())
}

pub(crate) fn question(text: &str) -> Value {
    json!({ "message": { "parts": [{ "kind": "text", "text": text }] } })
}

pub(crate) fn text(answer: &Value) -> &str {
    let text = &answer["result"]["artifacts"][0]["parts"][0]["text"];
    text.as_str().unwrap_or_else(|| panic!("{answer:#}"))
}

#[test]
fn the_demos_catalog_is_asked_over_every_binding_and_has_a_card() {
    let data = tempfile::tempdir().unwrap();
    let server = Server::demo(data.path());
    let path = "/catalogs/demo-patio/analyst";
    let gaps = question("Where are the gaps in outdoor furniture?");
    let (status, answer) = ask(&server, path, None, &gaps);
    assert_eq!(status, 200);
    let over_json_rpc = text(&answer);
    assert!(
        over_json_rpc.contains("Own catalog: 48 rows read"),
        "{over_json_rpc}"
    );

    let url = format!("http://{}{path}", server.address);
    let asked = "Where are the gaps in outdoor furniture?";
    for binding in ["JSONRPC", "HTTP+JSON", "GRPC"] {
        let (status, sent) =
            run_json(&["a2a", "send", &url, asked, "--binding", binding, "--json"]);
        assert_eq!(status, 0, "{binding}: {sent:#}");
        let said = &sent["task"]["artifacts"][0]["parts"][0]["text"];
        assert_eq!(said, over_json_rpc, "{binding}");
    }
    let (status, local) = command(data.path(), &["ask", asked, "--catalog", "demo-patio"]);
    assert_eq!(status, 0, "{local:#}");
    assert_eq!(local["findings"][0]["text"], over_json_rpc);

    let card = format!("{path}/.well-known/agent-card.json");
    let (_, card) = request(&server.address, "GET", &card, &[], "").unwrap();
    let card: Value = serde_json::from_str(&card).unwrap();
    assert_eq!(card["name"], "Catalog analyst of Demo Patio");
    let interfaces = card["supportedInterfaces"].as_array().unwrap();
    assert!(
        interfaces.iter().any(|it| it["url"] == url.as_str()),
        "{card:#}"
    );
    let grpc = interfaces.iter().find(|it| it["protocolBinding"] == "GRPC");
    assert_eq!(grpc.unwrap()["tenant"], "demo-patio");
    let (status, _) = ask(&server, "/catalogs/nowhere/analyst", None, &gaps);
    assert_eq!(status, 404);
}

#[test]
fn a_file_that_is_doubted_waits_for_a_person_and_is_an_alarm_meanwhile() {
    let data = site(GARDEN);
    let data = data.path();
    let (status, published) = import(data, "garden", &items(20));
    assert_eq!((status, &published["run"]["added"]), (0, &json!(20)));
    let (status, doubted) = import(data, "garden", &items(4));
    assert_eq!(
        (status, &doubted["run"]["state"]),
        (1, &json!("kept_last_good"))
    );
    let run = doubted["run"]["id"].as_str().unwrap();

    let (_, listed) = command(data, &["catalogs"]);
    assert_eq!(listed["catalogs"][0]["catalog"], "garden");
    assert_eq!(listed["attention"][0]["run"], run, "{listed:#}");
    let (status, told) = command(data, &["status"]);
    assert_eq!(
        (status, &told["alarms"][0]["dealer"]),
        (1, &json!("garden")),
        "{told:#}"
    );
    let (_, ladder) = command(data, &["ask", "How many items?", "--catalog", "garden"]);
    assert!(ladder.to_string().contains("20 rows read"), "{ladder:#}");

    let accept = ["catalogs", "accept", run, "--catalog", "garden"];
    let (status, accepted) = command(data, &accept);
    assert_eq!((status, &accepted["run"]["withdrawn"]), (0, &json!(16)));
    assert_eq!(command(data, &["status"]).1["alarms"], json!([]));
    let (_, runs) = command(data, &["catalogs", "runs", "--catalog", "garden"]);
    assert_eq!(runs["runs"].as_array().unwrap().len(), 3);
    let (_, shown) = command(data, &["catalogs", "show", run, "--catalog", "garden"]);
    assert_eq!(shown["report"]["rows"], 4, "{shown:#}");
    let (_, gone) = command(
        data,
        &["ask", "What disappeared this week?", "--catalog", "garden"],
    );
    assert!(
        gone["findings"][0]["text"]
            .as_str()
            .unwrap()
            .starts_with("16 gone"),
        "{gone:#}"
    );
    let (status, refused) = import(data, "attic", &items(4));
    assert_eq!(status, 2, "{refused:#}");
}

/// Google's product feed with so many items, each at its number times ten, every fifth without an image and
/// every fourth out of stock.
fn feed(count: usize) -> String {
    let item = |item: usize| {
        let image = match item % 5 {
            0 => String::new(),
            _ => format!("<g:image_link>https://shop.example/{item}.jpg</g:image_link>"),
        };
        let availability = if item.is_multiple_of(4) {
            "out_of_stock"
        } else {
            "in_stock"
        };
        format!(
            "<item><g:id>G{item}</g:id><title>Bench {item}</title><g:product_type>Outdoor &gt; Seating</g:product_type>\
             <g:price>{item}0 EUR</g:price><g:availability>{availability}</g:availability>{image}</item>\n"
        )
    };
    let items: String = (1..=count).map(item).collect();
    format!(
        "<?xml version=\"1.0\"?>\n<rss version=\"2.0\" xmlns:g=\"http://base.google.com/ns/1.0\"><channel>\
         <lastBuildDate>Tue, 30 Jun 2026 06:00:00 +0000</lastBuildDate>\n{items}</channel></rss>\n"
    )
}

#[test]
fn a_product_feed_in_xml_is_a_catalog_and_its_items_are_counted() {
    let data = site(&GARDEN.replace("*.csv", "*.xml"));
    let data = data.path();
    let asks = key(data, ["--catalog", "garden"], "analyst");
    std::fs::create_dir(data.join("drop")).unwrap();
    std::fs::write(data.join("drop/one.xml"), feed(20)).unwrap();
    let server = Server::start(&["serve", "--data", data.to_str().unwrap()]);
    let ask = |question: Value| {
        let answer = ask(&server, "/catalogs/garden/analyst", Some(&asks), &question).1;
        text(&answer).to_owned()
    };
    eventually("the dropped file is the catalog", || {
        ask(question("How many items?")).contains("20 rows read")
    });
    for (asked, said) in [
        ("What lacks photos?", "4 of 20 items"),
        ("What is out of stock?", "5 of 20 items"),
        ("How many items under 100 EUR?", "9 of 20"),
        (
            "What is in my catalog?",
            "Snapshot 2026-06-30 (newest value of channel.lastBuildDate)",
        ),
    ] {
        let text = ask(question(asked));
        assert!(text.contains(said), "{asked}: {said}\n{text}");
    }
    // A file of a question is CSV.
    let sent = json!({ "message": { "parts": [
        { "kind": "text", "text": "How many items?" },
        { "kind": "file", "file": { "name": "market.xml", "mimeType": "application/xml",
            "bytes": data_encoding::BASE64.encode(feed(3).as_bytes()) } },
    ] } });
    let text = ask(sent);
    assert!(
        text.contains("market.xml (attached): not read, it is application/xml, not a CSV file"),
        "{text}"
    );

    let file = data.join("export.xml");
    std::fs::write(&file, feed(2)).unwrap();
    let dry = [
        "import",
        file.to_str().unwrap(),
        "--catalog",
        "garden",
        "--dry-run",
    ];
    let (status, report) = command(data, &dry);
    assert_eq!(
        (status, &report["format"], &report["rows"]),
        (0, &json!("xml"), &json!(2)),
        "{report:#}"
    );
}

#[test]
fn a_dry_run_says_how_columns_are_read_and_writes_nothing() {
    let data = site(GARDEN);
    let file = data.path().join("export.csv");
    std::fs::write(&file, items(2)).unwrap();
    let file = file.to_str().unwrap();
    let dry = ["import", file, "--catalog", "garden", "--dry-run"];
    let (status, report) = command(data.path(), &dry);
    assert_eq!((status, &report["rows"]), (0, &json!(2)));
    let columns = report["columns"].as_array().unwrap();
    let sku = columns.iter().find(|column| column["header"] == "sku");
    assert!(sku.unwrap()["field"].is_string(), "{report:#}");
    let (status, _) = command(data.path(), &["catalogs"]);
    assert_eq!(status, 2, "there is no database");
}

#[test]
fn a_catalogs_key_opens_that_catalog_alone_and_its_files_come_by_folder_and_upload() {
    let site = site(GARDEN);
    let data = site.path();
    let garden = ["--catalog", "garden"];
    let asks = key(data, garden, "analyst");
    let trusted = key(data, garden, "analyst,analyst-context");
    let vendor = key(data, garden, "feeds");
    let dealers = key(data, ["--dealer", "main"], "analyst,feeds");
    let kitchens = key(data, ["--catalog", "kitchen"], "analyst,feeds");
    let lists = [
        "key",
        "create",
        "--name",
        "crm",
        "--scope",
        "leads",
        "--catalog",
        "garden",
    ];
    assert_eq!(command(data, &lists).0, 2, "a catalog has no leads");

    std::fs::create_dir(data.join("drop")).unwrap();
    std::fs::write(data.join("drop/one.csv"), items(3)).unwrap();
    let server = Server::start(&["serve", "--data", data.to_str().unwrap()]);
    let path = "/catalogs/garden/analyst";
    let how_many = question("How many items?");
    let rows = || text(&ask(&server, path, Some(&asks), &how_many).1).to_owned();
    eventually("the dropped file is the catalog", || {
        rows().contains("3 rows read")
    });

    let put = |key: &str, content: &str| {
        let authorization = format!("Bearer {key}");
        let headers = [("Authorization", authorization.as_str())];
        let path = "/api/catalogs/garden";
        let reply = request(&server.address, "PUT", path, &headers, content);
        let (status, body) = reply.unwrap();
        (status, serde_json::from_str::<Value>(&body).unwrap())
    };
    let (status, report) = put(&vendor, &items(5));
    assert_eq!(
        (status, &report["run"]["added"]),
        (200, &json!(2)),
        "{report:#}"
    );
    assert!(rows().contains("5 rows read"), "the next question sees it");
    assert_eq!(put(&vendor, "sku,title\n").0, 422);
    assert_eq!(put(&vendor, &items(1)).0, 409);
    for foreign in [&asks, &dealers, &kitchens] {
        assert_eq!(put(foreign, &items(5)).0, 403);
    }

    assert_eq!(ask(&server, path, None, &how_many).0, 401);
    assert_eq!(ask(&server, path, Some(&vendor), &how_many).0, 403);
    for foreign in [&dealers, &kitchens] {
        let (_, refused) = ask(&server, path, Some(foreign), &how_many);
        assert!(refused["error"].is_object(), "{refused:#}");
    }
    let (_, refused) = ask(&server, "/dealers/main/analyst", Some(&asks), &how_many);
    assert!(refused["error"].is_object(), "{refused:#}");

    let mut narrowed = how_many;
    narrowed["catalog_context"] =
        json!({ "catalog": "garden", "filters": { "category": "Nothing" } });
    let (_, heard) = ask(&server, path, Some(&trusted), &narrowed);
    assert!(text(&heard).contains("Nothing"), "{}", text(&heard));
    narrowed["catalog_context"]["catalog"] = json!("kitchen");
    let (_, refused) = ask(&server, path, Some(&trusted), &narrowed);
    assert_eq!(refused["error"]["code"], -32602, "{refused:#}");

    let (_, empty) = ask(
        &server,
        "/catalogs/kitchen/analyst",
        Some(&kitchens),
        &question("How many items?"),
    );
    assert!(
        text(&empty).contains("No file of the own catalog has come yet"),
        "{}",
        text(&empty)
    );
}

#[test]
fn a_configuration_may_have_catalogs_alone_and_no_name_twice() {
    let alone = site("[catalogs.garden]\nname = \"Garden House\"\n");
    assert_eq!(import(alone.path(), "garden", &items(2)).0, 0);
    let (status, answer) = command(alone.path(), &["ask", "How many items?"]);
    assert_eq!(status, 0, "{answer:#}");
    let twice = GARDEN.replace("catalogs.garden", "catalogs.main");
    let twice = site(&twice.replace("name = \"Kitchen House\"", "columns = { id = \" \" }"));
    let output = program(&["config", "check", "--data", twice.path().to_str().unwrap()])
        .output()
        .unwrap();
    let words = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2));
    for problem in [
        "catalogs.main: a dealer is called main too",
        "catalogs.kitchen.name: ",
        "catalogs.kitchen.columns: ",
    ] {
        assert!(words.contains(problem), "{problem}\n{words}");
    }
}
