//! Nodes that serve the same dealer beside each other.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    net::TcpStream,
    time::Instant,
};

use data_encoding::BASE64;

use super::*;
use crate::support::{eventually, run};

/// A stream of server-sent events: the ids and the data, as they come.
struct Events(BufReader<TcpStream>);

impl Events {
    fn open(node: &Server, headers: &[(&str, &str)], body: &str) -> Self {
        let mut stream = TcpStream::connect(&node.address).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(60)))
            .unwrap();
        let mut head = format!(
            "POST /analyst HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nA2A-Version: 1.0\r\n\
             Content-Type: application/json\r\nAccept: text/event-stream\r\n",
            node.address
        );
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str(&format!("Content-Length: {}\r\n\r\n", body.len()));
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(body.as_bytes()).unwrap();
        Self(BufReader::new(stream))
    }
}

impl Iterator for Events {
    type Item = (u64, Value);

    fn next(&mut self) -> Option<Self::Item> {
        let mut id = None;
        loop {
            let mut line = String::new();
            if self.0.read_line(&mut line).unwrap_or_default() == 0 {
                return None;
            }
            if let Some(number) = line.strip_prefix("id:") {
                id = Some(number.trim().parse().unwrap());
            }
            if let Some(data) = line.strip_prefix("data:") {
                let data: Value = serde_json::from_str(data).unwrap();
                assert!(data.get("error").is_none(), "{data:#}");
                return Some((id.take().unwrap_or_default(), data["result"].clone()));
            }
        }
    }
}

/// A question that takes a while: many rows come with it.
fn long_question() -> String {
    let mut table = "sku;title;category;price;stock\n".to_owned();
    for row in 0..60_000 {
        let line = format!(
            "{row};Sofa {row};cat{};{}.90;{}\n",
            row % 97,
            row % 4999,
            row % 7
        );
        table.push_str(&line);
    }
    question(
        "SendStreamingMessage",
        &json!({ "message": {
            "messageId": "long",
            "role": "ROLE_USER",
            "parts": [
                { "text": "Give me an overview" },
                { "raw": BASE64.encode(table.as_bytes()), "filename": "market.csv", "mediaType": "text/csv" },
            ],
        } }),
    )
}

fn follow(node: &Server, task: &str, seen: u64) -> Vec<(u64, Value)> {
    let body = question("SubscribeToTask", &json!({ "id": task }));
    Events::open(node, &[("Last-Event-ID", &seen.to_string())], &body).collect()
}

#[test]
fn a_stream_that_began_on_one_node_goes_on_with_the_other() {
    let Some(postgres) = Postgres::find() else {
        return;
    };
    let cluster = Cluster::on(&postgres.database());
    let [one, two] = ["one", "two"].map(|name| cluster.node(name));
    let mut begun = Events::open(&one, &[], &long_question());
    let (first, task) = begun.next().unwrap();
    let task = task["task"]["id"].as_str().unwrap().to_owned();
    drop(begun);
    let rest = follow(&two, &task, first);
    let numbers: Vec<u64> = rest.iter().map(|(number, _)| *number).collect();
    let expected: Vec<u64> = (first + 1..=first + numbers.len() as u64).collect();
    assert_eq!(numbers, expected);
    let (_, last) = rest.last().unwrap();
    assert_eq!(
        last["statusUpdate"]["status"]["state"], "TASK_STATE_COMPLETED",
        "{last:#}"
    );
    // Both tell the same from its beginning.
    assert_eq!(follow(&one, &task, first), rest);
}

