//! The API over a server in this process, with two dealers and a clock that stands still.

use std::{collections::HashMap, net::SocketAddr, path::Path, sync::Arc};

use axum::{
    Router,
    body::{Body, to_bytes},
    extract::Request,
    http::{HeaderMap, Method, header},
};
use dealers::keys::{NewKey, Scope, Secret};
use jiff::SignedDuration;
use leads::{
    DeliveryId, HashKey,
    outbox::{self, Ending, Outcome, Search},
};
use outside::delivery::Wake;
use serde_json::{Value, json};
use store::{Clock, Store};
use tower::ServiceExt as _;

use crate::{
    app::{App, client::Client, migrations},
    config::Config,
    readiness,
};

const CONFIG: &str = r#"
    [limits.rate]
    address = { per_minute = 60, burst = 3 }
    [dealers.north]
    name = "North Cars"
    hosts = ["north.example"]
    [dealers.north.rooftops.North]
    crm = "leads@crm.example"
    fallback = "manager@north.example"
    [dealers.north.feeds.stock]
    [dealers.south]
    name = "South Cars"
    rooftops = { "South" = { crm = "leads@other.example", fallback = "manager@south.example" } }
"#;

struct Desk {
    router: Router,
    store: Store,
    config: Config,
}

/// An answer with its body.
struct Answer {
    status: u16,
    headers: HeaderMap,
    text: String,
}

impl Answer {
    #[track_caller]
    fn json(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.text);
        assert_eq!(self.headers[header::CACHE_CONTROL], "no-store");
        serde_json::from_str(&self.text).unwrap()
    }

    #[track_caller]
    fn refused(&self, status: u16) -> String {
        assert_eq!(
            self.headers[header::CONTENT_TYPE],
            "application/problem+json"
        );
        self.json(status)["detail"].as_str().unwrap().to_owned()
    }
}

impl Desk {
    async fn open() -> Self {
        let config = Config::parse(CONFIG, Path::new("forecourt.toml")).unwrap();
        let clock = Clock::manual("2026-05-01T12:00:00Z".parse().unwrap());
        let store = Store::temporary(&migrations(), clock).unwrap();
        let address = SocketAddr::from(([127, 0, 0, 1], 8080));
        let hash_key = HashKey::new([0; 32]);
        let digests = readiness::digests(&config, Path::new("")).unwrap();
        readiness::pass_all(&store, &digests).await.unwrap();
        let (of_app, wake) = (store.clone(), Wake::default());
        let app = App::open(&config, of_app, &hash_key, address, &digests, wake).await;
        Self {
            router: app.unwrap().router(),
            store,
            config,
        }
    }

    /// A key as the header bears it.
    async fn key(&self, dealer: &str, scope: Scope) -> String {
        let number = self.store.clock().new_id().as_u128();
        let mut random = [0; 32];
        random[..16].copy_from_slice(&number.to_be_bytes());
        let secret = Secret::new(dealer.parse().unwrap(), random);
        let key = NewKey {
            name: format!("{scope} {number}"),
            scopes: [scope].into(),
            expires_at: None,
        };
        let (kept, now) = (secret.clone(), self.store.clock().now());
        let made = self
            .store
            .write(move |conn| dealers::keys::create(conn, &kept, &key, now));
        made.await.unwrap();
        format!("Bearer {}", secret.expose())
    }

    async fn ask(&self, request: Request) -> Answer {
        let response = self.router.clone().oneshot(request).await.unwrap();
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        let body = to_bytes(response.into_body(), usize::MAX).await.unwrap();
        Answer {
            status,
            headers,
            text: String::from_utf8(body.to_vec()).unwrap(),
        }
    }

    async fn send(&self, method: Method, path: &str, key: &str, kind: &str, body: &str) -> Answer {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header(header::AUTHORIZATION, key)
            .header(header::CONTENT_TYPE, kind)
            .body(Body::from(body.to_owned()));
        self.ask(request.unwrap()).await
    }

    async fn get(&self, path: &str, key: &str) -> Answer {
        self.send(Method::GET, path, key, "", "").await
    }

