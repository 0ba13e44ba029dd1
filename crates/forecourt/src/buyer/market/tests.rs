use tokio::time::{Instant, sleep};

use super::*;
use crate::buyer::ErrorKind;

fn patience(deadline: u64, within: Option<u64>) -> Patience {
    Patience {
        deadline: Duration::from_secs(deadline),
        within: within.map(Duration::from_secs),
        ..Patience::default()
    }
}

fn kind<T: std::fmt::Debug>(outcome: Result<T, Error>) -> ErrorKind {
    outcome.unwrap_err().kind()
}

#[tokio::test(start_paused = true)]
async fn a_dealer_has_its_deadline_and_no_more() {
    let begin = Instant::now();
    let in_time = patience(10, None)
        .bounded(None, |_| async {
            sleep(Duration::from_secs(9)).await;
            Ok(17)
        })
        .await;
    assert_eq!(in_time.unwrap(), 17);
    assert_eq!(begin.elapsed(), Duration::from_secs(9));

    let begin = Instant::now();
    let late: Result<(), Error> = patience(10, None)
        .bounded(None, |_| async {
            sleep(Duration::from_secs(3600)).await;
            Ok(())
        })
        .await;
    assert_eq!(
        late.as_ref().unwrap_err().to_string(),
        "no answer within 10s"
    );
    assert_eq!(kind(late), ErrorKind::Deadline);
    assert_eq!(begin.elapsed(), Duration::from_secs(10));
}

#[tokio::test(start_paused = true)]
async fn the_end_for_all_cuts_a_deadline_short() {
    let begin = Instant::now();
    let end = Some(begin + Duration::from_secs(4));
    let cut: Result<(), Error> = patience(10, Some(4))
        .bounded(end, |until| async move {
            assert_eq!(Some(until), end);
            std::future::pending().await
        })
        .await;
    assert_eq!(kind(cut), ErrorKind::Deadline);
    assert_eq!(begin.elapsed(), Duration::from_secs(4));
    let too_late: Result<(), Error> = patience(10, Some(4))
        .bounded(end, |_| async { unreachable!("the time is over") })
        .await;
    assert_eq!(kind(too_late), ErrorKind::NotAsked);
}

#[tokio::test]
async fn answers_may_cross_threads() {
    fn crosses<T: Send>(it: T) -> T {
        it
    }
    let market = Market::new([], Patience::default(), &Clock::system()).unwrap();
    let request = SearchRequest::default();
    assert!(crosses(market.search_all(&request)).await.asked.is_empty());
    assert_eq!(crosses(market.information()).count().await, 0);
}
