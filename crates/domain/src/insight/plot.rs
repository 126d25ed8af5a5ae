//! Scales and ticks for plots, and histograms.

use super::{Point, count, whole};

/// The spacing of values on a scale.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScaleKind {
    /// Equal differences are equally far apart.
    Linear,
    /// Equal ratios are equally far apart; values must be above zero.
    Logarithmic,
}

/// The ratio of largest to smallest value from which a scale is logarithmic by default.
///
/// Beyond two decades, a linear scale presses all but the largest values into a few cells near the origin.
const LOGARITHMIC_FROM: f64 = 100.0;

/// The number of steps into which a scale is divided to round its ends.
const STEPS: usize = 5;

/// A scale from a lowest to a highest value; the ends are round numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    pub kind: ScaleKind,
    pub low: f64,
    /// The highest value, above the lowest.
    pub high: f64,
}

impl Scale {
    /// A scale that covers all finite `values`, of the `wanted` kind; linear if a logarithmic one cannot show
    /// a value. Without a wanted kind it is logarithmic if all values are above zero and the largest is at
    /// least 100 times the smallest. `None` without values, or if their span overflows.
    pub fn fit(values: impl IntoIterator<Item = f64>, wanted: Option<ScaleKind>) -> Option<Self> {
        let finite = values.into_iter().filter(|value| value.is_finite());
        let (low, high) = finite.fold(None, |ends: Option<(f64, f64)>, value| {
            Some(ends.map_or((value, value), |(low, high)| (low.min(value), high.max(value))))
        })?;
        let spaced = (high - low).is_finite() && high.abs().max(low.abs()) < 1e300;
        if !spaced {
            return None;
        }
        let wide = low > 0.0 && high / low >= LOGARITHMIC_FROM;
        match wanted {
            Some(ScaleKind::Logarithmic) if low > 0.0 => Some(Self::logarithmic(low, high)),
            None if wide => Some(Self::logarithmic(low, high)),
            _ => Some(Self::linear(low, high)),
        }
    }

    /// A linear scale that covers `low` to `high` with round ends; equal values get room on both sides.
    fn linear(low: f64, high: f64) -> Self {
        // A single value has no span, so the scale extends to both sides of it.
        let room = match (high - low, low.abs()) {
            (span, magnitude) if span > magnitude * 1e-12 => 0.0,
            (_, magnitude) if magnitude > 0.0 => magnitude / 10.0,
            _ => 1.0,
        };
        let (low, high) = (low - room, high + room);
        let step = ScaleStep::for_span(high - low, STEPS);
        Self {
            kind: ScaleKind::Linear,
            low: step.times(step.below(low)).min(low),
            high: step.times(step.above(high)).max(high),
        }
    }

    /// A logarithmic scale that covers `low` to `high`; its ends are 1, 2 or 5 times a power of ten.
    fn logarithmic(low: f64, high: f64) -> Self {
        let below = mantissas(low).filter(|tick| *tick <= low).fold(low / 10.0, f64::max);
        let above = mantissas(high).filter(|tick| *tick >= high).fold(high * 10.0, f64::min);
        let single = above <= below;
        Self {
            kind: ScaleKind::Logarithmic,
            low: if single { below / 2.0 } else { below },
            high: if single { above * 2.0 } else { above },
        }
    }

    /// The position of a value, from 0 (lowest) to 1 (highest); `None` outside.
    pub fn position(&self, value: f64) -> Option<f64> {
        if !(self.low..=self.high).contains(&value) {
            return None;
        }
        let (value, low, high) = match self.kind {
            ScaleKind::Linear => (value, self.low, self.high),
            ScaleKind::Logarithmic => (value.log10(), self.low.log10(), self.high.log10()),
        };
        Some(((value - low) / (high - low)).clamp(0.0, 1.0)).filter(|share| share.is_finite())
    }

    /// The value at a position, which is clamped to 0 (lowest) to 1 (highest).
    pub fn value(&self, position: f64) -> f64 {
        let position = position.clamp(0.0, 1.0);
        match self.kind {
            ScaleKind::Linear => self.low * (1.0 - position) + self.high * position,
            ScaleKind::Logarithmic => {
                let (low, high) = (self.low.log10(), self.high.log10());
                10f64
                    .powf(low * (1.0 - position) + high * position)
                    .clamp(self.low, self.high)
            }
        }
    }

    /// At most `most` round values along the scale, ascending: multiples of 1, 2 or 5 times a power of ten;
    /// on a logarithmic scale 1, 2 and 5, or 1 and 3, times powers of ten, unless fewer than two of these are
    /// on it.
    pub fn ticks(&self, most: usize) -> Vec<f64> {
        match self.kind {
            _ if most == 0 => Vec::new(),
            ScaleKind::Logarithmic => {
                let ticks = self.decades(most);
                if ticks.len() > 1 || most == 1 {
                    ticks
                } else {
                    self.multiples(most)
                }
            }
            ScaleKind::Linear => self.multiples(most),
        }
    }

