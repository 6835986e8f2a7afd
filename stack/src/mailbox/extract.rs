//! The two things a developer opens such a mail for: the link to follow and the code to type.

/// Path and parameters that mark a link of the auth service.
const MARKS: [&str; 4] = ["/verify?", "token_hash=", "token=", "code="];

/// The link to follow: the first that carries a token, else the first of all.
pub(super) fn link(html: &str, text: &str) -> Option<String> {
    let links: Vec<String> = hrefs(html).into_iter().chain(bare_links(text)).collect();
    let marked = links
        .iter()
        .find(|link| MARKS.iter().any(|mark| link.contains(mark)));
    marked.or(links.first()).cloned()
}

/// The code to type: the first group of six to ten digits outside links and addresses.
pub(super) fn code(text: &str) -> Option<String> {
    text.split_whitespace()
        .filter(|word| !word.contains("://") && !word.contains('@'))
        .flat_map(|word| word.split(|c: char| !c.is_alphanumeric()))
        .find(|word| (6..=10).contains(&word.len()) && word.bytes().all(|b| b.is_ascii_digit()))
        .map(str::to_owned)
}

/// Targets of `href="…"`, unescaped, http and https only.
fn hrefs(html: &str) -> Vec<String> {
    let mut links = Vec::new();
    let mut rest = html;
    while let Some(at) = rest.find("href=") {
        rest = &rest[at + "href=".len()..];
        let Some(quote) = rest.chars().next().filter(|c| matches!(c, '"' | '\'')) else {
            continue;
        };
        let Some(end) = rest[1..].find(quote) else {
            break;
        };
        let link = unescape(&rest[1..=end]);
        if is_web(&link) {
            links.push(link);
        }
        rest = &rest[end + 1..];
    }
    links
}

fn bare_links(text: &str) -> Vec<String> {
    let trim: &[char] = &['(', ')', '[', ']', '<', '>', '"', '\'', ',', '.'];
    let words = text.split_whitespace().map(|word| word.trim_matches(trim));
    words
        .filter(|word| is_web(word))
        .map(str::to_owned)
        .collect()
}

fn is_web(link: &str) -> bool {
    link.starts_with("https://") || link.starts_with("http://")
}

/// The entities that occur in addresses.
fn unescape(text: &str) -> String {
    text.trim()
        .replace("&#34;", "\"")
        .replace("&quot;", "\"")
        .replace("&#39;", "'")
        .replace("&#43;", "+")
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&")
}
