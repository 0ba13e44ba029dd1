pub(super) fn value(value: &crate::Value) -> String {
    match value {
        crate::Value::Text(t) | crate::Value::Id(t) => t.clone(),
        crate::Value::Count(n) => n.to_string(),
        _ => String::new(),
    }
}