    async fn post(&self, path: &str, key: &str, body: &Value) -> Answer {
        let body = body.to_string();
        self.send(Method::POST, path, key, "application/json", &body)
            .await
    }

    /// Takes a lead for the northern dealer.
    async fn lead(&self, number: u32, name: &str) -> String {
        let payload = json!({
            "type": "lead.submit.request",
            "customer": { "first_name": name, "last_name": "Example", "email": format!("ada-{number}@example.com") },
            "consent": {
                "granted_at": "2026-05-01T11:59:00Z", "allowed_channels": ["email"],
                "consent_text": "North Cars may write to me.", "scope": ["lead_submission"]
            },
            "source_agent": { "name": "example-agent" }
        });
        let envelope = json!({ "jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": { "message": {
            "messageId": format!("m-{number}"), "role": "ROLE_USER", "parts": [{ "data": payload }]
        } } });
        let path = "/dealers/north/a2a";
        let answer = self.post(path, "", &envelope).await;
        let reply: Value = serde_json::from_str(&answer.text).unwrap();
        let id = &reply["result"]["message"]["parts"][0]["data"]["data"]["lead_id"];
        id.as_str()
            .unwrap_or_else(|| panic!("{reply:#}"))
            .to_owned()
    }

    /// Sends everything that is due, with this outcome.
    async fn deliver(&self, outcome: Outcome) {
        let now = self.store.clock().now();
        let dealers = Arc::new(["north".parse().unwrap()].into());
        let dealer = self.config.dealers[0].clone();
        let fallback_id: DeliveryId = self.store.clock().new_id().into();
        let sent = self.store.write(move |conn| {
            let search = Search {
                now,
                dealers: Arc::clone(&dealers),
                most: 100,
                per_route: 100,
                busy: HashMap::new(),
                after: None,
            };
            let (found, _) = outbox::candidates(conn, &search)?;
            let length = SignedDuration::from_secs(60);
            let holder = "worker".into();
            let terms = outbox::Lease {
                holder,
                now,
                length,
            };
            for leased in outbox::lease(conn, &terms, &found)? {
                let ending = Ending {
                    now,
                    jitter: 0.0,
                    fallback_id: fallback_id.clone(),
                };
                outbox::settle(conn, &dealer, &leased, &outcome, &ending)?;
            }
            Ok::<_, outbox::Error>(())
        });
        sent.await.unwrap();
    }

    /// A lead that was sent, and its delivery.
    async fn sent(&self) -> (String, String) {
        let lead = self.lead(1, "Ada").await;
        self.deliver(Outcome::Sent {
            detail: "250 kept".to_owned(),
        })
        .await;
        let key = self.key("north", Scope::Deliveries).await;
        let list = self
            .get("/dealers/north/api/deliveries", &key)
            .await
            .json(200);
        let delivery = list["deliveries"][0]["delivery_id"].as_str().unwrap();
        (lead, delivery.to_owned())
    }
}

/// Every path with the method and the scope that it wants.
const PATHS: [(&str, &str, Scope); 11] = [
    ("PUT", "/feeds/stock", Scope::Feeds),
    ("GET", "/leads", Scope::Leads),
    ("GET", "/leads/export", Scope::Leads),
    ("GET", "/leads/LEAD", Scope::Leads),
    ("POST", "/leads/LEAD/resend", Scope::Deliveries),
    ("GET", "/appointments", Scope::Leads),
    ("GET", "/appointments.ics", Scope::Leads),
    ("GET", "/deliveries", Scope::Deliveries),
    ("GET", "/deliveries/DELIVERY", Scope::Deliveries),
    ("POST", "/deliveries/DELIVERY/retry", Scope::Deliveries),
    ("POST", "/bounces", Scope::Deliveries),
];

