use std::fs;

use super::*;

/// A drop folder, and the bench whose feed it is.
struct Drop {
    bench: Bench,
    folder: tempfile::TempDir,
}

impl Drop {
    fn new() -> Self {
        Self {
            bench: Bench::new(),
            folder: tempfile::tempdir().unwrap(),
        }
    }

    fn feeds(&self) -> Feeds {
        self.feeds_with(json!({}))
    }

    fn feeds_with(&self, mut settings: Value) -> Feeds {
        settings["path"] = json!(self.folder.path().join("*.csv"));
        self.bench.feeds(&settings)
    }

    fn put(&self, name: &str, content: &str) {
        fs::write(self.folder.path().join(name), content).unwrap();
    }

    /// Puts a file whose time of modification is so many seconds after a fixed time.
    fn put_at(&self, name: &str, content: &str, second: u64) {
        self.put(name, content);
        let time = std::time::SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000 + second);
        let file = fs::File::options()
            .write(true)
            .open(self.folder.path().join(name));
        file.unwrap().set_modified(time).unwrap();
    }

    fn has(&self, name: &str) -> bool {
        self.folder.path().join(name).exists()
    }

    fn report(&self, name: &str) -> Value {
        let text = fs::read(self.folder.path().join(format!("{name}.report.json"))).unwrap();
        serde_json::from_slice(&text).unwrap()
    }
}

fn watch(feeds: &Feeds) -> Watch<'_> {
    let (feed, source) = &feeds.sources[0];
    Watch::new(feed, source)
}

#[tokio::test]
async fn a_file_counts_after_a_minute_without_change_and_moves_to_done_with_its_report() {
    let drop = Drop::new();
    let feeds = drop.feeds();
    let mut watch = watch(&feeds);
    drop.put("export.csv", "Stock,Year,Make,Mod");
    drop.put("later.csv.part", &csv(&["P1"]));
    watch.look().await;
    drop.bench.pass(59);
    drop.put("export.csv", &csv(&["A1", "A2"]));
    watch.look().await;
    drop.bench.pass(59);
    watch.look().await;
    assert!(drop.bench.runs().await.is_empty(), "it may still grow");
    drop.bench.pass(1);
    watch.look().await;
    assert_eq!(drop.bench.lot().await, ["A1", "A2"]);
    assert!(drop.has("done/export.csv") && !drop.has("export.csv"));
    assert!(drop.has("later.csv.part"));
    let report = drop.report("done/export.csv");
    assert_eq!(report["result"], "applied");
    assert_eq!(report["file"], "export.csv");
    assert_eq!(report["run"]["added"], 2);
    assert!(report.get("vehicles").is_none());
    drop.bench.pass(600);
    watch.look().await;
    assert_eq!(drop.bench.runs().await.len(), 1);
    assert!(drop.bench.open().await.is_empty());
}

#[tokio::test]
async fn a_file_that_is_no_feed_moves_to_refused_and_the_stock_stays() {
    let drop = Drop::new();
    let feeds = drop.feeds_with(json!({ "settle": "0s" }));
    let mut watch = watch(&feeds);
    drop.put("export.csv", &csv(&["A1"]));
    watch.look().await;
    drop.put("export.csv", "<html><body>502 Bad Gateway</body></html>");
    drop.bench.pass(10);
    watch.look().await;
    assert_eq!(drop.bench.lot().await, ["A1"]);
    let report = drop.report("refused/export.csv");
    assert_eq!(report["result"], "refused");
    assert!(report["refused"]["message"].is_string());
    assert!(drop.has("done/export.csv") && drop.has("refused/export.csv"));
}

#[tokio::test]
async fn the_newest_file_is_read_and_the_others_are_done_unread() {
    let drop = Drop::new();
    let feeds = drop.feeds_with(json!({ "settle": "0s" }));
    drop.put_at("monday.csv", &csv(&["MON"]), 1);
    drop.put_at("wednesday.csv", &csv(&["WED"]), 3);
    drop.put_at("tuesday.csv", &csv(&["TUE"]), 2);
    watch(&feeds).look().await;
    assert_eq!(drop.bench.lot().await, ["WED"]);
    assert_eq!(drop.bench.runs().await.len(), 1);
    for name in ["monday.csv", "tuesday.csv"] {
        let report = drop.report(&format!("done/{name}"));
        assert_eq!(report["result"], "overtaken");
        let message = report["message"].as_str().unwrap();
        assert!(message.contains("wednesday.csv"), "{message}");
    }
    assert_eq!(drop.report("done/wednesday.csv")["result"], "applied");
}

