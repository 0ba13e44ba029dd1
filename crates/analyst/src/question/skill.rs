//! What the analyses are called and what they are for.

use super::Skill;

impl Skill {
    /// Every analysis that can be asked for.
    pub const ALL: [Self; 15] = [
        Self::Overview,
        Self::Gaps,
        Self::PriceLadder,
        Self::PriceOutliers,
        Self::FeedQuality,
        Self::Duplicates,
        Self::Availability,
        Self::Aging,
        Self::Velocity,
        Self::PriceToMarket,
        Self::Markdowns,
        Self::Freshness,
        Self::Changes,
        Self::Lookup,
        Self::Leads,
    ];

    /// The name for machines, such as `price_to_market`.
    #[must_use]
    pub const fn id(self) -> &'static str {
        self.facts().0
    }

    /// The name for people.
    #[must_use]
    pub const fn title(self) -> &'static str {
        self.facts().1
    }

    /// What it tells, in one sentence.
    #[must_use]
    pub const fn description(self) -> &'static str {
        self.facts().2
    }

    /// A question that leads to it.
    #[must_use]
    pub const fn example(self) -> &'static str {
        self.facts().3
    }

    const fn facts(self) -> (&'static str, &'static str, &'static str, &'static str) {
        match self {
            Self::Overview => (
                "overview",
                "Overview",
                "Counts the catalog by category or make, and gives the range of its prices.",
                "What is in my catalog?",
            ),
            Self::Gaps => (
                "gaps",
                "Gaps",
                "Finds categories and price bands where the catalog has nothing or little, beside an attached market file or by itself.",
                "Where are the gaps in outdoor furniture?",
            ),
            Self::PriceLadder => (
                "price_ladder",
                "Price ladder",
                "Counts items by price band and finds the widest jumps between prices.",
                "What are our price points in sofas?",
            ),
            Self::PriceOutliers => (
                "price_outliers",
                "Odd prices",
                "Finds prices that cannot be right: zero, placeholders, far from others of their kind.",
                "Which prices look wrong?",
            ),
            Self::FeedQuality => (
                "feed_quality",
                "Feed quality",
                "Says which fields are missing or invalid, and in how many rows.",
                "What lacks photos?",
            ),
            Self::Duplicates => (
                "duplicates",
                "Duplicates",
                "Finds what is listed twice, by id, GTIN, VIN or title.",
                "Is anything listed twice?",
            ),
            Self::Availability => (
                "availability",
                "Availability",
                "Counts what is out of stock or low, by category.",
                "What is out of stock?",
            ),
            Self::Aging => (
                "aging",
                "Aging",
                "Sorts the stock by its age at the snapshot and says what money is tied up.",
                "What has been on the lot over 60 days, by store?",
            ),
            Self::Velocity => (
                "velocity",
                "Days' supply",
                "Sets the stock beside what was sold in a window of days.",
                "How many days' supply of trucks do we have?",
            ),
            Self::PriceToMarket => (
                "price_to_market",
                "Price to market",
                "Compares prices with those of comparable items in an attached market file.",
                "Which Civics are overpriced?",
            ),
            Self::Markdowns => (
                "markdowns",
                "Markdowns",
                "Lists candidates for a reduction by a rule that the answer prints.",
                "What should I reduce?",
            ),
            Self::Freshness => (
                "freshness",
                "Freshness",
                "Says which dates the data states, and in which columns.",
                "How old is this data?",
            ),
            Self::Changes => (
                "changes",
                "Changes",
                "Says what came, went or changed its price between two days or two files.",
                "What disappeared this week?",
            ),
            Self::Lookup => (
                "lookup",
                "Lookup",
                "Filters, groups, counts and lists: totals, medians, the first ones of an order.",
                "Used trucks under 30k",
            ),
            Self::Leads => (
                "leads",
                "Leads",
                "Counts leads by rooftop, agent, car and state, and finds cars without any.",
                "Which cars have no leads?",
            ),
            Self::Help => (
                "help",
                "What can be asked",
                "Lists what can be asked of this data.",
                "What can I ask?",
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_skill_has_a_name_of_its_own() {
        let ids: std::collections::HashSet<&str> = Skill::ALL.iter().map(|it| it.id()).collect();
        assert_eq!(ids.len(), Skill::ALL.len());
    }
}