#[tokio::test]
async fn a_path_opens_to_a_key_of_its_scope_and_of_its_dealer_alone() {
    let desk = Desk::open().await;
    let (lead, delivery) = desk.sent().await;
    for (method, path, scope) in PATHS {
        let path = path.replace("LEAD", &lead).replace("DELIVERY", &delivery);
        let method: Method = method.parse().unwrap();
        let word = json!({ "delivery_id": delivery, "status": "4.2.2" }).to_string();
        let body = if path == "/bounces" {
            word.as_str()
        } else {
            ""
        };
        let ask = async |base: &str, key: &str| {
            let path = format!("{base}{path}");
            let kind = "application/json";
            desk.send(method.clone(), &path, key, kind, body).await
        };
        let right = desk.key("north", scope).await;
        // Its dealer by the key, by the path and by the host.
        for base in ["/api", "/dealers/north/api", "http://north.example/api"] {
            let answer = ask(base, &right).await;
            // An empty feed file is refused, and a delivery that arrived is not tried again.
            let expected: &[u16] = match path.as_str() {
                "/feeds/stock" => &[422],
                it if it.ends_with("/retry") => &[409],
                _ => &[200, 202],
            };
            assert!(expected.contains(&answer.status), "{path}: {}", answer.text);
            assert_eq!(answer.headers[header::CACHE_CONTROL], "no-store", "{path}");
        }
        assert_eq!(ask("/dealers/nobody/api", &right).await.status, 404);
        let none = ask("/dealers/north/api", "").await;
        assert_eq!(none.headers[header::WWW_AUTHENTICATE], "Bearer");
        none.refused(401);
        ask("/dealers/north/api", "Bearer nonsense")
            .await
            .refused(401);
        for other in [Scope::Feeds, Scope::Leads, Scope::Deliveries] {
            if other != scope {
                let key = desk.key("north", other).await;
                ask("/dealers/north/api", &key).await.refused(403);
            }
        }
        let others = desk.key("south", scope).await;
        ask("/dealers/north/api", &others).await.refused(403);
        ask("http://north.example/api", &others).await.refused(403);
        // By its own name, another dealer's key finds nothing of this dealer.
        if path.contains(&lead) || path.contains(&delivery) || path == "/bounces" {
            ask("/api", &others).await.refused(404);
        }
    }
}

#[tokio::test]
async fn leads_are_listed_by_page_within_their_limits() {
    let desk = Desk::open().await;
    let mut taken = Vec::new();
    for number in 0..5 {
        taken.insert(0, desk.lead(number, "Ada").await);
        desk.store.clock().advance(SignedDuration::from_mins(1));
    }
    let key = desk.key("north", Scope::Leads).await;
    let mut shown = Vec::new();
    let mut path = "/api/leads?limit=2".to_owned();
    loop {
        let page = desk.get(&path, &key).await.json(200);
        let leads = page["leads"].as_array().unwrap();
        assert!(leads.len() <= 2);
        shown.extend(
            leads
                .iter()
                .map(|it| it["lead_id"].as_str().unwrap().to_owned()),
        );
        assert_eq!(leads[0]["arrival"], "queued");
        assert_eq!(leads[0]["person"]["first_name"], "Ada");
        let Some(next) = page["next"].as_str() else {
            break;
        };
        path = format!("/api/leads?limit=2&cursor={next}");
    }
    assert_eq!(shown, taken);
    let count = async |query: &str| {
        let page = desk
            .get(&format!("/api/leads?{query}"), &key)
            .await
            .json(200);
        page["leads"].as_array().unwrap().len()
    };
    assert_eq!(count("since=2026-05-01T12:03:00Z").await, 2);
    assert_eq!(
        count("until=2026-05-01T12:03:00Z&since=2026-05-01T12:01:00Z").await,
        2
    );
    assert_eq!(
        count("state=due&agent=example-agent&rooftop=North").await,
        5
    );
    assert_eq!(count("state=bounced").await, 0);
    assert_eq!(count("rooftop=South").await, 0);
}

#[tokio::test]
async fn a_query_is_refused_with_every_problem() {
    let desk = Desk::open().await;
    let key = desk.key("north", Scope::Leads).await;
    let path = "/api/leads?since=monday&limit=1000&state=lost&cursor=x&colour=red&agent=a&agent=b";
    let detail = desk.get(path, &key).await.refused(400);
    for part in [
        "since: \"monday\"",
        "limit: 1000",
        "state: \"lost\"",
        "cursor",
        "\"colour\"",
        "agent stands there 2 times",
    ] {
        assert!(detail.contains(part), "{part} is not in {detail}");
    }
}

