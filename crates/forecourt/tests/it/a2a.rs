//! `forecourt a2a …`: the real program against an agent of this process, over every binding and version.

mod agent;

use serde_json::{Value, json};

use crate::support::{program, run, run_json};
use agent::Agent;

/// The flags of every way to speak with an agent.
const WAYS: [(&str, &str); 6] = [
    ("JSONRPC", "1.0"),
    ("JSONRPC", "0.3"),
    ("HTTP+JSON", "1.0"),
    ("HTTP+JSON", "0.3"),
    ("GRPC", "1.0"),
    ("GRPC", "0.3"),
];

/// What a command prints with `--json`, and its exit status.
fn ask((binding, protocol): (&str, &str), args: &[&str]) -> (i32, Value) {
    run_json(
        &[
            &["a2a"],
            args,
            &["--binding", binding, "--protocol", protocol, "--json"],
        ]
        .concat(),
    )
}

/// The events of a command that follows a task.
fn follow((binding, protocol): (&str, &str), args: &[&str]) -> (i32, Vec<Value>) {
    let flags = ["--binding", binding, "--protocol", protocol, "--json"];
    let output = run(&[&["a2a"], args, &flags].concat());
    let text = String::from_utf8(output.stdout).unwrap();
    let events = text.lines().map(|line| serde_json::from_str(line).unwrap());
    (output.status.code().unwrap(), events.collect())
}

/// A task that goes on until it is ended.
fn held(agent: &Agent, way: (&str, &str)) -> String {
    let (status, answer) = ask(way, &["send", &agent.url, "hold", "--at-once"]);
    assert_eq!(status, 0, "{way:?}: {answer}");
    answer["task"]["id"].as_str().unwrap().to_owned()
}

#[test]
fn a_message_is_answered_over_every_binding_and_version() {
    let agent = Agent::start();
    for way in WAYS {
        let (status, answer) = ask(way, &["send", &agent.url, "direct"]);
        assert_eq!(status, 0, "{way:?}: {answer}");
        let message = &answer["message"];
        assert_eq!(message["role"], "ROLE_AGENT", "{way:?}");
        assert_eq!(message["parts"][0]["text"], "you said direct", "{way:?}");

        let (status, answer) = ask(way, &["send", &agent.url, "work"]);
        assert_eq!(status, 0, "{way:?}: {answer}");
        let task = &answer["task"];
        assert_eq!(task["status"]["state"], "TASK_STATE_COMPLETED", "{way:?}");
        let parts = task["artifacts"][0]["parts"].as_array().unwrap();
        let text: Vec<&str> = parts
            .iter()
            .map(|it| it["text"].as_str().unwrap())
            .collect();
        assert_eq!(text.concat(), "one two ", "{way:?}");

        let (status, answer) = ask(way, &["send", &agent.url, "fail"]);
        assert_eq!(status, 1, "{way:?}");
        let state = &answer["task"]["status"]["state"];
        assert_eq!(state, "TASK_STATE_FAILED", "{way:?}");

        let (status, answer) = ask(way, &["send", &agent.url, "refuse"]);
        assert_eq!(status, 1, "{way:?}");
        assert_eq!(answer["error"]["code"], "agent_error", "{way:?}");
        assert_eq!(answer["error"]["message"], "not that", "{way:?}");
        let told = &answer["error"]["agent"];
        assert_eq!(told["reason"], "UNSUPPORTED_OPERATION", "{way:?}: {answer}");
    }
}

#[test]
fn a_stream_is_one_line_an_event() {
    let agent = Agent::start();
    for way in WAYS {
        let (status, events) = follow(way, &["stream", &agent.url, "work"]);
        assert_eq!(status, 0, "{way:?}: {events:?}");
        assert!(events[0].get("task").is_some(), "{way:?}: {events:?}");
        let texts = events
            .iter()
            .filter_map(|event| event["artifactUpdate"]["artifact"]["parts"][0]["text"].as_str());
        assert_eq!(texts.collect::<String>(), "one two ", "{way:?}");
        let last = &events.last().unwrap()["statusUpdate"]["status"]["state"];
        assert_eq!(last, "TASK_STATE_COMPLETED", "{way:?}: {events:?}");

        let (status, _) = follow(way, &["stream", &agent.url, "fail"]);
        assert_eq!(status, 1, "{way:?}");
    }
}

#[test]
fn a_task_is_read_followed_and_ended() {
    let agent = Agent::start();
    for way in WAYS {
        let id = held(&agent, way);
        let (status, task) = ask(way, &["get", &agent.url, &id]);
        assert_eq!((status, &task["id"]), (0, &json!(id)), "{way:?}");

        let follower = program(&[
            "a2a",
            "subscribe",
            &agent.url,
            &id,
            "--binding",
            way.0,
            "--protocol",
            way.1,
            "--json",
        ])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
        let (status, task) = ask(way, &["cancel", &agent.url, &id]);
        assert_eq!(status, 0, "{way:?}");
        assert_eq!(task["status"]["state"], "TASK_STATE_CANCELED", "{way:?}");
        let seen = follower.wait_with_output().unwrap();
        // Whether it came in time to see the end, or reads it afterwards.
        assert_eq!(seen.status.code(), Some(1), "{way:?}");
        let text = String::from_utf8(seen.stdout).unwrap();
        assert!(text.contains("TASK_STATE_CANCELED"), "{way:?}: {text}");

        let (status, error) = ask(way, &["cancel", &agent.url, &id]);
        assert_eq!(status, 1, "{way:?}");
        let reason = &error["error"]["agent"]["reason"];
        assert_eq!(reason, "TASK_NOT_CANCELABLE", "{way:?}: {error}");
        let (status, error) = ask(way, &["get", &agent.url, "nothing"]);
        let reason = &error["error"]["agent"]["reason"];
        assert_eq!((status, reason), (1, &json!("TASK_NOT_FOUND")), "{way:?}");
    }
}