    /// At most `most` multiples of a round step within the scale, ascending.
    fn multiples(&self, most: usize) -> Vec<f64> {
        let mut step = ScaleStep::for_span(self.high - self.low, most);
        loop {
            let (first, last) = (step.above(self.low), step.below(self.high));
            let many = last - first + 1.0;
            if many <= count(most) {
                let many = whole(many, most);
                return (0..many).map(|index| step.times(first + count(index))).collect();
            }
            step = step.next();
        }
    }

    /// Round numbers from the last at or below the low end to the first above `highest`, in at most `most`
    /// steps.
    fn edges(&self, highest: f64, most: usize) -> Vec<f64> {
        if self.kind == ScaleKind::Linear {
            let mut step = ScaleStep::for_span(self.high - self.low, most);
            loop {
                let (first, last) = (step.below(self.low), step.below(highest) + 1.0);
                if last - first <= count(most) {
                    let many = whole(last - first, most);
                    return (0..=many).map(|index| step.times(first + count(index))).collect();
                }
                step = step.next();
            }
        }
        let fine = PREFERRED.iter().map(|numbers| (*numbers, 1));
        let mut finest_first = fine.chain((2..).map(|stride| (PREFERRED[2], stride)));
        loop {
            let (numbers, stride) = finest_first.next().unwrap_or((PREFERRED[2], 1_000));
            let first = self.low.log10().floor();
            let decades = (0..=whole(highest.log10().floor() - first, 700) + stride).step_by(stride);
            let number = |decade| numbers.iter().map(move |number| scaled(*number, first + count(decade)));
            let all: Vec<f64> = decades.flat_map(number).collect();
            let begin = all.partition_point(|edge| *edge <= self.low).saturating_sub(1);
            let end = all.partition_point(|edge| *edge <= highest);
            if end - begin <= most {
                return all.get(begin..=end).unwrap_or_default().to_vec();
            }
        }
    }

    /// At most `most` ticks of a logarithmic scale: 1, 2 and 5, or 1 and 3, times each power of ten, else
    /// every n-th power.
    fn decades(&self, most: usize) -> Vec<f64> {
        let (first, last) = (self.low.log10().floor(), self.high.log10().ceil());
        let decades = whole(last - first, 700);
        let within = |tick: &f64| (self.low..=self.high).contains(tick);
        let ticks = |mantissas: &[f64]| -> Vec<f64> {
            let ticks = (0..=decades).flat_map(|decade| {
                let exponent = first + count(decade);
                mantissas.iter().map(move |mantissa| scaled(*mantissa, exponent))
            });
            ticks.filter(within).collect()
        };
        let fine = [ticks(&[1.0, 2.0, 5.0]), ticks(&[1.0, 3.0])];
        if let Some(fine) = fine.into_iter().find(|ticks| ticks.len() <= most) {
            return fine;
        }
        let powers = ticks(&[1.0]);
        let stride = powers.len().div_ceil(most).max(1);
        powers.into_iter().step_by(stride).collect()
    }
}

/// A round step: `mantissa` (1, 2 or 5) times ten to the `exponent`.
#[derive(Debug, Clone, Copy)]
struct ScaleStep {
    mantissa: f64,
    exponent: f64,
}

impl ScaleStep {
    /// The smallest round step of which `steps` are at least as long as `span`.
    fn for_span(span: f64, steps: usize) -> Self {
        let raw = (span / count(steps.max(1))).max(f64::MIN_POSITIVE);
        let exponent = raw.log10().floor();
        let mut step = Self {
            mantissa: 1.0,
            exponent,
        };
        while step.times(1.0) < raw * (1.0 - 1e-12) {
            step = step.next();
        }
        step
    }

    /// The next larger round step: 1, 2, 5, 10 and so on.
    fn next(self) -> Self {
        match self.mantissa {
            mantissa if mantissa < 2.0 => Self { mantissa: 2.0, ..self },
            mantissa if mantissa < 5.0 => Self { mantissa: 5.0, ..self },
            _ => Self {
                mantissa: 1.0,
                exponent: self.exponent + 1.0,
            },
        }
    }

    /// A multiple of the step, as close to its decimal form as possible.
    fn times(self, multiple: f64) -> f64 {
        scaled(self.mantissa * multiple, self.exponent)
    }

    /// The index of the last multiple at or below `value`.
    fn below(self, value: f64) -> f64 {
        let multiple = value / self.times(1.0);
        // A value within rounding error of a multiple counts as that multiple.
        let near = multiple.round();
        if (multiple - near).abs() < 1e-9 + near.abs() * 4.0 * f64::EPSILON {
            near
        } else {
            multiple.floor()
        }
    }

    /// The index of the first multiple at or above `value`.
    fn above(self, value: f64) -> f64 {
        -self.below(-value)
    }
}

/// `number` times ten to the `exponent`.
///
/// Dividing by the power if it is negative gives 0.3 where multiplying gives 0.30000000000000004.
fn scaled(number: f64, exponent: f64) -> f64 {
    if exponent < 0.0 {
        number / 10f64.powf(-exponent)
    } else {
        number * 10f64.powf(exponent)
    }
}