#[tokio::test]
async fn a_lead_is_shown_with_consent_and_every_attempt() {
    let desk = Desk::open().await;
    let (lead, delivery) = desk.sent().await;
    let key = desk.key("north", Scope::Leads).await;
    let shown = desk
        .get(&format!("/api/leads/{lead}"), &key)
        .await
        .json(200);
    assert_eq!(shown["arrival"], "sent");
    assert_eq!(shown["request"]["customer"]["email"], "ada-1@example.com");
    let consent = shown["consent_as_received"].as_str().unwrap();
    assert!(consent.contains("North Cars may write to me."));
    let way = &shown["deliveries"][0];
    assert_eq!(way["delivery_id"], delivery);
    assert_eq!(way["history"][0]["outcome"], "sent");
    assert_eq!(way["history"][0]["detail"], "250 kept");
    for unknown in ["nonsense", "019a2b3c-4d5e-7f60-8a9b-0c1d2e3f4a5b"] {
        desk.get(&format!("/api/leads/{unknown}"), &key)
            .await
            .refused(404);
    }
}

#[tokio::test]
async fn a_lead_is_sent_once_more_where_it_is_wished() {
    let desk = Desk::open().await;
    let (lead, _) = desk.sent().await;
    let key = desk.key("north", Scope::Deliveries).await;
    let path = format!("/api/leads/{lead}/resend");
    let everywhere = desk.send(Method::POST, &path, &key, "", "").await.json(202);
    assert_eq!(everywhere["deliveries"][0]["destination"], "crm");
    let wish = json!({ "destination": "fallback" });
    let made = desk.post(&path, &key, &wish).await.json(202);
    assert_eq!(made["deliveries"][0]["destination"], "fallback");
    let id = made["deliveries"][0]["delivery_id"].as_str().unwrap();
    let shown = desk
        .get(&format!("/api/deliveries/{id}"), &key)
        .await
        .json(200);
    assert_eq!(
        (&shown["purpose"], &shown["state"]),
        (&json!("resend"), &json!("due"))
    );
    let wish = json!({ "destination": "fax" });
    let detail = desk.post(&path, &key, &wish).await.refused(422);
    assert!(detail.contains("crm, fallback"), "{detail}");
    desk.post(&path, &key, &json!({ "to": "crm" }))
        .await
        .refused(400);
}

#[tokio::test]
async fn a_failed_delivery_is_listed_and_tried_again() {
    let desk = Desk::open().await;
    desk.lead(1, "Ada").await;
    desk.deliver(Outcome::Permanent {
        detail: "550 no".to_owned(),
    })
    .await;
    let key = desk.key("north", Scope::Deliveries).await;
    let list = desk
        .get("/api/deliveries?state=failed&limit=1", &key)
        .await
        .json(200);
    let failed = &list["deliveries"][0];
    assert_eq!(
        (&failed["detail"], &list["next"]),
        (&json!("550 no"), &Value::Null)
    );
    let id = failed["delivery_id"].as_str().unwrap();
    let path = format!("/api/deliveries/{id}/retry");
    let retried = desk.send(Method::POST, &path, &key, "", "").await.json(202);
    assert_eq!(retried["state"], "due");
    let all = desk.get("/api/deliveries?limit=1", &key).await.json(200);
    let next = all["next"].as_str().unwrap();
    let rest = desk
        .get(&format!("/api/deliveries?limit=1&cursor={next}"), &key)
        .await
        .json(200);
    let mut destinations = [&all, &rest].map(|it| it["deliveries"][0]["destination"].clone());
    destinations.sort_by_key(Value::to_string);
    assert_eq!(destinations, [json!("crm"), json!("fallback")]);
}

