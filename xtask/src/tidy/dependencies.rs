//! Who may import whom: `platform` nobody, services only `platform`, `stack` alone the services.
//! Whatever crate of the workspace is not part of the house is a service.

use serde_json::Value;

const HOUSE: [&str; 5] = ["bench", "platform", "platform-test", "stack", "xtask"];

/// Whether a crate of the workspace is a service.
pub(crate) fn is_service(name: &str) -> bool {
    !HOUSE.contains(&name)
}

pub(super) fn check(metadata: &Value) -> Vec<String> {
    let mut breaches = Vec::new();
    for package in members(metadata) {
        let name = package["name"].as_str().unwrap_or_default();
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            let used = dependency["name"].as_str().unwrap_or_default();
            let is_workspace = dependency["path"].is_string();
            if is_workspace && !allowed(name, used, dependency["kind"].as_str()) {
                breaches.push(format!("{name} must not depend on {used}"));
            }
        }
    }
    breaches
}

fn allowed(name: &str, used: &str, kind: Option<&str>) -> bool {
    if used == "platform-test" {
        return kind == Some("dev");
    }
    match name {
        "stack" => used == "platform" || is_service(used),
        "platform-test" => used == "platform",
        // The bench measures the template engine without HTTP as well.
        "bench" => used == "platform" || used == "prompt-api",
        name => is_service(name) && used == "platform",
    }
}

/// The workspace's own packages.
pub(crate) fn members(metadata: &Value) -> impl Iterator<Item = &Value> {
    let ids = metadata["workspace_members"].as_array();
    metadata["packages"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(move |package| ids.is_some_and(|ids| ids.contains(&package["id"])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn services_do_not_know_each_other() {
        assert!(allowed("gotrue-rs", "platform", None));
        assert!(allowed("gotrue-rs", "platform-test", Some("dev")));
        assert!(!allowed("gotrue-rs", "platform-test", None));
        assert!(!allowed("gotrue-rs", "prompt-api", None));
        assert!(!allowed("platform", "gotrue-rs", None));
        assert!(allowed("stack", "prompt-api", None));
        assert!(allowed("stack", "a-new-service", None));
        assert!(!allowed("platform", "a-new-service", None));
        assert!(!allowed("xtask", "platform", None));
    }
}
