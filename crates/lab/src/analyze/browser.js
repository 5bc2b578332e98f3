// The browser of sentences: filters, a list, and a drawing of gold (above) and system (below).
(function () {
  const element = (id) => document.getElementById(id);
  const data = JSON.parse(element("data").textContent);
  const PAGE = 200;
  const SVG = "http:" + "//www.w3.org/2000/svg"; // a name, not an address

  const sentences = data.sentences.map((row) => {
    const [number, id, forms, tags, heads, labels, differences, uncounted] = row;
    const gold = { heads: [0, ...heads], labels: [0, ...labels] };
    const systems = differences.map((list) => {
      const system = { heads: gold.heads.slice(), labels: gold.labels.slice(), wrong: [] };
      for (let at = 0; at < list.length; at += 3) {
        const [word, head, label] = list.slice(at, at + 3);
        system.heads[word] = head;
        system.labels[word] = label;
        if (!uncounted.includes(word)) system.wrong.push(word);
      }
      return system;
    });
    return { number, id, forms: forms.split("\t"), tags, gold, systems, lower: null };
  });

  // Which arcs are crossed by another, by word; arcs of the root count.
  function crossed(analysis) {
    if (analysis.crossed) return analysis.crossed;
    const arcs = [];
    for (let word = 1; word < analysis.heads.length; word++) {
      const head = analysis.heads[word];
      if (head >= 0) arcs.push([Math.min(word, head), Math.max(word, head), word]);
    }
    const found = new Set();
    for (let i = 0; i < arcs.length; i++) {
      for (let j = i + 1; j < arcs.length; j++) {
        const [a, b] = arcs[i], [c, d] = arcs[j];
        if ((a < c && c < b && b < d) || (c < a && a < d && d < b)) {
          found.add(arcs[i][2]);
          found.add(arcs[j][2]);
        }
      }
    }
    analysis.crossed = found;
    return found;
  }

  const select = element("f-system");
  data.systems.forEach((name, at) => select.add(new Option(name, String(at))));
  const labels = data.labels.map((name, at) => [name, at]).sort((a, b) => (a[0] < b[0] ? -1 : 1));
  for (const [name, at] of labels) element("f-label").add(new Option(name, String(at)));

  let matches = [], shown = 0, chosen = -1;

  function errors(sentence, system, kind, label) {
    const analysis = sentence.systems[system];
    return analysis.wrong.filter((word) => {
      const right = analysis.heads[word] === sentence.gold.heads[word];
      if (kind === "head" && right) return false;
      if (kind === "label" && !right) return false;
      return label === "" || sentence.gold.labels[word] === +label || analysis.labels[word] === +label;
    });
  }

  function filter() {
    const system = +select.value, kind = element("f-error").value, label = element("f-label").value;
    const least = +element("f-min").value || 1, most = +element("f-max").value || Infinity;
    const crossing = element("f-crossing").value;
    const text = element("f-text").value.trim().toLowerCase();
    matches = [];
    for (const sentence of sentences) {
      const length = sentence.forms.length;
      if (length < least || length > most) continue;
      const wrong = errors(sentence, system, kind, label);
      if (wrong.length === 0) continue;
      if (crossing) {
        const gold = crossed(sentence.gold), output = crossed(sentence.systems[system]);
        const fits = { gold: gold.size > 0, system: output.size > 0, none: gold.size + output.size === 0,
          error: wrong.some((word) => gold.has(word) || output.has(word)) };
        if (!fits[crossing]) continue;
      }
      if (text) {
        sentence.lower = sentence.lower || (sentence.id + " " + sentence.forms.join(" ")).toLowerCase();
        if (!sentence.lower.includes(text)) continue;
      }
      matches.push([sentence, wrong]);
    }
    const left = data.leftOut ? `; ${data.leftOut} more had no room in this file` : "";
    element("count").textContent =
      `${matches.length} of ${sentences.length} sentences with errors (${data.all} in all${left}). Arrow keys go up and down the list.`;
    shown = 0;
    element("list").replaceChildren();
    more();
    choose(matches.length ? 0 : -1, false);
  }

  function more() {
    const list = element("list");
    const button = list.querySelector(".more");
    if (button) button.remove();
    const end = Math.min(matches.length, shown + PAGE);
    for (; shown < end; shown++) {
      const [sentence, wrong] = matches[shown];
      const item = document.createElement("li");
      const at = shown;
      for (const text of [String(sentence.number), sentence.forms.join(" "), String(wrong.length)]) {
        const part = document.createElement("span");
        part.textContent = text;
        item.append(part);
      }
      item.title = `${sentence.forms.length} words, ${wrong.length} errors`;
      item.addEventListener("click", () => choose(at, false));
      list.append(item);
    }
    if (shown < matches.length) {
      const item = document.createElement("li");
      item.className = "more";
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = `${matches.length - shown} more`;
      button.addEventListener("click", (event) => { event.stopPropagation(); more(); });
      item.append(button);
      list.append(item);
    }
  }

  function choose(at, scroll) {
    const list = element("list");
    if (list.children[chosen]) list.children[chosen].removeAttribute("aria-selected");
    chosen = at;
    if (at < 0 || at >= matches.length) {
      element("caption").textContent = "No sentence fits.";
      element("drawing").replaceChildren();
      return;
    }
    while (at >= shown) more();
    list.children[at].setAttribute("aria-selected", "true");
    if (scroll) list.children[at].scrollIntoView({ block: "nearest" });
    const [sentence, wrong] = matches[at];
    const id = sentence.id ? ` (${sentence.id})` : "";
    element("caption").textContent =
      `Sentence ${sentence.number}${id}: ${sentence.forms.length} words, ${wrong.length} errors of ${data.systems[+select.value]}`;
    draw(sentence, +select.value);
  }

  const canvas = document.createElement("canvas").getContext("2d");
  const family = getComputedStyle(document.body).fontFamily;
  function width(text, size) {
    canvas.font = `${size}px ${family}`;
    return canvas.measureText(text).width;
  }

  function svg(name, attributes, text) {
    const made = document.createElementNS(SVG, name);
    for (const key in attributes) made.setAttribute(key, attributes[key]);
    if (text !== undefined) made.textContent = text;
    return made;
  }

  // Arcs of an analysis with levels: an arc is above all arcs inside it.
  function layout(analysis) {
    const arcs = [];
    for (let word = 1; word < analysis.heads.length; word++) {
      const head = analysis.heads[word];
      if (head > 0) arcs.push({ word, head, from: Math.min(word, head), to: Math.max(word, head), level: 1 });
    }
    arcs.sort((a, b) => a.to - a.from - (b.to - b.from));
    for (let i = 0; i < arcs.length; i++) {
      for (let j = 0; j < i; j++) {
        const outer = arcs[i], inner = arcs[j];
        const apart = inner.to <= outer.from || outer.to <= inner.from;
        if (!apart && outer.level <= inner.level) outer.level = inner.level + 1;
      }
    }
    return arcs;
  }

  function draw(sentence, system) {
    const output = sentence.systems[system], gold = sentence.gold;
    const count = sentence.forms.length;
    const toTheLeft = /^[^A-Za-z]*[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/.test(sentence.forms.join(" "));
    const label = (analysis, word) => data.labels[analysis.labels[word]];
    // Neighbours are far enough apart for the labels of short arcs.
    const room = [0];
    for (let word = 1; word <= count; word++) {
      const tag = data.tags[sentence.tags[word - 1]];
      room.push(Math.max(width(sentence.forms[word - 1], 15), width(tag, 10.5), 22) + 18);
    }
    const middle = [0];
    let x = 64;
    for (let word = 1; word <= count; word++) {
      let gap = room[word];
      for (const analysis of [gold, output]) {
        for (const [dependent, head] of [[word, word - 1], [word - 1, word]]) {
          if (dependent > 0 && head > 0 && analysis.heads[dependent] === head) {
            const need = width(label(analysis, dependent), 11) + 22 - (room[word - 1] / 2 + room[word] / 2);
            if (need > 0) gap = Math.max(gap, room[word] + need);
          }
        }
      }
      middle.push(x + gap - room[word] / 2);
      x += gap;
    }
    const whole = x + 16;
    if (toTheLeft) for (let word = 1; word <= count; word++) middle[word] = whole - middle[word] + 48;
    const above = layout(gold), below = layout(output);
    const STEP = 23, ROOT = 30;
    const high = (arcs) => Math.max(1, ...arcs.map((arc) => arc.level)) * STEP + ROOT + 10;
    const top = high(above), height = top + 44 + high(below);
    const picture = svg("svg", { width: whole, height, viewBox: `0 0 ${whole} ${height}`, role: "img",
      "aria-label": sentence.forms.join(" ") });
    picture.append(svg("text", { class: "side", x: 4, y: top - 8 }, "gold"));
    picture.append(svg("text", { class: "side", x: 4, y: top + 56 }, "system"));
    for (let word = 1; word <= count; word++) {
      const err = output.wrong.includes(word) ? " err" : "";
      picture.append(svg("text", { class: "form" + err, x: middle[word], y: top + 20, "text-anchor": "middle" },
        sentence.forms[word - 1]));
      picture.append(svg("text", { class: "tag", x: middle[word], y: top + 34, "text-anchor": "middle" },
        data.tags[sentence.tags[word - 1]]));
    }
    const kind = (word, isGold) => {
      if (output.heads[word] !== gold.heads[word]) return isGold ? "missed" : "wrong";
      return output.labels[word] !== gold.labels[word] ? "mislabelled" : "right";
    };
    const groups = { right: [], other: [] };
    function half(analysis, arcs, isGold) {
      const base = isGold ? top : top + 42, up = isGold ? -1 : 1;
      const crossing = crossed(analysis);
      for (const arc of arcs) {
        const type = kind(arc.word, isGold);
        // Both ends of arcs that share a word are a little apart.
        const toRight = middle[arc.head] < middle[arc.word];
        const start = middle[arc.head] + (toRight ? 5 : -5);
        const end = middle[arc.word] + (toRight ? -3 : 3);
        const y = base + up * (arc.level * STEP);
        const r = Math.min(12, Math.abs(end - start) / 2, arc.level * STEP) * (toRight ? 1 : -1);
        const turn = Math.abs(r) * up;
        const group = svg("g", { class: type + (crossing.has(arc.word) ? " crossed" : "") });
        group.append(svg("path", { class: "arc",
          d: `M${start} ${base}V${y - turn}Q${start} ${y} ${start + r} ${y}H${end - r}Q${end} ${y} ${end} ${y - turn}V${base + up * 6}` }));
        group.append(svg("path", { class: "tip", d: `M${end} ${base}l-4 ${up * 8}h8z` }));
        group.append(svg("text", { class: "label", x: (start + end) / 2, y: y + 4, "text-anchor": "middle" },
          label(analysis, arc.word)));
        groups[type === "right" ? "right" : "other"].push(group);
      }
      for (let word = 1; word <= count; word++) {
        if (analysis.heads[word] > 0) continue;
        const type = kind(word, isGold);
        const group = svg("g", { class: type + (crossing.has(word) ? " crossed" : "") });
        const far = base + up * (isGold ? top - 16 : high(below) - 22);
        const name = analysis.heads[word] < 0 ? "no head" : label(analysis, word);
        if (analysis.heads[word] === 0) {
          group.append(svg("path", { class: "arc", d: `M${middle[word]} ${far}V${base + up * 6}` }));
          group.append(svg("path", { class: "tip", d: `M${middle[word]} ${base}l-4 ${up * 8}h8z` }));
        }
        group.append(svg("text", { class: "label", x: middle[word], y: far + (isGold ? -3 : 12), "text-anchor": "middle" }, name));
        groups[type === "right" ? "right" : "other"].push(group);
      }
    }
    half(gold, above, true);
    half(output, below, false);
    picture.append(...groups.right, ...groups.other);
    element("drawing").replaceChildren(picture);
  }

  for (const id of ["f-system", "f-error", "f-label", "f-crossing"]) element(id).addEventListener("change", filter);
  for (const id of ["f-min", "f-max", "f-text"]) element(id).addEventListener("input", filter);
  element("filters").addEventListener("reset", () => setTimeout(filter, 0));
  element("list").addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[event.key];
    if (!step || matches.length === 0) return;
    event.preventDefault();
    choose(Math.max(0, Math.min(matches.length - 1, chosen + step)), true);
  });
  filter();
})();
