pub(super) fn evidence_lines(_: &crate::Finding) -> Vec<String> {
    vec!["Evidence".to_owned()]
}
