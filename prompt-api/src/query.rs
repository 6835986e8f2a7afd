//! Query strings: repeated names, bounded numbers.

use url::form_urlencoded;

use crate::db::prompts::Filter;
use crate::error::Error;

/// Most items of a list when no limit is given.
const DEFAULT_LIMIT: i64 = 1000;
/// Largest limit; more is cut down to it.
const MAX_LIMIT: i64 = 500;
/// Longest text to search for, characters: every row is compared with it.
const TEXT_LIMIT: usize = 200;
/// Most tags to filter by: as many as a prompt can have.
const TAGS_LIMIT: usize = 20;

/// The names and values of a query string.
pub(crate) struct Query(Vec<(String, String)>);

impl Query {
    /// The database knows no text with a NUL, so none is looked for.
    pub(crate) fn parse(text: &str) -> Result<Self, Error> {
        let pairs: Vec<_> = form_urlencoded::parse(text.as_bytes())
            .into_owned()
            .collect();
        if pairs.iter().any(|(_, value)| value.contains('\0')) {
            return Err(Error::MalformedQuery(
                "NUL characters cannot be searched for",
            ));
        }
        Ok(Self(pairs))
    }

    /// The last value of a name, unless it is empty.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let value = self.0.iter().rev().find(|(given, _)| given == name);
        value
            .map(|(_, value)| value.as_str())
            .filter(|value| !value.is_empty())
    }

    /// The query string with another value for a name.
    pub(crate) fn with(&self, name: &str, value: &str) -> String {
        let others = self.0.iter().filter(|(given, _)| given != name);
        form_urlencoded::Serializer::new(String::new())
            .extend_pairs(others)
            .append_pair(name, value)
            .finish()
    }

    /// All values of a name.
    fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        self.0
            .iter()
            .filter(move |(given, _)| given == name)
            .map(|(_, value)| value.as_str())
    }

    pub(crate) fn limit(&self) -> Result<i64, Error> {
        let limit = self.number("limit", "limit must be a whole number of at least 0")?;
        Ok(limit.map_or(DEFAULT_LIMIT, |limit| limit.min(MAX_LIMIT)))
    }

    pub(crate) fn skip(&self) -> Result<i64, Error> {
        let skip = self.number("skip", "skip must be a whole number of at least 0")?;
        Ok(skip.unwrap_or(0))
    }

    fn number(&self, name: &str, problem: &'static str) -> Result<Option<i64>, Error> {
        let number = self.get(name).map(str::parse).transpose();
        match number {
            Ok(Some(number)) if number < 0 => Err(Error::MalformedQuery(problem)),
            Ok(number) => Ok(number),
            Err(_) => Err(Error::MalformedQuery(problem)),
        }
    }

    /// The version somebody asks for; a number no version has stays one nobody finds.
    pub(crate) fn version(&self) -> Result<Option<i32>, Error> {
        let text = self.get("version").filter(|text| *text != "latest");
        text.map(|text| text.parse().map_err(|_| Error::NoVersion(text.to_owned())))
            .transpose()
    }

    /// `repo=owner/slug`
    pub(crate) fn repo(&self) -> Result<Option<(&str, &str)>, Error> {
        self.get("repo").map(repository_address).transpose()
    }

    pub(crate) fn filter(&self) -> Result<Filter, Error> {
        let archived = match self.get("archived") {
            None | Some("false") => Some(false),
            Some("true") => Some(true),
            Some("all") => None,
            Some(_) => {
                return Err(Error::MalformedQuery("archived must be false, true or all"));
            }
        };
        let tags = self.all("tag").map(|tag| tag.trim_matches(' ').to_owned());
        let tags: Vec<String> = tags.filter(|tag| !tag.is_empty()).collect();
        let text = self.get("q").map(|text| text.trim().to_owned());
        let text = text.filter(|text| !text.is_empty());
        if text
            .as_ref()
            .is_some_and(|text| text.chars().count() > TEXT_LIMIT)
        {
            return Err(Error::MalformedQuery("q must have at most 200 characters"));
        }
        if tags.len() > TAGS_LIMIT {
            return Err(Error::MalformedQuery("no prompt has more than 20 tags"));
        }
        Ok(Filter {
            text,
            tags,
            archived,
            limit: self.limit()?,
            skip: self.skip()?,
        })
    }
}

/// The two parts of `owner/slug`.
pub(crate) fn repository_address(address: &str) -> Result<(&str, &str), Error> {
    let parts = address.split_once('/');
    parts
        .filter(|(owner, slug)| is_part(owner) && is_part(slug))
        .ok_or_else(|| Error::NoRepository(address.to_owned()))
}

fn is_part(part: &str) -> bool {
    !part.is_empty() && !part.contains(['/', '\0'])
}