#[tokio::test]
async fn an_export_holds_every_lead_and_no_formula() {
    let desk = Desk::open().await;
    for number in 0..450 {
        let name = if number == 7 {
            "=HYPERLINK(\"http://x.example\")"
        } else {
            "Ada"
        };
        desk.lead(number, name).await;
    }
    let key = desk.key("north", Scope::Leads).await;
    let lines = desk.get("/api/leads/export?format=ndjson", &key).await;
    assert_eq!(lines.headers[header::CONTENT_TYPE], "application/x-ndjson");
    let leads: Vec<Value> = lines
        .text
        .lines()
        .map(|it| serde_json::from_str(it).unwrap())
        .collect();
    let mut ids: Vec<&str> = leads
        .iter()
        .map(|it| it["lead_id"].as_str().unwrap())
        .collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 450);
    assert_eq!(leads[0]["deliveries"][0]["destination"], "crm");
    let table = desk
        .get("/api/leads/export?format=csv&agent=example-agent", &key)
        .await;
    assert_eq!(
        table.headers[header::CONTENT_DISPOSITION],
        "attachment; filename=\"leads.csv\""
    );
    let mut reader = csv::Reader::from_reader(table.text.as_bytes());
    assert_eq!(reader.records().map(Result::unwrap).count(), 450);
    assert!(table.text.contains("\"'=HYPERLINK("), "a formula");
    let none = desk
        .get("/api/leads/export?format=csv&rooftop=South", &key)
        .await;
    assert_eq!(none.text.lines().count(), 1, "the header alone");
    desk.get("/api/leads/export?format=xls", &key)
        .await
        .refused(400);
}

fn mail(delivery: &str, action: &str) -> String {
    format!(
        "From: MAILER-DAEMON@mx.example\r\nContent-Type: multipart/report; boundary=b\r\n\
         Date: Fri, 1 May 2026 12:01:00 +0000\r\n\
         \r\n--b\r\nContent-Type: message/delivery-status\r\n\
         \r\nAction: {action}\r\nStatus: 5.1.1\r\n\
         \r\n--b\r\nContent-Type: text/rfc822-headers\r\n\
         \r\nMessage-ID: <{delivery}@north.example>\r\n\r\n--b--\r\n"
    )
}

#[tokio::test]
async fn a_bounce_is_taken_as_a_mail_and_in_words() {
    let kind = "message/rfc822";
    for way in ["mail", "delivery_id", "message_id", "lead_id"] {
        let desk = Desk::open().await;
        let (lead, delivery) = desk.sent().await;
        let key = desk.key("north", Scope::Deliveries).await;
        let report = async || {
            let word = match way {
                "mail" => {
                    let mail = mail(&delivery, "failed");
                    return desk
                        .send(Method::POST, "/api/bounces", &key, kind, &mail)
                        .await;
                }
                "delivery_id" => json!({ "delivery_id": delivery, "status": "5.1.1" }),
                "message_id" => {
                    json!({ "message_id": format!("<{delivery}@north.example>"), "status": "5.1.1" })
                }
                _ => {
                    json!({ "lead_id": lead, "status": "5.1.1", "reason": "ada@example.com is gone" })
                }
            };
            desk.post("/api/bounces", &key, &word).await
        };
        let taken = report().await.json(200);
        assert_eq!(taken["result"], "bounced", "{way}");
        assert_eq!(taken["delivery_id"], delivery);
        let path = format!("/api/deliveries/{delivery}");
        let shown = desk.get(&path, &key).await.json(200);
        assert_eq!(shown["state"], "bounced");
        let detail = shown["detail"].as_str().unwrap();
        assert!(
            detail.starts_with("5.1.1 ") && !detail.contains('@'),
            "{detail}"
        );
        let fallback = taken["fallback_delivery_id"].as_str().unwrap();
        let made = desk
            .get(&format!("/api/deliveries/{fallback}"), &key)
            .await
            .json(200);
        assert_eq!(
            (&made["destination"], &made["state"]),
            (&json!("fallback"), &json!("due"))
        );
        let alarms = desk.store.read(outside::alarm::open).await.unwrap();
        assert_eq!(alarms.len(), 1, "{way}");
        assert_eq!(alarms[0].cause.kind, outside::alarm::Kind::Bounce);
        // Told again, it changes nothing more.
        let again = report().await;
        if way == "lead_id" {
            again.refused(404);
        } else {
            assert_eq!(again.json(200)["result"], "unchanged");
        }
        let list = desk.get("/api/deliveries", &key).await.json(200);
        assert_eq!(list["deliveries"].as_array().unwrap().len(), 2, "{way}");
    }
}

