// Trees as pictures: words in a line with arcs above (and those of another tree below), or one word
// a line with arcs beside. All places are worked out along the sentence and away from it; the two
// layouts and the direction of writing only turn them.
import { s } from "./dom.ts";

export interface Node {
  form: string;
  tag: string;
}

export interface Arc {
  dependent: number;
  head: number;
  label: string;
  crossing: boolean;
  /** How sure the parser is, if that is to be shown. */
  score: number | null;
  /** The other tree has another head or label here. */
  differs: boolean;
  /** The head was given by hand. */
  fixed: boolean;
}

export interface Look {
  layout: "across" | "down";
  rightToLeft: boolean;
  zoom: number;
  /** Name of the picture for those who cannot see it. */
  title: string;
}

export interface Picture {
  svg: SVGSVGElement;
  /** The word at a point of the page, 0 for the root, nothing if none is near. */
  wordAt(x: number, y: number): number | null;
  /** The middle of a word's box, in units of the picture. */
  middle(word: number): [number, number];
  /** A point of the page in units of the picture. */
  inside(x: number, y: number): [number, number];
}

const FONT = 15;
const SMALL = 12;
const LEVEL = 26;
const LANE = 16;
const ROW = 30;
const PORT = 7;
const MARGIN = 14;

const ruler = document.createElement("canvas").getContext("2d");

function width(text: string, size: number): number {
  if (!ruler) return text.length * size * 0.6;
  ruler.font = `${size}px system-ui, sans-serif`;
  return ruler.measureText(text).width;
}

/** Whether arcs cross: neither lies within the other, and they share no end. */
export function crossing(heads: Map<number, number>): Set<number> {
  const found = new Set<number>();
  const spans = [...heads].map(([dependent, head]) => ({
    dependent,
    left: Math.min(dependent, head),
    right: Math.max(dependent, head),
  }));
  for (const one of spans) {
    for (const other of spans) {
      if (one.left < other.left && other.left < one.right && one.right < other.right) {
        found.add(one.dependent);
        found.add(other.dependent);
      }
    }
  }
  return found;
}

/** How far away from the words each arc runs, from 1: above all arcs that it covers or meets. */
function levels(arcs: Arc[]): Map<Arc, number> {
  const result = new Map<Arc, number>();
  const spans = arcs
    .filter((arc) => arc.head > 0)
    .map((arc) => ({
      arc,
      left: Math.min(arc.head, arc.dependent),
      right: Math.max(arc.head, arc.dependent),
    }))
    .sort((one, other) => one.right - one.left - (other.right - other.left));
  const highest: number[] = [];
  for (const { arc, left, right } of spans) {
    let level = 0;
    for (let at = left; at < right; at++) level = Math.max(level, highest[at] ?? 0);
    level += 1;
    for (let at = left; at < right; at++) highest[at] = level;
    result.set(arc, level);
  }
  return result;
}

/** Where along a word each arc ends, from -1/2 to 1/2 of the room, so that arcs do not touch. */
function ports(arcs: Arc[]): Map<string, number> {
  const ends = new Map<number, { arc: Arc; other: number }[]>();
  const add = (word: number, arc: Arc, other: number) => {
    const list = ends.get(word) ?? [];
    list.push({ arc, other });
    ends.set(word, list);
  };
  for (const arc of arcs) {
    add(arc.dependent, arc, arc.head === 0 ? arc.dependent : arc.head);
    if (arc.head > 0) add(arc.head, arc, arc.dependent);
  }
  const result = new Map<string, number>();
  for (const [word, list] of ends) {
    // From the left: arcs to the left, near ones first; the root; arcs to the right, far ones first.
    const order = ({ other }: { other: number }) => {
      if (other < word) return -3 - 1 / (word - other);
      return other > word ? 1 + 1 / (other - word) : 0;
    };
    list.sort((one, other) => order(one) - order(other));
    list.forEach(({ arc }, at) => {
      result.set(`${word} ${arc.dependent}`, (at - (list.length - 1) / 2) * PORT);
    });
  }
  return result;
}

interface Side {
  arcs: Arc[];
  level: Map<Arc, number>;
  port: Map<string, number>;
  most: number;
}

