//! Words in a line, arcs above them.
//!
//! Short arcs are laid first, each above all it overlaps ([`super`] gives the bound). Every arc has
//! a place of its own on each of its words, in the order that lets no two arcs cross unless they
//! must: towards the left, low arcs first; then the root's; then towards the right, high arcs
//! first. Words move right until every label fits between the verticals that cut its arc.
use super::layers::Layers;
use super::{Arc, Drawing};

/// How wide things are, in columns of a terminal or in pixels.
#[derive(Copy, Clone, Debug)]
pub struct Ruler {
    /// Width of a form.
    pub form: fn(&str) -> i32,
    /// Width of a tag or label.
    pub small: fn(&str) -> i32,
    /// Width of a line.
    pub line: i32,
    /// Distance between two arcs that meet the same word.
    pub port: i32,
    /// Least distance between two words.
    pub gap: i32,
    /// Line that stays visible on either side of a label.
    pub margin: i32,
}

/// Where a word stands.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Place {
    /// Its left edge.
    pub left: i32,
    /// Its width: the widest of form, tag, root label and the arcs that meet it.
    pub width: i32,
}

/// Where an arc runs.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Course {
    /// Where it meets its head; where it meets its dependent if the head is the root.
    pub head: i32,
    /// Where it meets its dependent.
    pub dependent: i32,
    /// Its height, from 1; one above all others for arcs of the root.
    pub level: u32,
    /// The left edge of its label.
    pub label: i32,
}

/// A drawing laid out across.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Across {
    /// One place for each word.
    pub words: Vec<Place>,
    /// One course for each arc.
    pub arcs: Vec<Course>,
    /// The level of the highest arc between words.
    pub levels: u32,
    /// The width of the whole.
    pub width: i32,
}

/// Where an arc meets a word.
struct Port {
    slot: usize,
    level: u32,
    /// Distance from the left edge of the word.
    offset: i32,
}

/// Two ports that must be so far apart.
struct Distance {
    left: usize,
    right: usize,
    least: i32,
}

/// How often words may be moved apart to make room for labels on arcs that are cut.
const ROUNDS: usize = 4;
/// How many ports around the middle of an arc are looked at for a place for its label.
const WINDOW: usize = 256;

impl Across {
    /// Lays out a drawing; words run from right to left if the text does.
    pub fn new(drawing: &Drawing, ruler: &Ruler) -> Across {
        let words = drawing.words().len();
        let arcs = drawing.arcs();
        let mirrored = drawing.is_right_to_left();
        let slot_of = |word: u32| {
            let index = word as usize - 1;
            if mirrored { words - 1 - index } else { index }
        };
        let ends: Vec<(usize, usize)> = arcs
            .iter()
            .map(|arc| {
                let dependent = slot_of(arc.dependent);
                let head = if arc.is_root() { dependent } else { slot_of(arc.head) };
                (head.min(dependent), head.max(dependent))
            })
            .collect();

        let (level, levels) = levels_of(arcs, &ends, words);
        let (ports, ports_of_arc, widths) = ports_of(drawing, ruler, &slot_of, &ends, &level);

        let needs = |arc: &Arc| match (ruler.small)(&arc.label) {
            0 => ruler.line,
            width => width + 2 * ruler.margin,
        };
        let mut distances: Vec<Distance> = Vec::new();
        for (index, arc) in arcs.iter().enumerate().filter(|(_, arc)| !arc.is_root()) {
            let (left, right) = ports_of_arc[index];
            distances.push(Distance { left, right, least: needs(arc) + ruler.line });
        }
        let mut lefts = positions(&ports, &widths, &mut distances, ruler);
        let mut labels = vec![0; arcs.len()];
        for round in 1..=ROUNDS {
            let x = |port: usize| lefts[ports[port].slot] + ports[port].offset;
            let mut more: Vec<Distance> = Vec::new();
            for (index, arc) in arcs.iter().enumerate() {
                let (left, right) = ports_of_arc[index];
                let width = needs(arc) - 2 * ruler.margin;
                if arc.is_root() {
                    let slot = ports[left].slot;
                    let (start, room) = (lefts[slot], (widths[slot] - width).max(0));
                    labels[index] =
                        (x(left) + ruler.line / 2 - width / 2).clamp(start, start + room);
                    continue;
                }
                match room_for_label(&ports, &x, (left, right), level[index], needs(arc), ruler) {
                    Ok(start) => labels[index] = start + ruler.margin,
                    Err((widest, start)) => {
                        labels[index] = start + ruler.margin;
                        more.extend(widest.map(|(left, right)| Distance {
                            left,
                            right,
                            least: needs(arc) + ruler.line,
                        }));
                    }
                }
            }
            if more.is_empty() || round == ROUNDS {
                break;
            }
            distances.append(&mut more);
            lefts = positions(&ports, &widths, &mut distances, ruler);
        }

        let x = |port: usize| lefts[ports[port].slot] + ports[port].offset;
        let courses = arcs.iter().enumerate().map(|(index, arc)| {
            let (left, right) = ports_of_arc[index];
            let head_is_left = arc.is_root() || slot_of(arc.head) < slot_of(arc.dependent);
            let (head, dependent) =
                if head_is_left { (x(left), x(right)) } else { (x(right), x(left)) };
            Course { head, dependent, level: level[index], label: labels[index] }
        });
        let places = (1..=words as u32).map(|word| {
            let slot = slot_of(word);
            Place { left: lefts[slot], width: widths[slot] }
        });
        Across {
            arcs: courses.collect(),
            words: places.collect(),
            levels,
            width: lefts.last().map_or(0, |left| left + widths[words - 1]),
        }
    }
}

