//! The analyst as a seller's client meets it.

use std::path::Path;

use data_encoding::BASE64;
use serde_json::{Value, json};

use crate::support::{Reply, Server, exchange, program, request, run_json};

const MARKET: &str =
    "id;titel;preis\n1;Sofa Oslo;499,00 EUR\n2;Sofa Bergen;1.299,00 EUR\n3;Tisch;;\n";

/// The answer to a JSON-RPC body.
fn post(server: &Server, body: &str) -> Value {
    let headers = [("Content-Type", "application/json")];
    let (status, body) = request(&server.address, "POST", "/analyst", &headers, body).unwrap();
    assert_eq!(status, 200, "{body}");
    serde_json::from_str(&body).unwrap()
}

fn send(server: &Server, params: &Value) -> Value {
    let body = json!({ "jsonrpc": "2.0", "id": "1", "method": "message/send", "params": params });
    post(server, &body.to_string())
}

fn ask(server: &Server, question: &str) -> Value {
    send(
        server,
        &json!({ "message": { "parts": [{ "kind": "text", "text": question }] } }),
    )
}

fn text(answer: &Value) -> &str {
    let text = &answer["result"]["artifacts"][0]["parts"][0]["text"];
    text.as_str().unwrap_or_else(|| panic!("{answer:#}"))
}

fn file(name: &str, media_type: &str, bytes: &[u8]) -> Value {
    json!({ "kind": "file", "file": {
        "name": name, "mimeType": media_type, "bytes": BASE64.encode(bytes),
    } })
}

#[test]
fn a_question_without_ids_is_answered_with_a_task_and_its_evidence() {
    let data = tempfile::tempdir().unwrap();
    let server = Server::demo(data.path());
    let answer = ask(&server, "How many used cars do we have?");
    let result = &answer["result"];
    assert_eq!(result["kind"], "task");
    assert_eq!(result["status"]["state"], "completed");
    assert!(result["id"].is_string() && result["contextId"].is_string());
    let text = text(&answer);
    assert!(text.starts_with("118 of 240"), "{text}");
    assert!(text.contains("condition is used"), "{text}");
    assert!(text.contains("Own inventory: 240 rows read"), "{text}");
    let evidence = &result["artifacts"][0]["metadata"]["evidence"];
    assert_eq!(evidence[0]["rowsRead"], 240, "{evidence:#}");
}

#[test]
fn files_are_read_or_reported_and_none_is_kept() {
    let data = tempfile::tempdir().unwrap();
    let server = Server::demo(data.path());
    let answer = send(
        &server,
        &json!({ "message": { "parts": [
            { "kind": "text", "text": "Give me an overview" },
            file("market.csv", "application/octet-stream", MARKET.as_bytes()),
            file("notes.pdf", "application/pdf", b"%PDF-1.7"),
            { "kind": "file", "file": { "name": "far.csv", "mimeType": "text/csv", "uri": "https://example.com/far.csv" } },
            { "kind": "file", "file": { "name": "odd.csv", "mimeType": "text/csv", "bytes": "%%%" } },
        ] } }),
    );
    let text = text(&answer);
    for line in [
        "market.csv (attached): 3 rows read",
        "notes.pdf (attached): not read",
        "far.csv (attached): not read",
        "odd.csv (attached): not read",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    drop(server);
    let sofa = BASE64.encode(MARKET.as_bytes());
    for file in std::fs::read_dir(data.path())
        .unwrap()
        .map(|it| it.unwrap().path())
    {
        if file.is_file() {
            let bytes = std::fs::read(&file).unwrap();
            let held = String::from_utf8_lossy(&bytes).contains(&sofa[..40]);
            assert!(!held, "{} holds the attachment", file.display());
        }
    }
}

#[test]
fn every_error_of_the_contract_is_told_by_its_code() {
    let data = tempfile::tempdir().unwrap();
    let server = Server::demo(data.path());
    for (body, code) in [
        ("{", -32700),
        (r#"{"jsonrpc":"2.0","id":1}"#, -32600),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"message/ask","params":{}}"#,
            -32601,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"message/send","params":{}}"#,
            -32602,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{}}}"#,
            -32602,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"parts":[]}}}"#,
            -32602,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"contextId":"a","message":{"contextId":"b","parts":[{"kind":"text","text":"x"}]}}}"#,
            -32602,
        ),
    ] {
        let answer = post(&server, body);
        assert_eq!(answer["error"]["code"], code, "{body}: {answer:#}");
    }
}