function side(arcs: Arc[]): Side {
  const level = levels(arcs);
  const most = Math.max(1, ...level.values()) + (arcs.some((arc) => arc.head === 0) ? 1 : 0);
  return { arcs, level, port: ports(arcs), most };
}

/** What stands on an arc. */
function caption(arc: Arc): string {
  return arc.score === null ? arc.label : `${arc.label} ${arc.score.toFixed(2)}`;
}

function classes(arc: Arc): string {
  const names = ["arc"];
  if (arc.crossing) names.push("crossing");
  if (arc.differs) names.push("differs");
  if (arc.fixed) names.push("fixed");
  return names.join(" ");
}

/** The line of an arc: away from one word, along, and back to the other. */
function line(from: [number, number], to: [number, number], away: number, down: boolean): string {
  const [alongFrom, startFrom] = from;
  const [alongTo, startTo] = to;
  const direction = Math.sign(alongTo - alongFrom) || 1;
  const outwards = Math.sign(away - startFrom);
  const round = Math.min(8, Math.abs(alongTo - alongFrom) / 2, Math.abs(away - startFrom));
  const at = (along: number, off: number) => (down ? `${off} ${along}` : `${along} ${off}`);
  return [
    `M${at(alongFrom, startFrom)}`,
    `L${at(alongFrom, away - outwards * round)}`,
    `Q${at(alongFrom, away)} ${at(alongFrom + direction * round, away)}`,
    `L${at(alongTo - direction * round, away)}`,
    `Q${at(alongTo, away)} ${at(alongTo, away - outwards * round)}`,
    `L${at(alongTo, startTo)}`,
  ].join("");
}

function arrow(along: number, off: number, outwards: number, down: boolean): SVGPolygonElement {
  const corners = [
    [along, off],
    [along - 4, off + outwards * 8],
    [along + 4, off + outwards * 8],
  ];
  const points = corners.map(([a = 0, o = 0]) => (down ? `${o},${a}` : `${a},${o}`)).join(" ");
  return s("polygon", { points });
}

export function draw(nodes: Node[], above: Arc[], below: Arc[] | null, look: Look): Picture {
  return look.layout === "across"
    ? across(nodes, above, below, look)
    : beside(nodes, above, below, look);
}

function frame(w: number, hgt: number, look: Look): SVGSVGElement {
  const svg = s("svg", {
    class: `tree ${look.layout}`,
    viewBox: `0 0 ${Math.ceil(w)} ${Math.ceil(hgt)}`,
    width: Math.ceil(w * look.zoom),
    height: Math.ceil(hgt * look.zoom),
    role: "img",
    "aria-label": look.title,
  });
  return svg;
}

function finish(
  svg: SVGSVGElement,
  boxes: { x: number; y: number; w: number; h: number }[],
  isRoot: (x: number, y: number) => boolean,
): Picture {
  const inside = (x: number, y: number): [number, number] => {
    const box = svg.getBoundingClientRect();
    const view = svg.viewBox.baseVal;
    return [((x - box.left) * view.width) / box.width, ((y - box.top) * view.height) / box.height];
  };
  return {
    svg,
    inside,
    middle: (word) => {
      const box = boxes[word - 1];
      return box ? [box.x + box.w / 2, box.y + box.h / 2] : [0, 0];
    },
    wordAt: (x, y) => {
      const [inX, inY] = inside(x, y);
      const hit = boxes.findIndex(
        (box) =>
          inX >= box.x - 4 &&
          inX <= box.x + box.w + 4 &&
          inY >= box.y - 4 &&
          inY <= box.y + box.h + 4,
      );
      if (hit >= 0) return hit + 1;
      return isRoot(inX, inY) ? 0 : null;
    },
  };
}

