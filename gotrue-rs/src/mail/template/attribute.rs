//! What the value of an attribute is: text, a URL, a style, or nothing a template may set.

/// How a value must be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Attribute {
    Plain,
    Url,
    Style,
    Closed,
}

pub(super) fn attribute(name: &str) -> Attribute {
    match kind(name) {
        AttributeKind::Url => Attribute::Url,
        AttributeKind::Style => Attribute::Style,
        AttributeKind::Script | AttributeKind::Srcset => Attribute::Closed,
        AttributeKind::Plain | AttributeKind::Unsafe => Attribute::Plain,
    }
}

/// Whether a value may become the name of this attribute.
pub(super) fn is_plain_attribute(name: &str) -> bool {
    kind(name) == AttributeKind::Plain
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AttributeKind {
    Plain,
    /// Changes how the document is read.
    Unsafe,
    Url,
    Style,
    Script,
    Srcset,
}

fn kind(name: &str) -> AttributeKind {
    let name = match (name.strip_prefix("data-"), name.split_once(':')) {
        (Some(custom), _) => custom,
        (None, Some(("xmlns", _))) => return AttributeKind::Url,
        (None, Some((_, local))) => local,
        (None, None) => name,
    };
    match name {
        "action" | "archive" | "background" | "cite" | "classid" | "codebase" | "data"
        | "formaction" | "href" | "icon" | "longdesc" | "manifest" | "poster" | "profile"
        | "src" | "usemap" | "xmlns" => AttributeKind::Url,
        "style" => AttributeKind::Style,
        "srcset" => AttributeKind::Srcset,
        "accept-charset" | "async" | "challenge" | "charset" | "content" | "crossorigin"
        | "defer" | "enctype" | "form" | "formenctype" | "formmethod" | "formnovalidate"
        | "http-equiv" | "keytype" | "language" | "method" | "novalidate" | "pattern" | "rel"
        | "sandbox" | "srcdoc" | "type" | "value" => AttributeKind::Unsafe,
        "srclang" => AttributeKind::Plain,
        _ if name.starts_with("on") => AttributeKind::Script,
        _ if ["src", "uri", "url"].iter().any(|part| name.contains(part)) => AttributeKind::Url,
        _ => AttributeKind::Plain,
    }
}