/// The numbers 1, 2 and 5 times the last power of ten up to `value`, the one before and the one after it.
fn mantissas(value: f64) -> impl Iterator<Item = f64> {
    let exponent = value.log10().floor();
    [-1.0, 0.0, 1.0]
        .into_iter()
        .flat_map(move |shift| [1.0, 2.0, 5.0].map(|mantissa| scaled(mantissa, exponent + shift)))
}

/// The direction in which the selection moves on a plot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Toward {
    Left,
    Right,
    Up,
    Down,
}

/// The row of the nearest point in a direction from the point of `row`; `None` at the edge or if the row has
/// no point.
///
/// Sideways distance counts double, so that the selection moves as straight as possible.
pub fn neighbour(points: &[Point], (x, y): (&Scale, &Scale), row: u32, toward: Toward) -> Option<u32> {
    let point_on = |point: &Point| Some((x.position(point.x)?, y.position(point.y)?));
    let (from_x, from_y) = points.iter().find(|point| point.row == row).and_then(point_on)?;
    points
        .iter()
        .filter_map(|point| {
            let (to_x, to_y) = point_on(point)?;
            let (right, up) = (to_x - from_x, to_y - from_y);
            let (ahead, aside) = match toward {
                Toward::Left => (-right, up),
                Toward::Right => (right, up),
                Toward::Up => (up, right),
                Toward::Down => (-up, right),
            };
            (ahead > 0.0).then(|| (ahead + 2.0 * aside.abs(), point.row))
        })
        .min_by(|(near, left), (far, right)| near.total_cmp(far).then(left.cmp(right)))
        .map(|(_, row)| row)
}

/// One bar of a histogram.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bucket {
    pub low: f64,
    /// The lower bound of the next bucket; the last bucket includes this value.
    pub high: f64,
    pub count: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Histogram {
    /// The scale from the lower bound of the first bucket to the upper bound of the last.
    pub scale: Scale,
    pub buckets: Vec<Bucket>,
}

/// Round numbers in each decade as bucket bounds: first with about equal ratios, then coarser ones.
const PREFERRED: [&[f64]; 3] = [
    // R10 of ISO 3, which has 1, 2 and 5.
    &[1.0, 1.25, 1.6, 2.0, 2.5, 3.15, 4.0, 5.0, 6.3, 8.0],
    &[1.0, 2.0, 5.0],
    &[1.0],
];

impl Histogram {
    /// The fewest bars that show a distribution.
    const FEWEST: usize = 6;

    /// The histogram of `values` in at most `most` buckets with round bounds, so that a tick marks the start of a
    /// bucket; `None` without values or buckets. Values that are not finite are ignored.
    pub fn new(values: &[f64], most: usize, wanted: Option<ScaleKind>) -> Option<Self> {
        let values = || values.iter().copied().filter(|value| value.is_finite());
        let fitted = Scale::fit(values(), wanted).filter(|_| most > 0)?;
        let edges = fitted.edges(values().reduce(f64::max)?, most);
        let mut buckets: Vec<Bucket> = edges
            .windows(2)
            .map(|pair| Bucket {
                low: pair[0],
                high: pair[1],
                count: 0,
            })
            .collect();
        for value in values() {
            // Compares with the displayed edges, so that a value is never counted in the wrong bar.
            let above = buckets.partition_point(|bar| bar.high <= value);
            buckets.get_mut(above)?.count += 1;
        }
        let scale = Scale {
            low: buckets.first()?.low,
            high: buckets.last()?.high,
            ..fitted
        };
        Some(Self { scale, buckets })
    }

    /// The index of the bucket that starts at `low`, within rounding error; `None` if there is none.
    pub fn at(&self, low: f64) -> Option<usize> {
        // Both are the same round number, each within rounding error.
        let is_it = |bucket: &Bucket| (bucket.low - low).abs() <= low.abs() * 4.0 * f64::EPSILON;
        self.buckets.iter().position(is_it)
    }

    /// Whether it shows a distribution: at least six buckets from the lowest to the highest value.
    ///
    /// Equal values are in one bucket, however many are drawn around it.
    pub fn is_spread(&self) -> bool {
        let is_used = |bucket: &Bucket| bucket.count > 0;
        let first = self.buckets.iter().position(is_used);
        let last = self.buckets.iter().rposition(is_used);
        first
            .zip(last)
            .is_some_and(|(first, last)| last - first + 1 >= Self::FEWEST)
    }

    /// The largest count, to scale the bars; 0 without buckets.
    pub fn tallest(&self) -> usize {
        let counts = self.buckets.iter().map(|bucket| bucket.count);
        counts.max().unwrap_or(0)
    }
}

/// The value that all finite `values` share, and their number; `None` if they differ, or without any.
pub fn only_value(values: &[f64]) -> Option<(f64, usize)> {
    let mut finite = values.iter().copied().filter(|value| value.is_finite());
    let first = finite.next()?;
    let others = finite.try_fold(0, |count, value| value.total_cmp(&first).is_eq().then_some(count + 1))?;
    Some((first, others + 1))
}