#[test]
fn a_question_is_answered_in_the_same_task() {
    let agent = Agent::start();
    for way in WAYS {
        let (status, asked) = ask(way, &["send", &agent.url, "ask"]);
        let state = &asked["task"]["status"]["state"];
        assert_eq!(
            (status, state),
            (0, &json!("TASK_STATE_INPUT_REQUIRED")),
            "{way:?}"
        );
        let id = asked["task"]["id"].as_str().unwrap();
        let (status, done) = ask(way, &["send", &agent.url, "work", "--task", id]);
        let state = &done["task"]["status"]["state"];
        assert_eq!(
            (status, state),
            (0, &json!("TASK_STATE_COMPLETED")),
            "{way:?}"
        );
        assert_eq!(done["task"]["id"], id, "{way:?}");
    }
}

#[test]
fn tasks_are_listed_in_1_0_only() {
    let agent = Agent::start();
    for way in WAYS {
        let listed = ask(way, &["list", &agent.url, "--state", "input-required"]);
        if way.1 == "0.3" {
            assert_eq!(listed.0, 1, "{way:?}");
            let words = listed.1["error"]["message"].as_str().unwrap();
            assert!(words.contains("ListTasks"), "{words}");
            continue;
        }
        let before = listed.1["totalSize"].as_u64().unwrap();
        ask(way, &["send", &agent.url, "ask"]);
        let args = [
            "list",
            &agent.url,
            "--state",
            "input-required",
            "--limit",
            "1",
        ];
        let (status, page) = ask(way, &args);
        assert_eq!(status, 0, "{way:?}");
        assert_eq!(page["totalSize"], before + 1, "{way:?}");
        assert_eq!(page["tasks"].as_array().unwrap().len(), 1, "{way:?}");
    }
}

#[test]
fn webhooks_are_registered_read_listed_and_dropped() {
    let agent = Agent::start();
    let hook = "http://127.0.0.1:9/hook";
    for way in WAYS {
        let id = held(&agent, way);
        let (status, made) = ask(
            way,
            &["push", "create", &agent.url, &id, hook, "--id", "h-1"],
        );
        assert_eq!(status, 0, "{way:?}: {made}");
        assert_eq!(
            (&made["id"], &made["url"]),
            (&json!("h-1"), &json!(hook)),
            "{way:?}"
        );
        let (status, read) = ask(way, &["push", "get", &agent.url, &id, "h-1"]);
        assert_eq!((status, &read["url"]), (0, &json!(hook)), "{way:?}");
        let (status, page) = ask(way, &["push", "list", &agent.url, &id]);
        assert_eq!(
            (status, &page["configs"][0]["id"]),
            (0, &json!("h-1")),
            "{way:?}"
        );
        let (status, _) = ask(way, &["push", "delete", &agent.url, &id, "h-1"]);
        assert_eq!(status, 0, "{way:?}");
        let (_, page) = ask(way, &["push", "list", &agent.url, &id]);
        let left = page["configs"].as_array().map_or(0, Vec::len);
        assert_eq!(left, 0, "{way:?}: {page}");
    }
}

#[test]
fn people_read_words_instead_of_json() {
    let agent = Agent::start();
    let words = |args: &[&str]| {
        let output = run(&[&["a2a"], args].concat());
        assert!(output.status.success(), "{args:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(words(&["send", &agent.url, "direct"]).starts_with("you said direct"));
    let card = words(&["card", &agent.url]);
    assert!(card.contains("GRPC 1.0 at"), "{card}");
    let stream = words(&["stream", &agent.url, "work"]);
    assert!(stream.contains("[completed]"), "{stream}");
    let data = tempfile::tempdir().unwrap();
    let file = data.path().join("request.json");
    std::fs::write(&file, r#"{"year":2021}"#).unwrap();
    let sent = words(&["send", &agent.url, "--data", file.to_str().unwrap()]);
    assert!(sent.contains("you said"), "{sent}");
}

#[test]
fn who_is_not_there_or_no_agent_is_told_by_the_exit_status() {
    let agent = Agent::start();
    let page = agent.url.clone() + "/page";
    for (args, status) in [
        (vec!["send", "http://127.0.0.1:1", "x"], 3),
        (vec!["send", page.as_str(), "x"], 4),
        (vec!["send", "agent.example", "x"], 2),
        (vec!["send", &agent.url, "x", "--binding", "SOAP"], 2),
        (vec!["send", &agent.url, "x", "--protocol", "2.0"], 2),
        (vec!["send", &agent.url], 2),
    ] {
        let (found, document) = run_json(&[&["a2a"], &args[..], &["--json"]].concat());
        assert_eq!(found, status, "{args:?}: {document}");
        assert!(document["error"]["message"].is_string(), "{args:?}");
    }
}
