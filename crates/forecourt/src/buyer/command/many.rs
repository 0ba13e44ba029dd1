//! Questions to many dealers, and their answers on one page.

use std::{
    io::{IsTerminal as _, Write as _, stderr},
    process::ExitCode,
};

use aap::inventory::{FacetsRequest, SearchRequest};
use futures_util::{StreamExt as _, stream::BoxStream};
use serde_json::json;

use super::{outcome, print};
use crate::{
    buyer::{
        Answer, Dealer,
        market::{Asked, Market, MarketSearch},
    },
    cli::outcome::{Exit, Failure, print_json, say},
};

pub(super) async fn information(market: &Market, json: bool) -> Result<ExitCode, Failure> {
    let asked = gather(market, market.information()).await;
    each_for_itself(market, &asked, json, |_, answer| print::information(answer))
}

pub(super) async fn facets(
    market: &Market,
    request: &FacetsRequest,
    json: bool,
) -> Result<ExitCode, Failure> {
    let asked = gather(market, market.facets(request)).await;
    each_for_itself(market, &asked, json, |dealer, answer| {
        print::facets(answer, dealer.price_basis())
    })
}

pub(super) async fn search(
    market: &Market,
    request: &SearchRequest,
    json: bool,
) -> Result<ExitCode, Failure> {
    let pages = gather(market, market.search(request)).await;
    let found = MarketSearch::new(pages, request);
    if json {
        print_json(&print::market_search_document(market, &found))?;
    } else {
        say(print::market_search(market, &found))?;
    }
    Ok(exit(&found.asked))
}

/// Answers in the order of the list. On a terminal, standard error shows how many are in.
async fn gather<T>(market: &Market, mut answers: BoxStream<'_, Asked<T>>) -> Vec<Asked<T>> {
    let watched = stderr().is_terminal();
    let mut asked = Vec::with_capacity(market.len());
    while let Some(answer) = answers.next().await {
        asked.push(answer);
        if watched {
            let failed = asked.iter().filter(|it| it.outcome.is_err()).count();
            show_progress(asked.len(), failed, market.len());
        }
    }
    if watched {
        // Back to the start of the line, which is then emptied.
        let _ = write!(stderr(), "\r\u{1b}[K");
    }
    asked.sort_by_key(|it| it.index);
    asked
}

fn show_progress(done: usize, failed: usize, dealers: usize) {
    // A terminal that has gone has nobody to tell.
    let _ = write!(
        stderr(),
        "\r\u{1b}[K{done} of {dealers} dealers, {failed} failed"
    );
}

/// Prints answers that are not brought together: each dealer's own, one after another.
fn each_for_itself<D>(
    market: &Market,
    asked: &[Asked<Answer<D>>],
    json: bool,
    text: impl Fn(&Dealer, &Answer<D>) -> String,
) -> Result<ExitCode, Failure> {
    if json {
        let answer = |answer: &Answer<D>| json!({ "answer": answer.payload });
        print_json(&print::asked_document(market, asked, answer))?;
    } else {
        say(print::answers(market, asked, text))?;
    }
    Ok(exit(asked))
}

/// Success when anybody answered; else the status that all failures share, or that of a refusal.
fn exit<T>(asked: &[Asked<T>]) -> ExitCode {
    let mut statuses: Vec<u8> = asked
        .iter()
        .map(|asked| match &asked.outcome {
            Ok(_) => 0,
            Err(error) => outcome::exit(error.kind()) as u8,
        })
        .collect();
    statuses.sort_unstable();
    statuses.dedup();
    match statuses.as_slice() {
        [0, ..] => ExitCode::SUCCESS,
        [all] => ExitCode::from(*all),
        _ => ExitCode::from(Exit::Refused as u8),
    }
}
