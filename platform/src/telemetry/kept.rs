//! Numbers that are kept elsewhere anyway: looked at when somebody asks for the metrics.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, NoLabelSet};
use prometheus_client::metrics::MetricType;

/// Whether a number may fall.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Gauge,
    Counter,
}

/// Labels of one number.
pub(super) type Labels = Vec<(&'static str, &'static str)>;

/// A number; none once nobody keeps it any more.
type Look = Box<dyn Fn() -> Option<f64> + Send + Sync>;

struct Family {
    help: &'static str,
    kind: Kind,
    series: Vec<(Labels, Look)>,
}

static FAMILIES: LazyLock<Mutex<BTreeMap<&'static str, Family>>> = LazyLock::new(Mutex::default);

/// Shows a number for as long as its keeper lives. What has the same name and labels is added up.
pub(super) fn show<T: Send + Sync + 'static>(
    kind: Kind,
    (name, help): (&'static str, &'static str),
    labels: Labels,
    keeper: &Arc<T>,
    look: impl Fn(&T) -> f64 + Send + Sync + 'static,
) {
    let keeper = Arc::downgrade(keeper);
    let look = Box::new(move || keeper.upgrade().map(|keeper| look(&keeper)));
    let mut families = FAMILIES.lock().unwrap_or_else(PoisonError::into_inner);
    let family = families.entry(name).or_insert_with(|| Family {
        help,
        kind,
        series: Vec::new(),
    });
    family.series.push((labels, look));
}

/// Asks for all of them.
#[derive(Debug)]
pub(super) struct Kept;

impl Collector for Kept {
    fn encode(&self, mut encoder: DescriptorEncoder) -> fmt::Result {
        let mut families = FAMILIES.lock().unwrap_or_else(PoisonError::into_inner);
        for (name, family) in families.iter_mut() {
            let mut sums: BTreeMap<Labels, f64> = BTreeMap::new();
            family.series.retain(|(labels, look)| {
                let seen = look();
                *sums.entry(labels.clone()).or_default() += seen.unwrap_or_default();
                seen.is_some()
            });
            let metric_type = match family.kind {
                Kind::Gauge => MetricType::Gauge,
                Kind::Counter => MetricType::Counter,
            };
            let mut all = encoder.encode_descriptor(name, family.help, None, metric_type)?;
            for (labels, sum) in &sums {
                let mut one = all.encode_family(labels)?;
                match family.kind {
                    Kind::Gauge => one.encode_gauge(sum)?,
                    Kind::Counter => one.encode_counter::<NoLabelSet, _, f64>(sum, None)?,
                }
            }
        }
        Ok(())
    }
}
