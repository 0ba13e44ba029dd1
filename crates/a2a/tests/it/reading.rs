//! What a reader accepts, and how it refuses.

use a2a::error::{ErrorData, ErrorKind};
use a2a::model::{
    GetTaskRequest, ListTasksRequest, ListTasksResponse, PartContent, Role, SendMessageRequest,
    SendMessageResponse, StreamResponse, Task, TaskState, TaskStatus, read_lenient, read_params,
};

use crate::raw;

/// A request with one message, whose members besides `messageId` are given.
fn request(message: &str) -> Result<SendMessageRequest, String> {
    let params = raw(&format!(
        r#"{{"message":{{"messageId":"m","role":"ROLE_USER",{message}}}}}"#
    ));
    read_params(Some(&params)).map_err(|error: a2a::error::Error| error.message)
}

fn content(part: &str) -> Result<PartContent, String> {
    let request = request(&format!(r#""parts":[{part}]"#))?;
    Ok(request.message.parts[0].content.clone())
}

#[test]
fn both_spellings_and_unknown_members_are_read() {
    let params = raw(
        r#"{"message":{"message_id":"m","context_id":"c","task_id":"t","role":"ROLE_AGENT","future":{"a":[1]},
            "parts":[{"text":"x","media_type":"text/plain","kind":"text"}],"reference_task_ids":["r"]},
            "configuration":{"accepted_output_modes":["a/b"],"history_length":3,"returnImmediately":true},"x":1}"#,
    );
    let request: SendMessageRequest = read_params(Some(&params)).unwrap();
    let message = &request.message;
    assert_eq!(message.message_id, "m");
    assert_eq!(message.context_id.as_deref(), Some("c"));
    assert_eq!(message.task_id.as_deref(), Some("t"));
    assert_eq!(message.role, Role::Agent);
    assert_eq!(message.parts[0].media_type.as_deref(), Some("text/plain"));
    assert_eq!(message.reference_task_ids, ["r"]);
    let configuration = request.configuration.unwrap();
    assert_eq!(configuration.accepted_output_modes, ["a/b"]);
    assert_eq!(
        configuration.history_length.map(|length| length.get()),
        Some(3)
    );
    assert!(configuration.return_immediately);
}

#[test]
fn null_means_absent() {
    let request = request(
        r#""contextId":null,"extensions":null,"metadata":null,"parts":[{"raw":null,"text":"x","filename":null}]"#,
    )
    .unwrap();
    assert_eq!(request.message.context_id, None);
    assert_eq!(request.message.metadata, None);
    assert!(request.message.extensions.is_empty());
    assert_eq!(request.message.parts[0].filename, None);
}

