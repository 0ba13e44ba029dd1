//! English.

use super::{Phrases, Sense, field};
use crate::question::{Beyond, Change, Skill};

pub(super) const PHRASES: &[Phrases] = &[
    (
        Sense::Skill(Skill::Overview, 3),
        "overview|summary|summarize|summarise|sum up|big picture|snapshot of|at a glance|breakdown of our|describe our|profile of our|whole picture|general picture",
    ),
    (
        Sense::Skill(Skill::Overview, 2),
        "what do we have in total|what do we have|what have we got|what is in stock|what is in our|what is in my|what is in the|what do we sell|what do we carry|what kinds of|what sort of|what types of|composition|make up of|what does our",
    ),
    (
        Sense::Skill(Skill::Gaps, 3),
        "gap|white space|whitespace|hole|under represented|underrepresented|thin on|thin in|are we thin|blind spot|where are we weak|weak spot|not represented|uncovered|left uncovered",
    ),
    (
        Sense::Skill(Skill::Gaps, 4),
        "not carry|not stock|not offer|not cover|not sell|that we do not|we do not have|which we do not|not have in our range",
    ),
    (
        Sense::Skill(Skill::Gaps, 2),
        "should we add|could we add|add to the range|expand into|round out|missing from our|missing from the range|missing from the assortment|missing from our lineup",
    ),
    (
        Sense::Skill(Skill::PriceLadder, 3),
        "price ladder|price point|price band|price step|price tier|price range|price bracket|price level|price architecture|price spread|price distribution|good better best|entry price|entry level price|spread of price|distribution of price|prices distributed|prices spread",
    ),
    (
        Sense::Skill(Skill::PriceOutliers, 3),
        "outlier|odd price|strange price|weird price|suspicious price|wrong price|price wrong|price look wrong|price odd|price oddly|price strangely|implausible|unrealistic|price error|pricing error|pricing mistake|price mistake|mispriced|typo in price|price typo|crazy price|price make no sense|price look off|price off|placeholder price|unusual price|price unusual|abnormal|anomaly|anomalies|compare at price below|compare at below|fat finger|priced at zero|price of zero|zero price|zero dollar|negative price|negative",
    ),
    (
        Sense::Skill(Skill::PriceOutliers, 2),
        "suspicious|oddly|look wrong|look off|out of line|out of whack",
    ),
    (
        Sense::Skill(Skill::FeedQuality, 3),
        "feed quality|data quality|completeness|how complete|listing quality|quality of the feed|quality of our|feed error|feed problem|feed issue|data problem|data issue|data gap|missing field|missing data|missing information|missing info|missing attribute|incomplete|empty field|required field|invalid|check digit|title too long|title too short|health of the feed|feed health|rejected by google|ready for google",
    ),
    (
        Sense::Skill(Skill::FeedQuality, 1),
        "fill in|filled in|need to fix|needs fixing|clean up",
    ),
    (
        Sense::Skill(Skill::Duplicates, 3),
        "duplicate|duplication|listed twice|list twice|listed more than once|more than once|twice|double listing|double entry|same product|same car|same vehicle|same item|repeated listing|dupe",
    ),
    (
        Sense::Skill(Skill::Availability, 3),
        "out of stock|sold out|not in stock|running low|run low|running out|run out|low stock|low on|low in stock|stock out|stockout|unavailable|not available|nothing left|none left|zero stock|few left|almost gone|back order|backorder|need to restock|restock|replenish",
    ),
    (
        Sense::Skill(Skill::Aging, 3),
        "too long|stale|aged|aging|ageing|stale unit|stale stock|stale inventory|stale car|sitting|sit around|been sitting|sat on|gather dust|collect dust|dust|stuck|hang around|hanging around|lingering|dead stock|old stock|long stander|not moved|has not moved|have not moved|slow moving stock|in ages|over age|overage|lot rot|unsold the longest|longest on|longest in|how long have|how long has|how long do cars stay|been there longest|age of our|age of the stock|age of inventory|floor plan",
    ),
    (
        Sense::Skill(Skill::Aging, 2),
        "been with us|been here|longest|on the lot for|in stock for|stand around|standing around|not selling|do not sell|will not sell|have not sold|has not sold",
    ),
    (
        Sense::TiedUp,
        "tied up|tie up|capital bound|locked up|money sitting|capital in|money in|money locked|frozen in|invested in",
    ),
    (
        Sense::Skill(Skill::Velocity, 3),
        "day supply|day of supply|days of supply|month supply|supply of|turn rate|turnover|stock turn|inventory turn|turn our|sell through|sell thru|best seller|bestseller|best selling|selling best|sell best|sell fastest|selling fastest|fast mover|fast moving|slow mover|slow moving|slow selling|velocity|how fast|how quickly|how long to sell|time to sell|sales rate|heavy in|heavy on|overstocked|over stocked|overweight|too many|rate of sale|sale per month|sales per month|what sell|did we sell|have we sold|we sold|were sold in|sold in the last|sold in the past|sold over the last|how did sales|sales development|how are sales|sales figure",
    ),
    (
        Sense::Skill(Skill::Velocity, 2),
        "sell|sales|sale last|turn|fastest|slowest|quickest",
    ),
    (
        Sense::Skill(Skill::PriceToMarket, 3),
        "overpriced|over priced|underpriced|under priced|price to market|price against|priced against|against the market|versus the market|vs the market|vs market|versus market|compared to market|compared to the market|above market|below market|over market|under market|market price|market value|priced right|price right|priced correctly|priced competitively|competitively priced|competitive|comparable|comp set|competitor price|compare with the competition|compared with the competition|compare to the competition|than the competition|than competitor|than our competitor|than other dealer|than the market|too expensive|too high|too cheap|priced too|rest of the market|fair price",
    ),
    (
        Sense::Skill(Skill::PriceToMarket, 1),
        "competition|competitor|market|rival",
    ),
    (
        Sense::Skill(Skill::Markdowns, 3),
        "mark down|markdown|marked down|discount|reprice|re price|price cut|cut price|cut the price|clearance|clear out|lower the price|reduce the price|reduce price|drop the price|price reduction|candidates for reduction|put on sale|go on sale|needs a price drop|get rid of|should we reduce|should i reduce|should i cut|should we cut|should i lower|should we lower|wholesale out|send to auction|move out",
    ),
    (Sense::Skill(Skill::Markdowns, 2), "reduce|reduction"),
    (
        Sense::Skill(Skill::Freshness, 3),
        "how fresh|fresh|freshness|how old is the data|how old is this data|how old is the file|how old are the number|how old are these|how recent|how current|how stale|up to date|last updated|last update|last refresh|how new is the data|date of the data|as of when|as of what date|when was the file|when was this|out of date|outdated|latest data",
    ),
    (
        Sense::Skill(Skill::Changes, 3),
        "what changed|has changed|have changed|changed since|change since|changes since|what is different|difference between the file|difference between the two|compared to the previous file|than in the previous file|compare the two file|compare both file|diff",
    ),
    (Sense::Skill(Skill::Changes, 2), "change|changed"),
    (
        Sense::Repriced,
        "price change|price movement|price moved|moved in price|up or down|up and down|moved price|changed price|new price",
    ),
    (
        Sense::Changed(Change::New),
        "what is new|new since|are new|is new|new arrivals|newly added|newly listed|new listing|came in|come in|has arrived|what arrived|just arrived|new compared|appeared|was added|were added|got added|been added|added to",
    ),
    (
        Sense::Changed(Change::Gone),
        "gone|disappear|vanish|gone since|dropped off|no longer there|no longer listed|no longer have|left the lot|went away|gone from|has gone|have gone|was removed|were removed|removed since|delisted|taken off|fell off|lose|lost",
    ),
    (
        Sense::Changed(Change::PriceUp),
        "price increase|price rise|price hike|price go up|price went up|price gone up|prices up|price up|got dearer|become dearer|became dearer|got more expensive|become more expensive|became more expensive|moved up|went up|go up|raised price|raised|increased|up in price",
    ),
    (
        Sense::Changed(Change::PriceDown),
        "price drop|price decrease|price went down|price go down|price gone down|prices down|price down|got cheaper|become cheaper|became cheaper|went down|go down|dropped in price|drop in price|down in price|cheaper than before|moved down|reduced since|lowered|were reduced|was reduced|price fell|fallen",
    ),
    (
        Sense::Arrived,
        "arrive|came in|came in during|come in during|came in over|we got in|got in|took in|taken in|received|added in|added during|added over|listed in the last|listed during|acquired|bought in the last",
    ),
    (
        Sense::Skill(Skill::Leads, 3),
        "lead|enquiry|enquiries|inquiry|inquiries|prospect|asked about|ask about|enquired|inquired|contacted us about|test drive request|appointment",
    ),
    (
        Sense::Count,
        "how many|number of|count|count of|how much stock|quantity of listings",
    ),
    (
        Sense::Pieces,
        "how many piece|how many units|number of piece|number of units|how many unit|total quantity|total units|stock on hand",
    ),
    (Sense::Mean, "average|mean|avg|on average|typical"),
    (Sense::Median, "median|middle"),
    (Sense::Total, "total|sum|sum of|altogether|combined|add up"),
    (
        Sense::Dearest,
        "dearest|most expensive|priciest|costliest|highest price|highest priced|most costly|top priced|top price|most valuable|upmost price",
    ),
    (
        Sense::Cheapest,
        "cheapest|least expensive|lowest price|lowest priced|most affordable|bargain|least costly",
    ),
    (Sense::Oldest, "oldest|most aged"),
    (
        Sense::Newest,
        "newest|latest|most recent|freshest|youngest|latest arrivals|newest arrivals",
    ),
    (
        Sense::Highest,
        "highest|most|largest|biggest|greatest|maximum|max",
    ),
    (Sense::Lowest, "lowest|least|smallest|fewest|minimum|min"),
    (Sense::Top, "top|first|bottom"),
    (
        Sense::Field(field::PRICE),
        "price|pricing|value|asking price|list price|stock value|inventory value|worth|amount",
    ),
    (
        Sense::Field(field::COST),
        "cost|unit cost|purchase price|purchase cost|capital|what we paid|acquisition cost|cost of stock|cost price",
    ),
    (
        Sense::Field(field::IMAGE),
        "photo|image|picture|pic|photograph",
    ),
    (
        Sense::Field(field::VIN),
        "vin|vehicle identification number|chassis number",
    ),
    (
        Sense::Field(field::GTIN),
        "gtin|ean|barcode|bar code|upc|isbn",
    ),
    (
        Sense::Field(field::ID),
        "sku|stock number|article number|item number|product id",
    ),
    (Sense::Field(field::TITLE), "title|name|product name"),
    (
        Sense::Field(field::DESCRIPTION),
        "description|describe text|product text|copy text",
    ),
    (
        Sense::Field(field::CATEGORY),
        "category|department|product group|segment",
    ),
    (Sense::Field(field::TYPE), "type|product type|kind"),
    (
        Sense::Field(field::BRAND),
        "brand|vendor|manufacturer|supplier|label",
    ),
    (Sense::Field(field::MAKE), "make"),
    (Sense::Field(field::MODEL), "model"),
    (Sense::Field(field::TRIM), "trim|trim level"),
    (Sense::Field(field::YEAR), "model year"),
    (Sense::Field(field::BODY), "body style|body type|body"),
    (
        Sense::Field(field::FUEL),
        "fuel|fuel type|powertrain|engine type",
    ),
    (Sense::Field(field::TRANSMISSION), "transmission|gearbox"),
    (
        Sense::Field(field::COLOUR),
        "colour|color|exterior color|exterior colour",
    ),
    (Sense::Field(field::SIZE), "size"),
    (Sense::Field(field::MATERIAL), "material|fabric type"),
    (Sense::Field(field::CONDITION), "condition"),
    (
        Sense::Field(field::QUANTITY),
        "quantity|stock level|stock quantity|stock count|inventory quantity",
    ),
    (Sense::Field(field::STATUS), "status|listing status"),
    (
        Sense::Field(field::ROOFTOP),
        "store|rooftop|dealership|location|branch|site|lot location|showroom",
    ),
    (
        Sense::Field(field::ODOMETER),
        "mileage|odometer|odometer reading|kilometrage",
    ),
    (
        Sense::Field(field::AGE),
        "age|day in stock|day on the lot|day on lot|days in inventory|time in stock|days since arrival",
    ),
    (Sense::Field(field::LINK), "link|url|web page|page address"),
    (Sense::Field(field::CURRENCY), "currency"),
    (
        Sense::Field(field::MSRP),
        "msrp|rrp|compare at price|list price msrp|strike price|original price",
    ),
    (Sense::Field(field::AGENT), "agent"),
    (
        Sense::Field(field::LEAD_STATE),
        "lead state|lead status|delivery state",
    ),
    (
        Sense::By,
        "by|per|each|for each|for every|in each|in every|within each|broken down by|split by|group by|grouped by|across",
    ),
    (
        Sense::Missing,
        "missing|miss|lack|lacking|lacks|absent|any missing|yet to get",
    ),
    (Sense::Need, "need|require|needs"),
    (
        Sense::Lack,
        "without|no|not have|has not|have not|have no|has no|not have any|without any|with no|not got|nothing|none|empty|blank",
    ),
    (Sense::With, "with"),
    (
        Sense::Not,
        "not|except|except for|excluding|exclude|other than|apart from|but not|everything but|all but|non",
    ),
    (
        Sense::Under,
        "under|below|less than|lower than|beneath|cost less than|costs less than|priced below|priced under|cost under|cost below|costs under|costs below|not more than and under|smaller than|south of|within budget of",
    ),
    (Sense::FewerThan, "fewer than"),
    (
        Sense::Over,
        "over|above|more than|higher than|greater than|exceeding|beyond|past|north of|longer than|in excess of|upwards of",
    ),
    (
        Sense::AtMost,
        "at most|up to|no more than|not more than|maximum of|max of|not over|not above|within|no longer than",
    ),
    (
        Sense::AtLeast,
        "at least|from|minimum of|no less than|not less than|not under|not below|starting at|since",
    ),
    (
        Sense::Between,
        "between|cost between|costing between|priced between|ranging from|in the range of|in the range",
    ),
    (Sense::To, "to|until|through"),
    (
        Sense::OrLess,
        "or less|or under|or below|or fewer|or cheaper|and below|and under|and less|or lower|max",
    ),
    (
        Sense::OrMore,
        "or more|or over|or above|and above|and over|and up|and more|or higher|plus|or newer|and newer|or later|and later|onward|onwards|or longer",
    ),
    (Sense::OlderThan, "older than|before|earlier than"),
    (Sense::NewerThan, "newer than|after|later than|younger than"),
    (Sense::CheaperThan, "cheaper than"),
    (
        Sense::DearerThan,
        "dearer than|more expensive than|pricier than|cost more than|costs more than|costing more than|priced above|priced over|cost over|cost above|costs over",
    ),
    (Sense::Number(1), "one"),
    (Sense::Number(2), "two|couple of"),
    (Sense::Number(3), "three"),
    (Sense::Number(4), "four"),
    (Sense::Number(5), "five"),
    (Sense::Number(6), "six"),
    (Sense::Number(7), "seven"),
    (Sense::Number(8), "eight"),
    (Sense::Number(9), "nine"),
    (Sense::Number(10), "ten"),
    (Sense::Number(12), "twelve|dozen|a dozen"),
    (Sense::Number(15), "fifteen"),
    (Sense::Number(20), "twenty"),
    (Sense::Number(30), "thirty"),
    (Sense::Number(45), "forty five"),
    (Sense::Number(50), "fifty"),
    (Sense::Number(60), "sixty"),
    (Sense::Number(90), "ninety"),
    (Sense::Number(100), "hundred|a hundred|one hundred"),
    (
        Sense::Number(1000),
        "thousand|a thousand|one thousand|grand",
    ),
    (Sense::Month(1), "january|jan"),
    (Sense::Month(2), "february|feb"),
    (Sense::Month(3), "march|mar"),
    (Sense::Month(4), "april|apr"),
    (Sense::Month(5), "may"),
    (Sense::Month(6), "june|jun"),
    (Sense::Month(7), "july|jul"),
    (Sense::Month(8), "august|aug"),
    (Sense::Month(9), "september|sept|sep"),
    (Sense::Month(10), "october|oct"),
    (Sense::Month(11), "november|nov"),
    (Sense::Month(12), "december|dec"),
    (Sense::Unit(1), "day"),
    (Sense::Unit(7), "week"),
    (Sense::Unit(30), "month"),
    (Sense::Unit(91), "quarter"),
    (Sense::Unit(365), "year"),
    (
        Sense::Span(1),
        "yesterday|today|since yesterday|overnight|the day before|last night|in the last day",
    ),
    (
        Sense::Span(7),
        "this week|last week|since last week|past week|the past week|the last week|a week ago|week ago|weekly|previous week|since monday",
    ),
    (Sense::Span(14), "fortnight|the last fortnight"),
    (
        Sense::Span(30),
        "this month|last month|since last month|past month|the past month|the last month|a month ago|month ago|monthly|previous month",
    ),
    (
        Sense::Span(91),
        "this quarter|last quarter|the last quarter|past quarter",
    ),
    (
        Sense::Span(365),
        "this year|last year|the last year|past year|a year ago|since last year",
    ),
    (
        Sense::Last,
        "last|the last|in the last|in the past|the past|over the last|over the past|during the last|during the past|within the last|within the past|previous|recent",
    ),
    (Sense::Distance, "mile|miles|mi|km|kilometer|kilometre|kms"),
    (Sense::Money("EUR"), "euro|euros|eur"),
    (Sense::Money("USD"), "dollar|dollars|usd|bucks"),
    (Sense::Money("GBP"), "pound|pounds|gbp|quid"),
    (Sense::Money("CHF"), "chf|francs|swiss francs"),
    (Sense::Money("CAD"), "cad"),
    (
        Sense::Available,
        "available|on the lot|on our lot|on my lot|on lot|in stock|unsold|not sold|on hand|for sale|still there|in inventory|on the yard|on the ground|still have|ready for sale",
    ),
    (Sense::Sold, "sold"),
    (
        Sense::Beyond(Beyond::Future),
        "will|next month|next week|next year|next quarter|next season|forecast|predict|prediction|tomorrow|going to sell|in the future|future|expect to sell|be worth|projected|projection|coming month|coming season|upcoming season|outlook",
    ),
    (
        Sense::Beyond(Beyond::Profit),
        "profit|margin|revenue|gross|earnings|roi|return on investment|commission|profitability|profitable|earn",
    ),
    (
        Sense::Beyond(Beyond::Visits),
        "click|page view|pageview|view on the site|visit|visitor|traffic|impression|conversion rate|bounce rate|search most|look at most|most viewed",
    ),
    (
        Sense::Beyond(Beyond::Person),
        "who bought|who purchased|who is buying|customer name|name of the customer|name of the buyer|buyer name|phone number|email address|e mail address|who are our customers|which customer|salesperson|who sold",
    ),
    (
        Sense::Subject,
        "car|vehicle|unit|product|item|article|listing|thing|stuff|piece|goods|merchandise|addition|arrival|inventory|stock|catalog|catalogue|range|assortment|lineup|line up|line|portfolio|furniture|clothing|clothes|tool|sku count|variant|record|row|entry|entries|deal|offer|everything|anything|all|auto|automobile|lot|shop|selection|collection|collections|material list|ride|machine|device",
    ),
    (
        Sense::Ask,
        "show|show me|list|which|do we have|have we got|do we carry|do we stock|are there|is there|find|find me|any|we have|do i have|i have|let me see|pull up|display|do you have|got any|looking for|search for|search",
    ),
    (
        Sense::FollowUp,
        "what about|how about|and in|and for|and the|and with|and only|same for|same for the|same with|same thing for|only|only the|just|just the|now|now only|narrow it|narrow down|limit to|instead|but only|and what about|and how about|also|restrict to|then|and at|and of|and under|and over|and above|and below|and by|and from",
    ),
    (
        Sense::Those,
        "those|them|these|they|it|there|of those|of these|of them|that list|the same one|one",
    ),
    (Sense::Subject, "ones"),
    (Sense::And, "and|plus also|as well as|along with"),
    (Sense::Or, "or|either"),
    (
        Sense::Question,
        "what|how|where|when|why|who|whose|how much|is it|what is|what are",
    ),
    (
        Sense::Filler,
        "nobody|no one|anyone|anybody|someone|somebody|everyone|everybody|a|an|the|of|in|on|at|for|we|our|us|i|me|my|mine|you|your|is|are|was|were|be|been|being|am|do|does|did|done|have|has|had|having|should|could|would|can|might|must|shall|let|please|tell|give|get|go|know|want|like|see|look|looking|think|say|using|put|take|that|this|its|their|as|so|too|very|really|quite|still|yet|already|currently|right now|at the moment|ever|even|much|many|more|some|few|lot of|lots of|whole|entire|full|total of|if|than|which one|such|own|other|another|about|into|out|up|off|down|here|both|during|while|because|per se|with us|else|again|back|always|never|often|once|most of|kind of|sort of|thanks|thank|hey|hi|hello|dear|ok|okay|well|actually|basically|exactly|come|came|costing|priced|carry|stock|have in|hold|sell|offer|keep|got|compare|compared|against|vs|versus|due|today s|file|data|export|feed|report|number|figure|figures|numbers|dataset|money|cash|budget|idea|make|made|run|running|hand|business|company|group|us all|me all|help|question|wonder|wondering|interested|mean|mark|level|terms|respect|regard|regarding|concerning|across the|whole|overall|in total|real|true|high|low|good|bad|big|small|long|short|old|quick|check|analyse|analyze|analysis|report on|detail|details|please show|side|way|case|point|place|time|develop|developed|happen|happened|happening|going|currently in|standing|stand|left|remaining|possible|potential|best|better|worst|worse|great|near|around|roughly|approximately|between them|moment|fix|want to|try|start|wrong|rather|instead of|however|either way|therefore|almost|nearly|anymore|any more|longer|exist|exists|include|includes|including|contain|contains|belong|belongs|come from|made of|made from|made by|from the|brought|carrying|offering|keeping|holding|selling|showing|seeing|getting|listed|worth knowing|each other|last one|first one|twice as",
    ),
];