function across(nodes: Node[], above: Arc[], below: Arc[] | null, look: Look): Picture {
  const sides = [side(above), ...(below ? [side(below)] : [])];
  const widths = nodes.map((node, at) => {
    const ends = (arcs: Arc[]) =>
      arcs.filter((arc) => arc.head === at + 1 || arc.dependent === at + 1).length * PORT;
    return Math.max(
      width(node.form, FONT),
      width(node.tag, SMALL),
      ...sides.map((one) => ends(one.arcs)),
      16,
    );
  });
  const middle: number[] = [];
  let along = MARGIN;
  for (const w of widths) {
    middle.push(along + w / 2);
    along += w + 18;
  }
  // Labels must find room on their arcs: what is behind a short arc moves on.
  const spans = sides
    .flatMap((one) => one.arcs)
    .filter((arc) => arc.head > 0)
    .map((arc) => ({
      left: Math.min(arc.head, arc.dependent) - 1,
      right: Math.max(arc.head, arc.dependent) - 1,
      need: width(caption(arc), SMALL) + 32,
    }))
    .sort((one, other) => one.right - one.left - (other.right - other.left));
  for (const { left, right, need } of spans) {
    const lack = need - ((middle[right] ?? 0) - (middle[left] ?? 0));
    if (lack > 0)
      for (let at = right; at < middle.length; at++) middle[at] = (middle[at] ?? 0) + lack;
  }
  const last = nodes.length - 1;
  const rootLabels = sides.flatMap((one) => one.arcs).filter((arc) => arc.head === 0);
  const overhang = Math.max(
    0,
    ...rootLabels.map(
      (arc) => width(caption(arc), SMALL) / 2 - (middle[arc.dependent - 1] ?? 0) + 4,
    ),
  );
  if (overhang > 0) for (let at = 0; at <= last; at++) middle[at] = (middle[at] ?? 0) + overhang;
  const total = (middle[last] ?? 0) + (widths[last] ?? 0) / 2 + MARGIN + 30;
  const turn = (x: number) => (look.rightToLeft ? total - x : x);
  const top = MARGIN + (sides[0]?.most ?? 1) * LEVEL + SMALL;
  const tagged = nodes.some((node) => node.tag !== "");
  const bottom = top + FONT + 12 + (tagged ? SMALL + 4 : 0);
  const hgt = below ? bottom + (sides[1]?.most ?? 1) * LEVEL + MARGIN + SMALL : bottom + MARGIN;
  const svg = frame(total, hgt, look);
  sides.forEach((one, number) => {
    const outwards = number === 0 ? -1 : 1;
    const edge = number === 0 ? top - 4 : bottom + 4;
    for (const arc of one.arcs) {
      const end = (word: number) =>
        turn((middle[word - 1] ?? 0) + (one.port.get(`${word} ${arc.dependent}`) ?? 0));
      const target = end(arc.dependent);
      const away =
        edge + outwards * LEVEL * (arc.head === 0 ? one.most : (one.level.get(arc) ?? 1));
      const path =
        arc.head === 0
          ? `M${target} ${away}L${target} ${edge}`
          : line([end(arc.head), edge], [target, edge], away, false);
      const place = arc.head === 0 ? target : (end(arc.head) + target) / 2;
      svg.append(
        group(arc, number, path, arrow(target, edge, outwards, false), place, away, "middle"),
      );
    }
  });
  const boxes = nodes.map((node, at) => {
    const x = turn(middle[at] ?? 0);
    const w = widths[at] ?? 0;
    svg.append(wordGroup(node, at + 1, x, top, bottom, w));
    return { x: x - w / 2 - 4, y: top - 2, w: w + 8, h: bottom - top + 4 };
  });
  return finish(svg, boxes, (_, y) => y < MARGIN + LEVEL * 0.8 || y < 0);
}

function wordGroup(
  node: Node,
  id: number,
  x: number,
  top: number,
  bottom: number,
  w: number,
): SVGGElement {
  return s(
    "g",
    { class: "word", "data-word": id },
    s("rect", { x: x - w / 2 - 4, y: top - 2, width: w + 8, height: bottom - top + 4, rx: 4 }),
    s("text", { x, y: top + FONT, "text-anchor": "middle", "font-size": FONT }, node.form),
    node.tag !== "" &&
      s(
        "text",
        { class: "tag", x, y: top + FONT + SMALL + 6, "text-anchor": "middle", "font-size": SMALL },
        node.tag,
      ),
  );
}

