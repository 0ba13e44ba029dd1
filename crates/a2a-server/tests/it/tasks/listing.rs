//! Lists of tasks.

use a2a::model::{ListTasksRequest, ListTasksResponse, PageSize, TaskState};

use super::*;

impl Bench {
    async fn list(&self, request: ListTasksRequest) -> Result<ListTasksResponse, Error> {
        match self.once(Operation::ListTasks(request)).await? {
            Outcome::Tasks(page) => Ok(page),
            other => panic!("no page: {other:?}"),
        }
    }
}

fn page(size: i32, token: &str) -> ListTasksRequest {
    ListTasksRequest {
        page_size: PageSize::new(size),
        page_token: Some(token.to_owned()),
        ..ListTasksRequest::default()
    }
}

#[tokio::test]
async fn pages_hold_every_task_once_the_latest_first_also_while_others_are_added() {
    let bench = Bench::new();
    let mut expected = Vec::new();
    for _ in 0..7 {
        expected.insert(0, bench.send(says("work")).await.unwrap().id);
    }
    let mut found = Vec::new();
    let mut token = String::new();
    loop {
        let page = bench.list(page(3, &token)).await.unwrap();
        found.extend(page.tasks.into_iter().map(|task| task.id));
        assert_eq!(page.page_size, 3);
        if page.next_page_token.is_empty() {
            break;
        }
        token = page.next_page_token;
        bench.send(says("work")).await.unwrap();
    }
    assert_eq!(found, expected);
    for wrong in ["999999", "-1", "abc"] {
        let error = bench.list(page(3, wrong)).await.unwrap_err();
        assert_eq!(code(&error), -32602, "{wrong}");
    }
}

#[tokio::test]
async fn filters_narrow_a_list_and_its_total() {
    let bench = Bench::new();
    let mut named = says("chunks 2");
    named.message.context_id = Some("c-1".to_owned());
    let named = bench.send(named).await.unwrap();
    let asked = bench.send(says("ask")).await.unwrap();
    bench.asked_by("other").send(says("work")).await.unwrap();
    let ids = |page: ListTasksResponse| {
        assert_eq!(page.total_size as usize, page.tasks.len());
        page.tasks
            .into_iter()
            .map(|task| task.id)
            .collect::<Vec<_>>()
    };
    let all = bench.list(ListTasksRequest::default()).await.unwrap();
    assert!(all.tasks.iter().all(|task| task.artifacts.is_empty()));
    assert_eq!(all.page_size, 50);
    assert_eq!(ids(all), [asked.id.clone(), named.id.clone()]);
    let by_context = ListTasksRequest {
        context_id: Some("c-1".to_owned()),
        include_artifacts: Some(true),
        ..ListTasksRequest::default()
    };
    let found = bench.list(by_context).await.unwrap();
    assert_eq!(artifact_text(&found.tasks[0]), "0 1 ");
    assert_eq!(ids(found), [named.id.as_str()]);
    let by_state = ListTasksRequest {
        status: Some(TaskState::InputRequired),
        ..ListTasksRequest::default()
    };
    assert_eq!(
        ids(bench.list(by_state).await.unwrap()),
        [asked.id.as_str()]
    );
    let since = ListTasksRequest {
        status_timestamp_after: asked.status.timestamp,
        ..ListTasksRequest::default()
    };
    assert_eq!(ids(bench.list(since).await.unwrap()), [asked.id]);
}
