//! A document against the content models.

use super::{
    Findings,
    model::{Content, EXTENSIONS, Model, Part, model},
    values,
};
use crate::adf::node::Node;

/// Longest value of an attribute that a finding repeats.
const SHORT: usize = 24;

pub(super) fn check(root: &Node, findings: &mut Findings<'_>) {
    if root.name != "adf" {
        let found = format!("the element `<{}>`", root.name);
        findings.refuse(root.at, &root.name, found, "`<adf>` around the prospect");
        return;
    }
    if root
        .children
        .iter()
        .filter(|it| it.name == "prospect")
        .count()
        > 1
    {
        let expected = "one prospect in a message: some CRMs read the first alone";
        findings.doubt(root.at, "adf", "several prospects", expected);
    }
    element(root, "adf", findings);
}

fn element(node: &Node, path: &str, findings: &mut Findings<'_>) {
    let Some(model) = model(&node.name) else {
        return;
    };
    attributes(node, model, path, findings);
    match model.content {
        Content::Text => {
            for child in &node.children {
                let found = format!("`<{}>` within `<{}>`", child.name, node.name);
                findings.refuse(child.at, path, found, "text alone");
            }
            values::check(node, path, findings);
        }
        Content::Elements(parts) => {
            if !node.text.trim().is_empty() {
                let found = format!("text within `<{}>` beside its elements", node.name);
                findings.refuse(node.at, path, found, "elements alone");
            }
            sequence(node, parts, path, findings);
        }
        Content::Either => {}
    }
    for child in &node.children {
        let path = format!("{path}/{}", child.name);
        element(child, &path, findings);
    }
}

fn attributes(node: &Node, model: &Model, path: &str, findings: &mut Findings<'_>) {
    for (name, value) in &node.attributes {
        let Some(attribute) = model.attributes.iter().find(|it| it.name == name) else {
            let names: Vec<&str> = model.attributes.iter().map(|it| it.name).collect();
            let expected = match &*names {
                [] => "none".to_owned(),
                names => names.join(", "),
            };
            let found = format!("the attribute `{name}` of `<{}>`", node.name);
            findings.refuse(node.at, path, found, expected);
            continue;
        };
        if attribute.values.is_empty() || attribute.values.contains(&value.as_str()) {
            continue;
        }
        let shown: String = value.chars().take(SHORT).collect();
        let found = format!("{name}=\"{shown}\" of `<{}>`", node.name);
        let mut expected = attribute.values.join(", ");
        if node.name == "vehicle" && value.eq_ignore_ascii_case("cpo") {
            expected.push_str(" (a certified vehicle is a used one; say so in its comments)");
        }
        findings.refuse(node.at, path, found, expected);
    }
    for attribute in model.attributes.iter().filter(|it| it.is_required) {
        if node.attribute(attribute.name).is_none() {
            let found = format!(
                "`<{}>` without the attribute `{}`",
                node.name, attribute.name
            );
            findings.refuse(node.at, path, found, "who gave the identifier");
        }
    }
}

/// Which elements stand there, in which order and how often.
fn sequence(node: &Node, parts: &[Part], path: &str, findings: &mut Findings<'_>) {
    let mut counts = vec![0_usize; parts.len()];
    let mut reached = 0;
    for child in &node.children {
        let name = child.name.as_str();
        let Some(place) = parts.iter().position(|part| part.names.contains(&name)) else {
            stranger(node, child, parts, path, findings);
            continue;
        };
        if let Some(count) = counts.get_mut(place) {
            *count += 1;
        }
        if place < reached {
            let found = format!("`<{name}>` too late within `<{}>`", node.name);
            findings.refuse(
                child.at,
                path,
                found,
                format!("this order: {}", order(parts)),
            );
        }
        reached = reached.max(place);
    }
    for (part, count) in parts.iter().zip(counts) {
        let names = part.names.join("> or <");
        if count < part.least {
            let found = format!("`<{}>` without `<{names}>`", node.name);
            findings.refuse(
                node.at,
                path,
                found,
                format!("this order: {}", order(parts)),
            );
        }
        if count > part.most {
            let found = format!("{count} of `<{names}>` within `<{}>`", node.name);
            findings.refuse(node.at, path, found, format!("at most {}", part.most));
        }
    }
    let is_colors = node.name == "colorcombination";
    if is_colors && node.children.iter().all(|child| child.name == "preference") {
        let expected = "`<interiorcolor>`, `<exteriorcolor>` or both";
        findings.refuse(node.at, path, "a combination without a colour", expected);
    }
}

fn stranger(node: &Node, child: &Node, parts: &[Part], path: &str, findings: &mut Findings<'_>) {
    let found = format!("`<{}>` within `<{}>`", child.name, node.name);
    if EXTENSIONS.contains(&(node.name.as_str(), child.name.as_str())) {
        let expected = "an element of ADF 1.0: many CRMs read this one, a strict one refuses it";
        findings.doubt(child.at, path, found, expected);
    } else {
        findings.refuse(child.at, path, found, order(parts));
    }
}

fn order(parts: &[Part]) -> String {
    let names: Vec<String> = parts.iter().map(|part| part.names.join("|")).collect();
    names.join(", ")
}
