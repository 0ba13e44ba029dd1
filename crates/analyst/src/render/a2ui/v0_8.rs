//! The messages of A2UI 0.8: components wrapped in their kind, values wrapped in their type.

use serde_json::{Value as Json, json};

use super::layout::{Kind, Layout, Node, ROOT};

pub(super) const CATALOG: &str =
    "https://a2ui.org/specification/v0_8/standard_catalog_definition.json";

pub(super) fn messages(layout: &Layout, surface: &str) -> Vec<Json> {
    let components: Vec<Json> = layout.nodes.iter().map(component).collect();
    // Maps nest once and no deeper in 0.8, so every row has a key at the top.
    let contents: Vec<Json> = texts(&layout.texts)
        .chain(layout.rows.iter().map(|(key, cells)| {
            let cells: Vec<Json> = texts(cells).collect();
            json!({ "key": key, "valueMap": cells })
        }))
        .collect();
    vec![
        json!({ "surfaceUpdate": { "surfaceId": surface, "components": components } }),
        json!({ "dataModelUpdate": { "surfaceId": surface, "contents": contents } }),
        json!({ "beginRendering": { "surfaceId": surface, "root": ROOT, "catalogId": CATALOG } }),
    ]
}

fn texts(texts: &[(String, String)]) -> impl Iterator<Item = Json> + '_ {
    texts
        .iter()
        .map(|(key, text)| json!({ "key": key, "valueString": text }))
}

fn component(node: &Node) -> Json {
    let kind = match &node.kind {
        Kind::Text { path, style } => {
            json!({ "Text": { "text": { "path": path }, "usageHint": style.name() } })
        }
        Kind::Row(children) => json!({ "Row": { "children": { "explicitList": children } } }),
        Kind::Column(children) => json!({ "Column": { "children": { "explicitList": children } } }),
        Kind::Card(child) => json!({ "Card": { "child": child } }),
        Kind::Divider => json!({ "Divider": {} }),
    };
    let mut component = json!({ "id": node.id, "component": kind });
    if let Some(weight) = node.weight {
        component["weight"] = weight.into();
    }
    component
}