/// Short arcs first, each above all that it overlaps; arcs of the root above all.
fn levels_of(arcs: &[Arc], ends: &[(usize, usize)], words: usize) -> (Vec<u32>, u32) {
    let mut by_length: Vec<usize> = (0..arcs.len()).filter(|&arc| !arcs[arc].is_root()).collect();
    by_length.sort_by_key(|&arc| (ends[arc].1 - ends[arc].0, ends[arc].0));
    let mut layers = Layers::new(words);
    let mut level = vec![0; arcs.len()];
    for arc in by_length {
        level[arc] = layers.lay(ends[arc].0..ends[arc].1);
    }
    let levels = level.iter().copied().max().unwrap_or(0);
    for (level, arc) in level.iter_mut().zip(arcs) {
        if arc.is_root() {
            *level = levels + 1;
        }
    }
    (level, levels)
}

/// All ports from left to right, the left and right port of each arc, and the width of each slot.
fn ports_of(
    drawing: &Drawing,
    ruler: &Ruler,
    slot_of: &impl Fn(u32) -> usize,
    ends: &[(usize, usize)],
    level: &[u32],
) -> (Vec<Port>, Vec<(usize, usize)>, Vec<i32>) {
    let arcs = drawing.arcs();
    let mut widths = vec![0; drawing.words().len()];
    for (index, word) in drawing.words().iter().enumerate() {
        widths[slot_of(index as u32 + 1)] =
            (ruler.form)(&word.form).max((ruler.small)(&word.tag)).max(ruler.line);
    }
    // Sorting key within a slot: leftward by rising level, the root's, rightward by falling level.
    let mut keyed: Vec<(usize, i64, usize)> = Vec::with_capacity(2 * arcs.len());
    for (index, arc) in arcs.iter().enumerate() {
        let (left, right) = ends[index];
        let level = i64::from(level[index]);
        if arc.is_root() {
            widths[left] = widths[left].max((ruler.small)(&arc.label));
            keyed.push((left, 0, index));
        } else {
            keyed.push((right, level - i64::from(u32::MAX), index));
            keyed.push((left, i64::from(u32::MAX) - level, index));
        }
    }
    keyed.sort_unstable();
    let mut ports = Vec::with_capacity(keyed.len());
    let mut of_arc = vec![(usize::MAX, usize::MAX); arcs.len()];
    for group in keyed.chunk_by(|a, b| a.0 == b.0) {
        let slot = group[0].0;
        let block = (group.len() as i32 - 1) * ruler.port + ruler.line;
        widths[slot] = widths[slot].max(block);
        let first = (widths[slot] - block) / 2;
        for (place, &(_, key, arc)) in group.iter().enumerate() {
            let port = ports.len();
            if key >= 0 {
                of_arc[arc].0 = port;
            }
            if key <= 0 {
                of_arc[arc].1 = port;
            }
            let offset = first + place as i32 * ruler.port;
            ports.push(Port { slot, level: level[arc], offset });
        }
    }
    (ports, of_arc, widths)
}

/// The leftmost places that respect all distances: one sweep, since distances point to the right.
fn positions(
    ports: &[Port],
    widths: &[i32],
    distances: &mut [Distance],
    ruler: &Ruler,
) -> Vec<i32> {
    distances.sort_unstable_by_key(|distance| ports[distance.right].slot);
    let mut waiting = distances.iter().peekable();
    let mut lefts: Vec<i32> = Vec::with_capacity(widths.len());
    for slot in 0..widths.len() {
        let mut left = if slot == 0 { 0 } else { lefts[slot - 1] + widths[slot - 1] + ruler.gap };
        while let Some(distance) = waiting.next_if(|next| ports[next.right].slot == slot) {
            let (from, to) = (&ports[distance.left], &ports[distance.right]);
            left = left.max(lefts[from.slot] + from.offset + distance.least - to.offset);
        }
        lefts.push(left);
    }
    lefts
}

/// Two ports that could be moved apart, if any, and the second-best start.
type NoRoom = (Option<(usize, usize)>, i32);

/// The start of the stretch nearest to the middle of an arc that is long enough for its label and
/// cut by no vertical. Without one: the widest stretch between two words.
fn room_for_label(
    ports: &[Port],
    x: &impl Fn(usize) -> i32,
    (left, right): (usize, usize),
    level: u32,
    needed: i32,
    ruler: &Ruler,
) -> Result<i32, NoRoom> {
    let middle = left.midpoint(right);
    let first = left.max(middle.saturating_sub(WINDOW));
    let last = right.min(middle + WINDOW);
    let centre = (x(left) + ruler.line).midpoint(x(right));
    let ideal = centre - needed / 2;
    let mut best: Option<(i32, i32)> = None;
    let mut widest: Option<(i32, usize, usize)> = None;
    let mut from = first;
    for to in first + 1..=last {
        if to != last && ports[to].level <= level {
            continue;
        }
        let (start, end) = (x(from) + ruler.line, x(to));
        if end - start >= needed {
            let place = ideal.clamp(start, end - needed);
            let off = (place - ideal).abs();
            if best.is_none_or(|(least, _)| off < least) {
                best = Some((off, place));
            }
        } else if ports[from].slot != ports[to].slot
            && widest.is_none_or(|(width, ..)| end - start > width)
        {
            widest = Some((end - start, from, to));
        }
        from = to;
    }
    best.map(|(_, place)| place).ok_or((widest.map(|(_, from, to)| (from, to)), ideal))
}