#[test]
fn an_empty_string_is_an_absent_one() {
    let request = request(r#""contextId":"","parts":[{"text":""}]"#).unwrap();
    assert_eq!(request.message.context_id, None);
    assert_eq!(
        request.message.parts[0].content,
        PartContent::Text(String::new())
    );
}

#[test]
fn exactly_one_content_member_makes_a_part() {
    assert_eq!(
        content(r#"{"text":""}"#),
        Ok(PartContent::Text(String::new()))
    );
    assert_eq!(
        content(r#"{"data":null}"#),
        Ok(PartContent::Data(raw("null")))
    );
    assert_eq!(
        content(r#"{"text":null,"data":{"a":1}}"#),
        Ok(PartContent::Data(raw(r#"{"a":1}"#)))
    );
    assert_eq!(
        content(r#"{"text":"","raw":"AA=="}"#).unwrap_err(),
        "message.parts[0] is ambiguous: text and raw are both set"
    );
    assert_eq!(
        content(r#"{"data":null,"url":"x"}"#).unwrap_err(),
        "message.parts[0] is ambiguous: data and url are both set"
    );
    assert_eq!(
        content(r#"{"metadata":{}}"#).unwrap_err(),
        "message.parts[0] is empty: none of text, raw, url, data is set"
    );
    assert_eq!(
        content(r#"{"text":"a","text":"b"}"#).unwrap_err(),
        "message.parts[0].text is given twice"
    );
}

#[test]
fn base64_comes_in_both_alphabets_with_or_without_padding() {
    for text in ["+/8=", "+/8", "-_8=", "-_8"] {
        let part = content(&format!(r#"{{"raw":"{text}"}}"#));
        assert_eq!(part, Ok(PartContent::Raw(vec![0xfb, 0xff])), "{text}");
    }
    for text in ["+_8=", "A", "ab cd", "é"] {
        let error = content(&format!(r#"{{"raw":"{text}"}}"#)).unwrap_err();
        assert!(
            error.starts_with("message.parts[0].raw is not base64: "),
            "{error}"
        );
    }
}

#[test]
fn integers_come_as_number_string_or_whole_float() {
    let length = |json: &str| {
        let params = raw(&format!(r#"{{"id":"t","historyLength":{json}}}"#));
        let request: Result<GetTaskRequest, _> = read_params(Some(&params));
        request
            .map(|request| request.history_length.map(|length| length.get()))
            .map_err(|error| error.message)
    };
    for (json, number) in [
        ("5", 5),
        (r#""5""#, 5),
        ("5.0", 5),
        ("1e1", 10),
        (r#""1e1""#, 10),
        ("0", 0),
    ] {
        assert_eq!(length(json), Ok(Some(number)), "{json}");
    }
    assert_eq!(length("null"), Ok(None));
    for json in ["-1", "1.5", "2147483648", "1e10", r#""five""#, r#""""#] {
        let expected =
            format!("historyLength is {json}, not a whole number of 32 bits, zero or more");
        let error = length(json).unwrap_err();
        assert!(
            error == expected || json == "1e10" && error.contains("10000000000"),
            "{error}"
        );
    }
    assert_eq!(
        length("true").unwrap_err(),
        "historyLength is a boolean, not a whole number of 32 bits, zero or more"
    );
}

#[test]
fn a_page_has_1_to_100_tasks() {
    for (size, sound) in [
        (0, false),
        (1, true),
        (100, true),
        (101, false),
        (-5, false),
    ] {
        let params = raw(&format!(r#"{{"pageSize":{size}}}"#));
        let read: Result<ListTasksRequest, _> = read_params(Some(&params));
        assert_eq!(read.is_ok(), sound, "{size}");
    }
}

#[test]
fn enumerations_come_by_name_or_number() {
    let state = |json: &str| serde_json::from_str::<TaskState>(json);
    assert_eq!(
        state(r#""TASK_STATE_CANCELED""#).unwrap(),
        TaskState::Canceled
    );
    assert_eq!(state("5").unwrap(), TaskState::Canceled);
    assert_eq!(state("5.0").unwrap(), TaskState::Canceled);
    for json in [
        r#""canceled""#,
        r#""TASK_STATE_CANCELLED""#,
        "99",
        "1.5",
        "true",
        "[]",
    ] {
        assert!(state(json).is_err(), "{json}");
    }
    let params = raw(r#"{"message":{"messageId":"m","role":"user","parts":[{"text":"x"}]}}"#);
    let error = read_params::<SendMessageRequest>(Some(&params)).unwrap_err();
    assert_eq!(
        error.message,
        r#"message.role is "user", not one of ROLE_USER, ROLE_AGENT"#
    );
}

#[test]
fn any_rfc_3339_timestamp_is_read() {
    let read = |text: &str| {
        let json = format!(r#"{{"state":"TASK_STATE_WORKING","timestamp":"{text}"}}"#);
        let status: Result<TaskStatus, _> = serde_json::from_str(&json);
        status.map(|status| status.timestamp.unwrap().to_string())
    };
    for (text, written) in [
        ("2026-05-01T10:00:00Z", "2026-05-01T10:00:00.000Z"),
        ("2026-05-01t10:00:00z", "2026-05-01T10:00:00.000Z"),
        ("2026-05-01T10:00:00.123456789Z", "2026-05-01T10:00:00.123Z"),
        ("2026-05-01T12:30:00+02:30", "2026-05-01T10:00:00.000Z"),
        ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"),
        ("9999-12-30T22:00:00.999999999Z", "9999-12-30T22:00:00.999Z"),
    ] {
        assert_eq!(read(text).unwrap(), written, "{text}");
    }
    for text in [
        "",
        "yesterday",
        "2026-05-01",
        "2026-05-01T10:00:00",
        "0000-12-31T00:00:00Z",
    ] {
        let error = read(text).unwrap_err().to_string();
        assert!(error.starts_with("timestamp is "), "{text}: {error}");
    }
}

#[test]
fn every_fault_is_told_at_once_with_its_place() {
    let params = raw(
        r#"{"message":{"role":7,"parts":[{"text":"a","url":"b"},{},null,{"text":1}],"extensions":"x",
            "metadata":[]},"configuration":{"historyLength":-1,"returnImmediately":"yes",
            "taskPushNotificationConfig":{"authentication":{}}}}"#,
    );
    let error = read_params::<SendMessageRequest>(Some(&params)).unwrap_err();
    assert_eq!(error.kind, ErrorKind::InvalidParams);
    let ErrorData::Details(details) = &error.data else {
        panic!("no details: {error:?}");
    };
    let detail: serde_json::Value = serde_json::from_str(details[0].get()).unwrap();
    assert_eq!(detail["@type"], "type.googleapis.com/google.rpc.BadRequest");
    let violations = detail["fieldViolations"].as_array().unwrap();
    let violations: Vec<String> = violations
        .iter()
        .map(|entry| {
            format!(
                "{} {}",
                entry["field"].as_str().unwrap(),
                entry["description"].as_str().unwrap()
            )
        })
        .collect();
    // The order is that of the document; missing members are told where their object ends.
    assert_eq!(
        violations,
        [
            "message.role is 7, not one of ROLE_USER, ROLE_AGENT",
            "message.parts[0] is ambiguous: text and url are both set",
            "message.parts[1] is empty: none of text, raw, url, data is set",
            "message.parts[2] is null, not an object",
            "message.parts[3].text is a number, not a string",
            "message.extensions is a string, not an array",
            "message.metadata is an array, not an object",
            "message.messageId is missing",
            "configuration.historyLength is -1, not a whole number of 32 bits, zero or more",
            "configuration.returnImmediately is a string, not true or false",
            "configuration.taskPushNotificationConfig.authentication.scheme is missing",
            "configuration.taskPushNotificationConfig.url is missing",
        ]
    );
}

#[test]
fn missing_parameters_are_told_as_such() {
    let words = |params: Option<&str>| {
        let params = params.map(raw);
        read_params::<SendMessageRequest>(params.as_deref())
            .unwrap_err()
            .message
    };
    assert_eq!(words(None), "message is missing");
    assert_eq!(words(Some("{}")), "message is missing");
    assert_eq!(words(Some("[]")), "the document is an array, not an object");
    assert_eq!(words(Some("3")), "the document is a number, not an object");
    assert_eq!(
        words(Some(r#"{"message":7}"#)),
        "message is a number, not an object"
    );
    assert_eq!(
        words(Some(
            r#"{"message":{"messageId":"","role":"ROLE_USER","parts":[]}}"#
        )),
        "message.messageId is empty; message.parts is empty"
    );
}

#[test]
fn text_that_cannot_be_unicode_is_placed() {
    let error = request(r#""parts":[{"text":"\ud800"}]"#).unwrap_err();
    assert!(
        error.starts_with("message.parts[0].text is unreadable: "),
        "{error}"
    );
}

#[test]
fn a_thousand_faults_give_a_short_answer() {
    let parts = vec!["{}"; 1000].join(",");
    let error = request(&format!(r#""parts":[{parts}]"#)).unwrap_err();
    assert_eq!(error.matches("is empty").count(), 32, "{error}");
}

#[test]
fn answers_are_told_apart_by_their_member() {
    let answer: SendMessageResponse = serde_json::from_str(
        r#"{"task":null,"message":{"messageId":"m","role":"ROLE_AGENT","parts":[{"text":"x"}]}}"#,
    )
    .unwrap();
    assert!(matches!(answer, SendMessageResponse::Message(_)));
    let event: StreamResponse = serde_json::from_str(
        r#"{"status_update":{"taskId":"t","contextId":"c","status":{"state":"TASK_STATE_WORKING"}}}"#,
    )
    .unwrap();
    assert!(matches!(event, StreamResponse::StatusUpdate(_)));
    let error = serde_json::from_str::<SendMessageResponse>("{}").unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("the document is empty: none of task, message is set"),
        "{error}"
    );
}

#[test]
fn a_flawed_answer_can_still_be_used() {
    let flawed = raw(r#"{"message":{"parts":[{"text":"x"}],"role":"agent"}}"#);
    let (answer, faults): (SendMessageResponse, _) = read_lenient(&flawed).unwrap();
    let SendMessageResponse::Message(message) = answer else {
        panic!("not a message: {answer:?}");
    };
    assert_eq!(message.parts[0].content, PartContent::Text("x".to_owned()));
    let places: Vec<String> = faults.iter().map(|fault| fault.pointer()).collect();
    assert_eq!(places, ["/message/role", "/message/messageId"]);
    assert!(
        read_lenient::<SendMessageResponse>(&raw("[1]"))
            .is_ok_and(|(_, faults)| !faults.is_empty())
    );
    assert!(read_lenient::<SendMessageResponse>(&raw("null")).is_err());
}

#[test]
fn the_last_page_of_some_agents_lacks_its_token() {
    let page = raw(r#"{"tasks":[],"totalSize":0}"#);
    assert!(serde_json::from_str::<ListTasksResponse>(page.get()).is_err());
    let (page, faults): (ListTasksResponse, _) = read_lenient(&page).unwrap();
    assert_eq!(page.next_page_token, "");
    assert_eq!(faults.len(), 2);
}

#[test]
fn secrets_do_not_show_in_debug() {
    let params = raw(
        r#"{"url":"https://a.example","token":"s3cret","authentication":{"scheme":"Bearer","credentials":"s3cret"}}"#,
    );
    let config: a2a::model::TaskPushNotificationConfig = read_params(Some(&params)).unwrap();
    assert_eq!(config.token.as_ref().unwrap().expose(), "s3cret");
    assert!(!format!("{config:?}").contains("s3cret"));
    assert!(
        serde_json::to_string(&config)
            .unwrap()
            .contains(r#""credentials":"s3cret""#)
    );
}

#[test]
fn a_task_reads_with_everything_in_it() {
    let task: Task = serde_json::from_str(
        r#"{"id":"t","contextId":"c","status":{"state":3,"message":{"messageId":"m","role":2,"parts":[{"url":"https://a.example/x"}]}},
            "artifacts":[{"artifactId":"a","parts":[{"data":[1,2.50]}]}],"history":[],"metadata":{"k":9007199254740993}}"#,
    )
    .unwrap();
    assert!(task.status.state.is_terminal());
    assert_eq!(
        task.artifacts[0].parts[0].content,
        PartContent::Data(raw("[1,2.50]"))
    );
    let metadata = task.metadata.unwrap();
    assert_eq!(metadata.get("k").unwrap().get(), "9007199254740993");
    assert!(metadata.get("j").is_none());
}