#[tokio::test]
async fn a_file_that_was_published_before_a_crash_is_read_again_and_changes_nothing() {
    let drop = Drop::new();
    let feeds = drop.feeds_with(json!({ "settle": "0s" }));
    let (feed, _) = &feeds.sources[0];
    let content = csv(&["A1", "A2"]);
    drop.put("export.csv", &content);
    let published = receive(
        &feed.store,
        &feed.dealer_id,
        feed.target(),
        Some("export.csv"),
        content.as_bytes(),
    );
    published.await.unwrap();
    let restarted = drop.feeds_with(json!({ "settle": "0s" }));
    watch(&restarted).look().await;
    assert_eq!(drop.bench.lot().await, ["A1", "A2"]);
    assert!(drop.has("done/export.csv"));
    let run = &drop.report("done/export.csv")["run"];
    assert_eq!((&run["added"], &run["withdrawn"]), (&json!(0), &json!(0)));
}

#[tokio::test]
async fn a_file_that_cannot_be_moved_is_told_and_not_read_again_even_after_a_restart() {
    let drop = Drop::new();
    let settings = json!({ "settle": "0s" });
    let feeds = drop.feeds_with(settings.clone());
    drop.put("done", "not a folder");
    drop.put("export.csv", &csv(&["A1"]));
    let mut first = watch(&feeds);
    first.look().await;
    first.look().await;
    assert_eq!(drop.bench.runs().await.len(), 1);
    let open = drop.bench.open().await;
    assert_eq!(open.len(), 1);
    assert_eq!(open[0].0, Kind::FeedFile);
    assert!(open[0].1.contains("export.csv"), "{}", open[0].1);

    let restarted = drop.feeds_with(settings);
    let mut second = watch(&restarted);
    second.look().await;
    assert_eq!(drop.bench.runs().await.len(), 1);
    fs::remove_file(drop.folder.path().join("done")).unwrap();
    second.look().await;
    assert!(drop.has("done/export.csv"));
    assert_eq!(drop.report("done/export.csv")["result"], "applied");
    assert!(drop.bench.open().await.is_empty());
}

#[tokio::test]
async fn a_new_file_under_the_name_of_a_stuck_one_is_read() {
    let drop = Drop::new();
    let feeds = drop.feeds_with(json!({ "settle": "0s" }));
    drop.put("done", "not a folder");
    drop.put("export.csv", &csv(&["A1"]));
    let mut watch = watch(&feeds);
    watch.look().await;
    drop.put("export.csv", &csv(&["A1", "A2"]));
    watch.look().await;
    assert_eq!(drop.bench.lot().await, ["A1", "A2"]);
    assert_eq!(drop.bench.open().await.len(), 1);
}

#[tokio::test]
async fn a_missing_folder_is_told_when_it_stays_away_and_once_it_is_back() {
    let drop = Drop::new();
    let settings = json!({ "path": drop.folder.path().join("later/*.csv") });
    let feeds = drop.bench.feeds(&settings);
    let mut watch = watch(&feeds);
    watch.look().await;
    watch.look().await;
    assert!(
        drop.bench.open().await.is_empty(),
        "a share may be away for a moment"
    );
    watch.look().await;
    let open = drop.bench.open().await;
    assert_eq!(open[0].0, Kind::FeedSource);
    assert!(open[0].1.contains("later"), "{}", open[0].1);
    fs::create_dir(drop.folder.path().join("later")).unwrap();
    watch.look().await;
    assert!(drop.bench.open().await.is_empty());
}

