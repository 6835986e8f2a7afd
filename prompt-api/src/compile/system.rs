//! The five values every compile provides by itself, taken from one reading of the clock.

use std::sync::LazyLock;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::{TimeZone, TimeZoneDatabase};
use serde::Serialize;

/// The zones compiled in: answers must not depend on what is installed on the machine.
static ZONES: LazyLock<TimeZoneDatabase> = LazyLock::new(TimeZoneDatabase::bundled);

/// Names the engine reserves, in the order they are returned.
pub(super) const NAMES: [&str; 5] = ["TODAY", "NOW", "TIMESTAMP", "DATE", "TIME"];

/// Whether the engine fills this name itself. Case matters: `{today}` is a user's variable.
pub fn is_system_variable(name: &str) -> bool {
    NAMES.contains(&name)
}

/// All five, whether the template uses them or not. `TIMESTAMP` is Unix seconds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "UPPERCASE")]
pub struct SystemVariables {
    /// `YYYY-MM-DD` in the chosen time zone.
    pub today: String,
    /// RFC 3339 in whole seconds.
    pub now: String,
    /// Unix time in seconds.
    pub timestamp: i64,
    /// The same as `TODAY`.
    pub date: String,
    /// `HH:MM:SS`, 24 hours.
    pub time: String,
}

impl SystemVariables {
    /// The variables at one instant, in UTC unless an IANA zone is named; `None` if it is unknown.
    pub fn at(now: Timestamp, timezone: Option<&str>) -> Option<Self> {
        let name = timezone.unwrap_or("UTC");
        let zone = if name == "UTC" {
            TimeZone::UTC
        } else {
            ZONES.get(name).ok()?
        };
        let timestamp = now.as_nanosecond().div_euclid(1_000_000_000);
        let timestamp = i64::try_from(timestamp).ok()?;
        let instant = Timestamp::from_second(timestamp).ok()?;
        let wall = zone.to_datetime(instant);
        let offset = match name {
            "UTC" => "Z".to_owned(),
            _ => offset_text(zone.to_offset(instant).seconds()),
        };
        let (date, time) = (date_text(wall), time_text(wall));
        let now = format!("{date}T{time}{offset}");
        Some(Self {
            today: date.clone(),
            now,
            timestamp,
            date,
            time,
        })
    }

    /// The text of one of the five, `None` for any other name.
    pub fn text(&self, name: &str) -> Option<String> {
        match name {
            "TODAY" => Some(self.today.clone()),
            "NOW" => Some(self.now.clone()),
            "TIMESTAMP" => Some(self.timestamp.to_string()),
            "DATE" => Some(self.date.clone()),
            "TIME" => Some(self.time.clone()),
            _ => None,
        }
    }
}

fn date_text(wall: DateTime) -> String {
    format!("{:04}-{:02}-{:02}", wall.year(), wall.month(), wall.day())
}

fn time_text(wall: DateTime) -> String {
    format!(
        "{:02}:{:02}:{:02}",
        wall.hour(),
        wall.minute(),
        wall.second()
    )
}

/// `+hh:mm`; zones that once counted seconds are rounded to the minute.
fn offset_text(seconds: i32) -> String {
    let minutes = (seconds + 30).div_euclid(60);
    let sign = if minutes < 0 { '-' } else { '+' };
    let size = minutes.unsigned_abs();
    format!("{sign}{:02}:{:02}", size / 60, size % 60)
}
