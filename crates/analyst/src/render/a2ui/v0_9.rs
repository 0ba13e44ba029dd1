//! The messages of A2UI 0.9 and 0.9.1: flat components, values by path.

use serde_json::{Map, Value as Json, json};

use super::layout::{Kind, Layout, Node};

pub(super) const CATALOG: &str = "https://a2ui.org/specification/v0_9/catalogs/basic/catalog.json";
/// Clients of 0.9.1 take this as well.
const VERSION: &str = "v0.9";

pub(super) fn messages(layout: &Layout, surface: &str) -> Vec<Json> {
    let components: Vec<Json> = layout.nodes.iter().map(component).collect();
    let mut model: Map<String, Json> = Map::new();
    for (key, text) in &layout.texts {
        model.insert(key.clone(), text.as_str().into());
    }
    for (key, cells) in &layout.rows {
        let cells = cells
            .iter()
            .map(|(cell, text)| (cell.clone(), text.as_str().into()));
        model.insert(key.clone(), Json::Object(cells.collect()));
    }
    vec![
        json!({ "version": VERSION, "createSurface": { "surfaceId": surface, "catalogId": CATALOG } }),
        json!({ "version": VERSION, "updateComponents": { "surfaceId": surface, "components": components } }),
        json!({ "version": VERSION, "updateDataModel": { "surfaceId": surface, "value": model } }),
    ]
}

fn component(node: &Node) -> Json {
    let mut component = match &node.kind {
        Kind::Text { path, style } => {
            json!({ "component": "Text", "text": { "path": path }, "variant": style.name() })
        }
        Kind::Row(children) => json!({ "component": "Row", "children": children }),
        Kind::Column(children) => json!({ "component": "Column", "children": children }),
        Kind::Card(child) => json!({ "component": "Card", "child": child }),
        Kind::Divider => json!({ "component": "Divider" }),
    };
    component["id"] = node.id.as_str().into();
    if let Some(weight) = node.weight {
        component["weight"] = weight.into();
    }
    component
}