#[test]
fn what_fails_on_this_side_is_one_sentence_to_the_caller_and_its_cause_is_in_the_log() {
    let data = tempfile::tempdir().unwrap();
    let log = data.path().join("log");
    let folder = data.path().to_str().unwrap();
    let mut command = program(&["serve", "--demo", "--data", folder]);
    let server = Server::spawn(command.stderr(std::fs::File::create(&log).unwrap()));
    text(&ask(&server, "How many used cars do we have?"));
    // The tables that the tasks are kept in, and those that the question is about.
    for table in ["task", "lead"] {
        rename(data.path(), table, "elsewhere");
        let answer = ask(&server, "How many used cars do we have?");
        assert_eq!(
            answer["error"],
            json!({
                "code": -32603,
                "message": "The analysis service encountered an error. Please try again.",
            }),
            "{table}"
        );
        rename(data.path(), "elsewhere", table);
        text(&ask(&server, "How many used cars do we have?"));
        let log = std::fs::read_to_string(&log).unwrap();
        let cause = log
            .lines()
            .find(|line| line.contains(&format!("no such table: {table}")));
        let cause = cause.unwrap_or_else(|| panic!("{log}"));
        assert!(cause.contains("correlation="), "{cause}");
    }
}

/// Changes the database under the server's feet.
fn rename(data: &Path, table: &str, name: &str) {
    let file = data.join("forecourt.db");
    let options = store::Options::sqlite(file).migrations(&forecourt::app::migrations());
    let store = store::Store::open(options).unwrap();
    let statement: &'static str = format!("ALTER TABLE {table} RENAME TO {name}").leak();
    let rename = store.write(move |conn| conn.execute(statement, &[]));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let renamed: Result<u64, store::Error> = runtime.block_on(rename);
    renamed.unwrap();
}

#[test]
fn a_stream_shows_the_work_and_ends_with_a_final_status() {
    let data = tempfile::tempdir().unwrap();
    let server = Server::demo(data.path());
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "message/stream", "params": {
        "message": { "parts": [{ "kind": "text", "text": "What lacks photos?" }] },
    } });
    let reply = stream(&server, &body);
    let events: Vec<Value> = reply
        .body
        .lines()
        .filter_map(|line| line.strip_prefix("data:"))
        .map(|data| serde_json::from_str::<Value>(data).unwrap()["result"].clone())
        .collect();
    let kinds: Vec<&str> = events
        .iter()
        .map(|it| it["kind"].as_str().unwrap())
        .collect();
    assert_eq!(kinds.first(), Some(&"task"), "{events:#?}");
    assert!(kinds.contains(&"artifact-update"), "{kinds:?}");
    let last = events.last().unwrap();
    assert_eq!(last["status"]["state"], "completed");
    assert_eq!(last["final"], true);
}

fn stream(server: &Server, body: &Value) -> Reply {
    let headers = [
        ("Content-Type", "application/json"),
        ("Accept", "text/event-stream"),
    ];
    exchange(
        &server.address,
        "POST",
        "/analyst",
        &headers,
        &body.to_string(),
    )
    .unwrap()
}

#[test]
fn a_follow_up_in_a_conversation_narrows_the_question_before() {
    let data = tempfile::tempdir().unwrap();
    let server = Server::demo(data.path());
    let first = ask(&server, "How many used cars do we have?");
    let follow_up = send(
        &server,
        &json!({
            "contextId": first["result"]["contextId"],
            "message": { "parts": [{ "kind": "text", "text": "and how many of those under 20k?" }] },
        }),
    );
    let text = text(&follow_up);
    assert!(text.contains("condition is used"), "{text}");
    assert!(text.contains("20,000"), "{text}");
}

#[test]
fn what_nobody_understands_is_answered_with_what_can_be_asked() {
    let data = tempfile::tempdir().unwrap();
    let server = Server::demo(data.path());
    let answer = ask(&server, "xyzzy plugh");
    assert_eq!(answer["result"]["status"]["state"], "completed");
    assert!(text(&answer).contains("Try: "), "{}", text(&answer));
}

#[test]
fn a_client_that_draws_gets_messages_of_its_version_behind_the_text() {
    let data = tempfile::tempdir().unwrap();
    let server = Server::demo(data.path());
    let params = json!({ "message": {
        "extensions": ["https://a2ui.org/a2a-extension/a2ui/v0.9"],
        "parts": [{ "kind": "text", "text": "What lacks photos?" }],
    } });
    let answer = send(&server, &params);
    let parts = answer["result"]["artifacts"][0]["parts"]
        .as_array()
        .unwrap();
    assert_eq!(parts[0]["kind"], "text");
    let drawn: Vec<&Value> = parts.iter().filter(|it| it["kind"] == "data").collect();
    assert_eq!(drawn.len(), 3, "{parts:#?}");
    assert!(drawn[0]["data"]["createSurface"].is_object());
    assert_eq!(drawn[0]["metadata"]["mimeType"], "application/json+a2ui");
}