#[tokio::test]
async fn word_of_a_delay_changes_no_state() {
    let desk = Desk::open().await;
    let (_, delivery) = desk.sent().await;
    let key = desk.key("north", Scope::Deliveries).await;
    let late = mail(&delivery, "delayed");
    let answer = desk
        .send(Method::POST, "/api/bounces", &key, "message/rfc822", &late)
        .await;
    assert_eq!(answer.json(200)["result"], "late");
    let word = json!({ "delivery_id": delivery, "status": "4.2.2" });
    assert_eq!(
        desk.post("/api/bounces", &key, &word).await.json(200)["result"],
        "late"
    );
    let shown = desk
        .get(&format!("/api/deliveries/{delivery}"), &key)
        .await
        .json(200);
    assert_eq!(shown["state"], "sent");
    let detail = shown["detail"].as_str().unwrap();
    assert!(detail.contains("4.2.2 the mailbox is full"), "{detail}");
    assert!(
        desk.store
            .read(outside::alarm::open)
            .await
            .unwrap()
            .is_empty()
    );
}

#[tokio::test]
async fn what_is_no_bounce_is_refused_with_the_reason() {
    let desk = Desk::open().await;
    let (_, delivery) = desk.sent().await;
    let key = desk.key("north", Scope::Deliveries).await;
    let lunch = "Subject: lunch\r\n\r\nat noon?";
    let send = async |kind: &str, body: &str| {
        desk.send(Method::POST, "/api/bounces", &key, kind, body)
            .await
    };
    send("message/rfc822; charset=utf-8", lunch)
        .await
        .refused(422);
    send("text/plain", lunch).await.refused(415);
    let stranger = "019a2b3c-4d5e-7f60-8a9b-0c1d2e3f4a5b";
    send("message/rfc822", &mail(stranger, "failed"))
        .await
        .refused(404);
    for (word, status, part) in [
        (json!({ "status": "5.1.1" }), 400, "name one of"),
        (
            json!({ "delivery_id": delivery, "lead_id": stranger, "status": "5.1.1" }),
            400,
            "name one of",
        ),
        (
            json!({ "delivery_id": delivery, "status": "gone" }),
            400,
            "status",
        ),
        (
            json!({ "delivery_id": delivery, "status": "2.0.0" }),
            400,
            "status",
        ),
        (
            json!({ "delivery_id": delivery, "status": "5.1.1", "why": "" }),
            400,
            "why",
        ),
        (
            json!({ "message_id": "<1@x>", "status": "5.1.1" }),
            400,
            "message_id",
        ),
        (
            json!({ "lead_id": stranger, "status": "5.1.1" }),
            404,
            "no such lead",
        ),
        (
            json!({ "delivery_id": stranger, "status": "5.1.1" }),
            404,
            "no such delivery",
        ),
    ] {
        let detail = send("application/json", &word.to_string())
            .await
            .refused(status);
        assert!(detail.contains(part), "{word}: {detail}");
    }
}

#[tokio::test]
async fn who_asks_too_often_is_asked_to_wait() {
    let desk = Desk::open().await;
    let key = desk.key("north", Scope::Leads).await;
    let ask = async || {
        let mut request = Request::builder()
            .uri("/api/leads")
            .header(header::AUTHORIZATION, &key)
            .body(Body::empty())
            .unwrap();
        request.extensions_mut().insert(Client {
            address: "203.0.113.9".parse().unwrap(),
            is_unknown_proxy: false,
        });
        desk.ask(request).await
    };
    for _ in 0..3 {
        ask().await.json(200);
    }
    let limited = ask().await;
    assert_eq!(limited.headers[header::RETRY_AFTER], "1");
    limited.refused(429);
}
