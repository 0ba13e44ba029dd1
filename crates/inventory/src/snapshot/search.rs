//! `inventory.search`: the matches of a filter block, sorted and cut into pages.

use aap::inventory::{SearchRequest, SearchResult, Sort, SortField, SortOrder};
use dealers::PageLimits;
use serde_json::value::RawValue;

use super::Snapshot;

/// Answer to a search.
#[derive(Debug)]
#[non_exhaustive]
pub struct SearchAnswer<'a> {
    /// Payload `data` of the response.
    pub result: SearchResult<&'a RawValue>,
    /// What the buyer should know: which range is empty.
    pub message: Option<String>,
}

/// Freshest first, as the protocol recommends.
const DEFAULT_SORT: Sort = Sort {
    field: SortField::UpdatedAt,
    order: SortOrder::Desc,
};

impl Snapshot {
    /// Answers `inventory.search` (AAP 1.3). The limit is cut to `limits` and echoed as applied.
    #[must_use]
    pub fn search(&self, request: &SearchRequest, limits: PageLimits) -> SearchAnswer<'_> {
        let matches = self.matching(request.filters.as_ref());
        let page = request.pagination.unwrap_or_default();
        let skip = page.skip.unwrap_or(0);
        let limit = page
            .limit
            .unwrap_or(limits.default)
            .clamp(1, limits.most.max(1));
        let rows = self.page(
            &matches.rows,
            request.sort.unwrap_or(DEFAULT_SORT),
            usize::try_from(skip).unwrap_or(usize::MAX),
            usize::try_from(limit).unwrap_or(usize::MAX),
        );
        SearchAnswer {
            result: SearchResult {
                total: matches.rows.len(),
                skip: Some(skip),
                limit: Some(limit),
                vehicles: rows.into_iter().map(|row| self.record(row)).collect(),
                facets: None,
            },
            message: matches.message,
        }
    }
}
