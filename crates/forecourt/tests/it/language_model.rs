//! The language model that may help the analyst, by a server of ours that says what a model might.

use std::path::Path;

use serde_json::{Value, json};
use testkit::webhook::WebhookSink;

use crate::{
    catalogs::{ask, command, import, items, key, question, site, text},
    support::Server,
};

/// A catalog, and a model behind this address.
fn config(model: &WebhookSink, settings: &str) -> String {
    let url = model.url("/v1/");
    format!(
        "[catalogs.garden]\nname = \"Garden House\"\n\
         [analyst.model]\nurl = \"{url}\"\nname = \"small-1\"\nkey_file = \"model.key\"\n{settings}\n"
    )
}

/// A data folder with that configuration, twenty benches and the key of the model.
fn garden(model: &WebhookSink, settings: &str) -> tempfile::TempDir {
    let data = site(&config(model, settings));
    std::fs::write(data.path().join("model.key"), "sk-of-the-model\n").unwrap();
    let (status, run) = import(data.path(), "garden", &items(20));
    assert_eq!(status, 0, "{run:#}");
    data
}

fn completion(content: &str) -> String {
    json!({ "choices": [{ "message": { "role": "assistant", "content": content } }] }).to_string()
}

/// A statement of one lookup with these conditions.
fn lookup(filters: &Value) -> String {
    let analysis = json!({
        "skill": "lookup", "filters": filters, "title_words": [], "available_only": false,
        "group_by": null, "measure": "count", "measured": null, "order_by": null, "descending": false,
        "top": null, "days": null, "missing": [], "changes": [],
    });
    json!({ "continues": false, "analyses": [analysis], "unclear": [] }).to_string()
}

/// Prices of at most so much.
fn at_most(price: &str) -> Value {
    json!([{
        "column": "price", "values": [], "negated": false, "at_least": null, "at_most": price,
        "currency": null, "from": null, "until": null, "is_empty": null,
    }])
}

fn local(data: &Path, asked: &str) -> String {
    let (status, answer) = command(data, &["ask", asked, "--catalog", "garden"]);
    assert_eq!(status, 0, "{answer:#}");
    answer["findings"][0]["text"].as_str().unwrap().to_owned()
}

const ODD: &str = "whatchamacallits not surpassing 50 bucks";

#[test]
fn a_question_that_the_lexicon_does_not_know_whole_is_read_by_the_model() {
    let model = WebhookSink::start();
    let data = garden(&model, "");
    model.answer_next_with(200, &completion(&lookup(&at_most("50"))));
    let said = local(data.path(), ODD);
    assert!(said.starts_with("5 of 20"), "{said}");
    assert!(
        said.contains("read by the language model small-1"),
        "{said}"
    );

    let calls = model.calls();
    assert_eq!(calls.len(), 1);
    assert_eq!(calls[0].line, "POST /v1/chat/completions");
    assert_eq!(
        calls[0].header("authorization"),
        Some("Bearer sk-of-the-model")
    );
    let sent: Value = serde_json::from_slice(&calls[0].body).unwrap();
    assert_eq!(sent["messages"][1]["content"], ODD);
    assert_eq!(sent["response_format"]["json_schema"]["strict"], true);
    let shown = sent["messages"][0]["content"].as_str().unwrap();
    assert!(shown.contains("Outdoor > Seating"), "{shown}");
    assert!(
        !shown.contains("Bench 7") && !shown.contains("70 EUR"),
        "{shown}"
    );

    let server = Server::start(&["serve", "--data", data.path().to_str().unwrap()]);
    let key = key(data.path(), ["--catalog", "garden"], "analyst");
    model.answer_next_with(200, &completion(&lookup(&at_most("50"))));
    let (_, answer) = ask(
        &server,
        "/catalogs/garden/analyst",
        Some(&key),
        &question(ODD),
    );
    assert_eq!(
        text(&answer),
        said,
        "the server answers as the command line does"
    );
}

#[test]
fn questions_that_are_understood_are_none_of_the_models_business() {
    let model = WebhookSink::start();
    let data = garden(&model, "");
    let said = local(data.path(), "How many benches cost under 50?");
    assert!(said.starts_with("4 of 20"), "{said}");
    assert!(model.calls().is_empty());
}

#[test]
fn a_model_that_fails_invents_or_dawdles_changes_no_answer() {
    let without = site("[catalogs.garden]\nname = \"Garden House\"\n");
    import(without.path(), "garden", &items(20));
    let expected = local(without.path(), ODD);

    let model = WebhookSink::start();
    let data = garden(&model, "");
    for (status, body) in [
        (500, String::new()),
        (200, "no JSON".to_owned()),
        (200, json!({ "choices": [] }).to_string()),
        (200, completion("The answer is 5.")),
        (200, completion(&lookup(&at_most("75")))),
    ] {
        model.answer_next_with(status, &body);
        assert_eq!(local(data.path(), ODD), expected, "{status} {body}");
    }
    assert_eq!(model.calls().len(), 5);

    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = silent.local_addr().unwrap();
    let url = format!("url = \"http://{address}/v1\"");
    let stalled = config(&model, "timeout = \"1s\"")
        .replace(&format!("url = \"{}\"", model.url("/v1/")), &url);
    std::fs::write(data.path().join("forecourt.toml"), stalled).unwrap();
    assert_eq!(local(data.path(), ODD), expected);
    silent.set_nonblocking(true).unwrap();
    assert!(silent.accept().is_ok(), "the silent server was asked");
}

#[test]
fn a_wording_is_used_only_with_the_numbers_that_were_counted() {
    let model = WebhookSink::start();
    let data = garden(&model, "intent = false\nphrasing = true");
    let asked = "How many benches cost under 50?";
    model.answer_next(500);
    let counted = local(data.path(), asked);
    let sentence = counted.lines().next().unwrap();
    let mut numbers = sentence
        .split_whitespace()
        .filter(|it| it.starts_with(|first: char| first.is_ascii_digit()));
    assert_eq!(
        (numbers.next(), numbers.next()),
        (Some("4"), Some("20")),
        "{sentence}"
    );

    let faithful = format!("Here you go: {sentence}");
    model.answer_next_with(200, &completion(&faithful));
    let worded = local(data.path(), asked);
    assert!(worded.starts_with(&faithful), "{worded}");
    assert!(
        worded.contains(&format!("As counted: {sentence}")),
        "{worded}"
    );

    model.answer_next_with(200, &completion(&sentence.replacen('4', "5", 1)));
    assert_eq!(local(data.path(), asked), counted);
}

#[test]
fn settings_that_cannot_work_are_told_at_once() {
    let data = site(
        "[analyst.model]\nurl = \"ftp://models.example\"\nname = \" \"\ntimeout = \"0s\"\nintent = false\n\
         key_file = \"absent.key\"\n",
    );
    let (status, told) = command(data.path(), &["config", "check"]);
    assert_ne!(status, 0);
    let told = told.to_string();
    for key in ["url", "name", "timeout"] {
        assert!(
            told.contains(&format!("analyst.model.{key}")),
            "{key}: {told}"
        );
    }
    assert!(told.contains("nothing to do"), "{told}");
}