#[test]
fn outside_the_demo_a_key_with_the_scope_opens_its_own_dealers_analyst_alone() {
    let data = tempfile::tempdir().unwrap();
    let folder = data.path().to_str().unwrap();
    let config = "[dealers.north]\nname = \"North Cars\"\nrooftops = { \"North\" = {} }\n[dealers.south]\nname = \"South Cars\"\nrooftops = { \"South\" = {} }\n";
    std::fs::write(data.path().join("forecourt.toml"), config).unwrap();
    let key = |dealer: &str, scope: &str| {
        let name = format!("{dealer} {scope}");
        let flags = ["--data", folder, "--dealer", dealer, "--json"];
        let create = ["key", "create", "--name", &name, "--scope", scope];
        let (status, made) = run_json(&[&create[..], &flags].concat());
        assert_eq!(status, 0, "{made:#}");
        made["key"].as_str().unwrap().to_owned()
    };
    let (analyst, other_scope) = (key("north", "analyst"), key("north", "feeds"));
    let (other_dealer, trusted) = (
        key("south", "analyst"),
        key("north", "analyst,analyst-context"),
    );
    let server = Server::start(&["serve", "--data", folder]);
    let send = |key: Option<&str>, params: &Value| {
        let authorization = key.map(|key| format!("Bearer {key}"));
        let mut headers = vec![("Content-Type", "application/json")];
        headers.extend(authorization.as_deref().map(|it| ("Authorization", it)));
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "message/send", "params": params });
        let path = "/dealers/north/analyst";
        let (status, body) =
            request(&server.address, "POST", path, &headers, &body.to_string()).unwrap();
        (status, serde_json::from_str::<Value>(&body).unwrap())
    };
    let question =
        json!({ "message": { "parts": [{ "kind": "text", "text": "Give me an overview" }] } });
    assert_eq!(send(None, &question).0, 401);
    assert_eq!(send(Some("nonsense"), &question).0, 401);
    assert_eq!(send(Some(&other_scope), &question).0, 403);
    let (_, refused) = send(Some(&other_dealer), &question);
    assert!(refused["error"].is_object(), "{refused:#}");
    let (status, answer) = send(Some(&analyst), &question);
    assert_eq!(
        (status, &answer["result"]["status"]["state"]),
        (200, &json!("completed"))
    );

    let mut narrowed = question;
    narrowed["catalog_context"] = json!({ "filters": { "make": "Honda" }, "mood": 1 });
    let (_, ignored) = send(Some(&analyst), &narrowed);
    assert!(
        text(&ignored).contains("catalog_context was ignored"),
        "{}",
        text(&ignored)
    );
    let (_, heard) = send(Some(&trusted), &narrowed);
    assert!(text(&heard).contains("mood"), "{}", text(&heard));

    // A task belongs to its caller.
    let task = answer["result"]["id"].as_str().unwrap();
    let get = json!({ "jsonrpc": "2.0", "id": 1, "method": "tasks/get", "params": { "id": task } });
    let read = |key: &str| {
        let authorization = format!("Bearer {key}");
        let headers = [
            ("Content-Type", "application/json"),
            ("Authorization", &authorization),
        ];
        let path = "/dealers/north/analyst";
        let (_, body) = request(&server.address, "POST", path, &headers, &get.to_string()).unwrap();
        serde_json::from_str::<Value>(&body).unwrap()
    };
    assert_eq!(read(&analyst)["result"]["id"], task);
    assert_eq!(read(&trusted)["error"]["code"], -32001);
}

#[test]
fn the_card_is_read_by_both_generations_and_says_what_a_caller_must_prove() {
    let data = tempfile::tempdir().unwrap();
    let server = Server::demo(data.path());
    let path = "/analyst/.well-known/agent-card.json";
    let (status, card) = request(&server.address, "GET", path, &[], "").unwrap();
    assert_eq!(status, 200);
    let card: Value = serde_json::from_str(&card).unwrap();
    assert_eq!(card["protocolVersion"], "0.3.0", "{card:#}");
    assert_eq!(card["skills"].as_array().unwrap().len(), 15);
    assert!(card["supportedInterfaces"].as_array().unwrap().len() >= 6);
    let folder = data.path().join("card.json");
    std::fs::write(&folder, card.to_string()).unwrap();
    let (status, report) = run_json(&["card", "check", folder.to_str().unwrap(), "--json"]);
    assert_eq!(status, 0, "{report:#}");
}

#[test]
fn the_command_line_asks_here_and_over_a2a_and_hears_the_same() {
    let data = tempfile::tempdir().unwrap();
    let server = Server::demo(data.path());
    let question = "How many used cars do we have?";
    let url = format!("http://{}/analyst", server.address);
    let (status, remote) = run_json(&["ask", "--url", &url, question, "--json"]);
    assert_eq!(status, 0, "{remote:#}");
    let folder = data.path().to_str().unwrap();
    let (status, local) = run_json(&["ask", question, "--data", folder, "--json"]);
    assert_eq!(status, 0, "{local:#}");
    let said = &remote["task"]["artifacts"][0]["parts"][0]["text"];
    assert_eq!(&local["findings"][0]["text"], said);
}
