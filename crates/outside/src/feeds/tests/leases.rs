use super::*;

#[tokio::test]
async fn one_process_at_a_time_watches_a_dealers_feeds() {
    let bench = Bench::new();
    let settings = json!({ "path": "/nowhere/*.csv" });
    let (first, second) = (bench.feeds(&settings), bench.feeds(&settings));
    let holds = |feeds: &Feeds| feeds.holds(&bench.dealer_id);
    first.lease().await;
    second.lease().await;
    assert_eq!((holds(&first), holds(&second)), (true, false));

    bench.pass(59);
    first.lease().await;
    second.lease().await;
    bench.pass(59);
    assert_eq!(
        (holds(&first), holds(&second)),
        (true, false),
        "it was prolonged"
    );

    bench.pass(1);
    assert!(!holds(&first), "it ran out");
    second.lease().await;
    first.lease().await;
    assert_eq!((holds(&first), holds(&second)), (false, true));

    second.release().await;
    first.lease().await;
    assert_eq!((holds(&first), holds(&second)), (true, false));
}

#[tokio::test]
async fn a_release_by_one_who_does_not_hold_it_changes_nothing() {
    let bench = Bench::new();
    let settings = json!({ "path": "/nowhere/*.csv" });
    let (first, second) = (bench.feeds(&settings), bench.feeds(&settings));
    first.lease().await;
    second.release().await;
    second.lease().await;
    assert!(!second.holds(&bench.dealer_id));
}