#[test]
fn a_question_whose_node_is_killed_is_failed_by_the_other() {
    let Some(postgres) = Postgres::find() else {
        return;
    };
    let cluster = Cluster::on(&postgres.database());
    let [mut one, two] = ["one", "two"].map(|name| cluster.node(name));
    let mut begun = Events::open(&one, &[], &long_question());
    let (first, task) = begun.next().unwrap();
    let task = task["task"]["id"].as_str().unwrap().to_owned();
    one.kill();
    let killed = Instant::now();
    let rest = follow(&two, &task, first);
    let (_, last) = rest.last().unwrap();
    println!("it was failed {:?} after the kill", killed.elapsed());
    assert_eq!(
        last["statusUpdate"]["status"]["state"], "TASK_STATE_FAILED",
        "{last:#}"
    );
}

#[test]
fn stock_and_keys_of_one_node_count_on_the_other() {
    let Some(postgres) = Postgres::find() else {
        return;
    };
    let cluster = Cluster::on(&postgres.database());
    let [one, two] = ["one", "two"].map(|name| cluster.node(name));
    let key = cluster.ask(&["key", "create", "--name", "vendor", "--scope", "feeds"]);
    let bearer = format!("Bearer {}", key["key"].as_str().unwrap());
    let upload = |node: &Server, units| {
        let headers = [("Authorization", bearer.as_str())];
        let path = "/api/feeds/used";
        request(&node.address, "PUT", path, &headers, &stock(units)).unwrap()
    };
    for (number, (from, to)) in [(&one, &two), (&two, &one)].into_iter().enumerate() {
        let (status, report) = upload(from, number + 3);
        assert_eq!(status, 200, "{report}");
        let stored = Instant::now();
        while published(to) != number as u64 + 3 {
            assert!(stored.elapsed() < Duration::from_secs(60), "it never came");
            pause(1);
        }
        println!("served by the other node after {:?}", stored.elapsed());
    }
    cluster.ask(&["key", "revoke", "vendor"]);
    for node in [&one, &two] {
        assert_eq!(upload(node, 9).0, 401);
    }
}

#[test]
fn one_node_at_a_time_watches_a_folder_and_the_other_takes_over() {
    let Some(postgres) = Postgres::find() else {
        return;
    };
    let cluster = Cluster::on(&postgres.database());
    let [mut one, mut two] = ["one", "two"].map(|name| cluster.node(name));
    let runs = || {
        let runs = cluster.ask(&["feeds", "runs"]);
        runs["runs"].as_array().unwrap().len()
    };
    for units in 1..=3 {
        write(&cluster.drop_folder().join("export.csv"), &stock(units));
        eventually("both serve the file", || {
            published(&one) == units as u64 && published(&two) == units as u64
        });
        assert_eq!(runs(), units, "each file is imported once");
    }
    // The one that stops hands over.
    assert!(one.terminate().success());
    write(&cluster.drop_folder().join("export.csv"), &stock(5));
    eventually("the other one watches", || published(&two) == 5);
    let one = cluster.node("one");
    assert!(two.terminate().success());
    write(&cluster.drop_folder().join("export.csv"), &stock(6));
    eventually("the first one watches again", || published(&one) == 6);
    assert_eq!(runs(), 5);
}

#[test]
fn a_node_with_another_hash_key_is_refused() {
    let Some(postgres) = Postgres::find() else {
        return;
    };
    let cluster = Cluster::on(&postgres.database());
    let _one = cluster.node("one");
    let config = cluster.config.to_str().unwrap();
    let data = cluster.data("strange");
    fs::create_dir_all(&data).unwrap();
    let key = data.join(forecourt::backup::HASH_KEY_FILE);
    let serve = || {
        let args = [
            "serve",
            "--config",
            config,
            "--data",
            data.to_str().unwrap(),
        ];
        let output = run(&args);
        let words = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), words)
    };
    let (exit, words) = serve();
    assert_eq!(exit, Some(1), "{words}");
    assert!(words.contains("here is none"), "{words}");
    assert!(!key.exists(), "none is made up");
    fs::write(&key, [7; 32]).unwrap();
    let (exit, words) = serve();
    assert_eq!(exit, Some(1), "{words}");
    assert!(words.contains("not the key"), "{words}");
}