function group(
  arc: Arc,
  number: number,
  path: string,
  head: SVGPolygonElement,
  x: number,
  y: number,
  anchor: "start" | "middle" | "end",
): SVGGElement {
  const text = caption(arc);
  const w = width(text, SMALL) + 6;
  const left = { start: x - 3, middle: x - w / 2, end: x - w + 3 }[anchor];
  // The line is pale, the words on it stay legible.
  const shade = arc.score === null ? 1 : 0.2 + 0.8 * arc.score;
  head.setAttribute("opacity", String(shade));
  return s(
    "g",
    { class: `${classes(arc)} tree-${number}`, "data-dependent": arc.dependent },
    s("path", { class: "grip", d: path }),
    s("path", { class: "line", d: path, opacity: shade }),
    head,
    s("rect", { class: "back", x: left, y: y - SMALL / 2 - 2, width: w, height: SMALL + 3 }),
    s("text", { x, y: y + SMALL / 2 - 2, "text-anchor": anchor, "font-size": SMALL }, text),
  );
}

function beside(nodes: Node[], left: Arc[], right: Arc[] | null, look: Look): Picture {
  const one = side(left);
  const other = right ? side(right) : null;
  const column = (texts: string[], size: number) =>
    Math.max(0, ...texts.map((text) => width(text, size)));
  const captionOf = (arcs: Arc[]) => {
    const by = new Map(arcs.map((arc) => [arc.dependent, arc]));
    return nodes.map((_, at) => by.get(at + 1));
  };
  const formWidth = column(
    nodes.map((node) => node.form),
    FONT,
  );
  const tagWidth = column(
    nodes.map((node) => node.tag),
    SMALL,
  );
  const labels = captionOf(left);
  const labelWidth = column(
    labels.map((arc) => (arc ? caption(arc) : "")),
    SMALL,
  );
  const otherLabels = right ? captionOf(right) : [];
  const otherWidth = column(
    otherLabels.map((arc) => (arc ? caption(arc) : "")),
    SMALL,
  );
  const start = MARGIN + one.most * LANE + 10;
  const formAt = start + labelWidth + 14;
  const tagAt = formAt + formWidth + 12;
  const otherAt = tagAt + tagWidth + 14;
  const end = otherAt + (other ? otherWidth + 8 : 0);
  const total = end + (other ? other.most * LANE + 10 : 0) + MARGIN;
  const hgt = MARGIN * 2 + nodes.length * ROW;
  const turn = (x: number) => (look.rightToLeft ? total - x : x);
  const middle = (word: number) => MARGIN + (word - 0.5) * ROW;
  const svg = frame(total, hgt, look);
  const anchor = look.rightToLeft ? "end" : "start";
  const add = (from: Side, number: number, edge: number, outwards: number, textAt: number) => {
    for (const arc of from.arcs) {
      const place = (word: number) =>
        middle(word) + (from.port.get(`${word} ${arc.dependent}`) ?? 0) * 0.8;
      const target = place(arc.dependent);
      const away =
        edge + outwards * LANE * (arc.head === 0 ? from.most : (from.level.get(arc) ?? 1));
      const path =
        arc.head === 0
          ? `M${turn(away)} ${target}L${turn(edge)} ${target}`
          : line([place(arc.head), turn(edge)], [target, turn(edge)], turn(away), true);
      const turned = look.rightToLeft ? -outwards : outwards;
      const tip = arrow(target, turn(edge), turned, true);
      const made = group(arc, number, path, tip, turn(textAt), middle(arc.dependent), anchor);
      svg.append(made);
    }
  };
  add(one, 0, start, -1, start + 4);
  if (other) add(other, 1, end, 1, otherAt);
  const boxes = nodes.map((node, at) => {
    const y = middle(at + 1);
    const x = look.rightToLeft ? turn(tagAt - 4) : formAt - 4;
    svg.append(
      s(
        "g",
        { class: "word", "data-word": at + 1 },
        s("rect", { x, y: y - ROW / 2 + 2, width: formWidth + 12, height: ROW - 4, rx: 4 }),
        s(
          "text",
          { x: turn(formAt), y: y + 5, "text-anchor": anchor, "font-size": FONT },
          node.form,
        ),
        s(
          "text",
          { class: "tag", x: turn(tagAt), y: y + 4, "text-anchor": anchor, "font-size": SMALL },
          node.tag,
        ),
      ),
    );
    return { x: Math.min(turn(start), turn(tagAt)), y: y - ROW / 2, w: tagAt - start, h: ROW };
  });
  return finish(svg, boxes, (x) =>
    look.rightToLeft ? x > total - MARGIN - LANE : x < MARGIN + LANE,
  );
}