#[tokio::test]
async fn a_file_that_is_too_large_is_told_and_left() {
    let drop = Drop::new();
    let feeds = drop.feeds_with(json!({ "settle": "0s", "max_megabytes": 1 }));
    let file = fs::File::create(drop.folder.path().join("huge.csv")).unwrap();
    file.set_len(1_000_001).unwrap();
    drop.put("small.csv", &csv(&["A1"]));
    let mut watch = watch(&feeds);
    watch.look().await;
    assert_eq!(drop.bench.lot().await, ["A1"]);
    let open = drop.bench.open().await;
    assert_eq!(open[0].0, Kind::FeedFile);
    assert!(open[0].1.contains("max_megabytes"), "{}", open[0].1);
    assert!(drop.has("huge.csv"));
}

#[cfg(unix)]
#[tokio::test]
async fn a_link_out_of_the_folder_is_not_followed() {
    let drop = Drop::new();
    let feeds = drop.feeds_with(json!({ "settle": "0s" }));
    let elsewhere = tempfile::tempdir().unwrap();
    let secret = elsewhere.path().join("secret.csv");
    fs::write(&secret, csv(&["SECRET"])).unwrap();
    std::os::unix::fs::symlink(&secret, drop.folder.path().join("export.csv")).unwrap();
    watch(&feeds).look().await;
    assert!(drop.bench.runs().await.is_empty());
    assert!(secret.exists());
    let open = drop.bench.open().await;
    assert!(open[0].1.contains("link"), "{}", open[0].1);
}

#[tokio::test]
async fn a_catalogs_file_is_taken_like_a_feeds_and_a_doubted_one_is_refused() {
    let drop = Drop::new();
    let feeds = drop.bench.catalog(&json!({
        "name": "Garden House",
        "path": drop.folder.path().join("*.csv"),
    }));
    let mut watch = watch(&feeds);
    let items = |count: usize| {
        let lines: Vec<String> = (0..count)
            .map(|it| format!("{it},Bench {it},9 EUR"))
            .collect();
        format!("id,title,price\n{}\n", lines.join("\n"))
    };
    for (name, file) in [("good.csv", items(20)), ("cut.csv", items(3))] {
        drop.put(name, &file);
        watch.look().await;
        drop.bench.pass(60);
        watch.look().await;
    }
    assert!(drop.has("done/good.csv") && drop.has("refused/cut.csv"));
    let report = drop.report("refused/cut.csv");
    assert_eq!(report["result"], "kept_last_good", "{report:#}");
    let states: Vec<RunState> = drop.bench.runs().await.into_iter().map(|it| it.0).collect();
    assert_eq!(states, [RunState::Applied, RunState::KeptLastGood]);
}

#[tokio::test]
async fn a_catalogs_product_feed_in_xml_is_taken_and_one_that_shrank_or_breaks_off_is_refused() {
    let drop = Drop::new();
    let feeds = drop.bench.catalog(&json!({
        "name": "Garden House",
        "path": drop.folder.path().join("*.xml"),
    }));
    let mut watch = watch(&feeds);
    let items = |count: usize| {
        let items: String = (0..count)
            .map(|it| format!("<item><g:id>{it}</g:id><g:price>9 EUR</g:price></item>\n"))
            .collect();
        format!(
            "<rss xmlns:g=\"http://base.google.com/ns/1.0\"><channel>\n{items}</channel></rss>\n"
        )
    };
    let whole = items(20);
    let cut = &whole[..whole.len() / 2 + 200];
    for (name, file) in [
        ("good.xml", whole.as_str()),
        ("shrunk.xml", &items(3)),
        ("cut.xml", cut),
        ("empty.xml", &items(0)),
    ] {
        drop.put(name, file);
        watch.look().await;
        drop.bench.pass(60);
        watch.look().await;
    }
    assert!(drop.has("done/good.xml"));
    let refused = |name: &str| drop.report(&format!("refused/{name}"));
    let (shrunk, cut) = (refused("shrunk.xml"), refused("cut.xml"));
    assert_eq!(shrunk["result"], "kept_last_good", "{shrunk:#}");
    assert_eq!(cut["result"], "kept_last_good", "{cut:#}");
    assert!(cut.to_string().contains("breaks off in line"), "{cut:#}");
    let states: Vec<RunState> = drop.bench.runs().await.into_iter().map(|it| it.0).collect();
    assert_eq!(
        states,
        [
            RunState::Applied,
            RunState::KeptLastGood,
            RunState::KeptLastGood,
            RunState::Refused
        ]
    );
}
