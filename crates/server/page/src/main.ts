// The page: text to trees, treebanks, and derivations step by step.
import { type Model, type Sentence, type System, type Treebank, bare, json, parse } from "./api.ts";
import { Browser } from "./browser.ts";
import { button, calm, choice, h, many, setOptions } from "./dom.ts";
import { Panel } from "./panel.ts";
import { Stepper } from "./stepper.ts";

type Tab = "parse" | "view" | "steps";

/** Longer addresses are cut by some programs. */
const LONGEST_LINK = 4000;
/** As wide as the server lets it be: many hypotheses of a beam end with the same tree. */
const BEAM = 64;
const THEMES = ["as the system", "light", "dark"];

const message = h("p", { class: "message", role: "status" });
const say = (text: string) => {
  message.textContent = text;
};

let models: Model[] = [];
let now: AbortController | null = null;
let groups: Sentence[][] = [];
let others: Sentence[] | null = null;
let chosen = 0;

const text = h("textarea", {
  id: "text",
  rows: 3,
  dir: "auto",
  autofocus: true,
  placeholder: "A sentence, a text, or CoNLL-U",
});
const model = choice("Model", [], () => run());
const second = choice("Compare with", [], () => run());
const trees = choice(
  "Trees",
  [
    ["1", "the best"],
    ["5", "5 best"],
    ["20", "20 best"],
  ],
  () => run(),
);
const list = h("ol", { class: "found" });
const panel = new Panel({
  steps: (conllu) => {
    open("steps");
    stepper.load(conllu, null);
  },
  scores: (conllu) => {
    open("steps");
    stepper.load(conllu, model.select.value);
  },
  link,
  say,
});
const stepper = new Stepper(say);
const browser = new Browser(panel, say, () => models[0]?.name ?? null);

const parsing = h(
  "section",
  { "aria-label": "Parse" },
  h(
    "form",
    {
      submit: (event: SubmitEvent) => {
        event.preventDefault();
        run();
      },
    },
    h("label", { for: "text" }, "Text"),
    text,
    h(
      "div",
      { class: "bar" },
      model.whole,
      second.whole,
      trees.whole,
      h("button", { type: "submit", class: "main" }, "Parse"),
    ),
  ),
  list,
);

const sections: Record<Tab, HTMLElement> = {
  parse: parsing,
  view: browser.element,
  steps: stepper.element,
};
const tabs: Record<Tab, HTMLButtonElement> = {
  parse: button("Parse", () => show("parse")),
  view: button("Treebanks", () => show("view")),
  steps: button("Step by step", () => show("steps")),
};

/** Goes to a part of the page. */
function open(tab: Tab): void {
  for (const [name, section] of Object.entries(sections)) {
    section.hidden = name !== tab;
    if (name === tab) tabs[name as Tab].setAttribute("aria-current", "page");
    else tabs[name as Tab].removeAttribute("aria-current");
  }
  say("");
  if (tab === "steps") panel.element.hidden = true;
}

function show(tab: Tab): void {
  open(tab);
  if (tab === "steps") stepper.open();
  else if (tab === "view") browser.open();
  else pick(chosen);
}

/** CoNLL-U is known by its lines. */
function request(written: string): { text?: string; conllu?: string } {
  const isTable = /^\d+(-\d+)?\t[^\t\n]*(\t[^\t\n]*){8}$/m.test(written);
  return isTable
    ? { conllu: written.endsWith("\n") ? written : `${written}\n\n` }
    : { text: written };
}

/** Whether the model that is chosen can do a step of its own. */
function can(which: { select: HTMLSelectElement }, step: string): boolean {
  return models.some((one) => one.name === which.select.value && one.steps.includes(step));
}

/** Text for a parser alone is split and tagged by the first model that can. */
async function prepared(input: { text?: string; conllu?: string }, signal: AbortSignal) {
  const other = models.find((one) => one.steps.includes("tokenizer"));
  if (input.conllu !== undefined || can(model, "tokenizer") || !other) return input;
  const steps = other.steps.includes("tagger") ? ["tag"] : [];
  const sentences = await parse({ ...input, model: other.name, steps }, signal);
  return { conllu: sentences.map((one) => bare(one.conllu, "tags")).join("") };
}

async function run(): Promise<void> {
  now?.abort();
  now = new AbortController();
  const { signal } = now;
  const written = text.value;
  remember();
  if (written.trim() === "") {
    groups = [];
    list.replaceChildren();
    panel.show(null);
    say("");
    return;
  }
  const most = Number(trees.select.value);
  const wanted: Record<string, unknown> = {
    model: model.select.value,
  };
  if (most > 1) {
    // A parser that is greedy otherwise can rank what is in a beam.
    const kind = models.find((one) => one.name === model.select.value)?.kind;
    wanted.k_best = most;
    if (kind === "transition") wanted.beam = BEAM;
  } else {
    wanted.scores = true;
  }
  try {
    Object.assign(wanted, await prepared(request(written), signal));
    const sentences = await parse(wanted, signal);
    const found: Sentence[][] = [];
    for (const sentence of sentences) {
      if (sentence.rank === null || sentence.rank === 1) found.push([]);
      found[found.length - 1]?.push(sentence);
    }
    let rivals: Sentence[] | null = null;
    if (second.select.value !== "") {
      const words = found
        .map((group) => bare(group[0]?.conllu ?? "", can(second, "tagger") ? "words" : "tags"))
        .join("");
      const rival = { conllu: words, model: second.select.value, scores: true };
      rivals = await parse(rival, signal);
    }
    groups = found;
    others = rivals;
    chosen = Math.min(chosen, Math.max(0, groups.length - 1));
    say("");
    enumerate();
    pick(chosen);
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") return;
    say((error as Error).message);
  }
}

function enumerate(): void {
  list.hidden = groups.length < 2;
  list.replaceChildren(
    ...groups.map((group, at) => {
      const sentence = group[0];
      const crossing = sentence?.words.filter((word) => word.crossing).length ?? 0;
      return h(
        "li",
        {},
        h(
          "button",
          { type: "button", class: "sentence", click: () => pick(at) },
          h("bdi", {}, sentence?.text ?? sentence?.words.map((word) => word.form).join(" ") ?? ""),
        ),
        crossing > 0 && h("small", {}, many(crossing, "arc crosses", "arcs cross")),
      );
    }),
  );
}

function pick(at: number): void {
  chosen = at;
  [...list.children].forEach((item, place) => {
    item.classList.toggle("chosen", place === at);
  });
  const group = groups[at];
  if (!group) {
    panel.show(null);
    return;
  }
  const rival = others?.[at] ?? null;
  panel.show({
    trees: group,
    other: rival && rival.words.length === group[0]?.words.length ? rival : null,
    model: model.select.value,
    matched: [],
    keepTree: false,
    names: [model.select.value, second.select.value],
  });
}

/** The address holds what is typed, behind the #, so it is never sent to a server. */
function remember(): void {
  const held = new URLSearchParams({ text: text.value });
  if (model.select.selectedIndex > 0) held.set("model", model.select.value);
  if (second.select.value !== "") held.set("other", second.select.value);
  const fragment = `#${held}`;
  if (fragment.length <= LONGEST_LINK) history.replaceState(null, "", fragment);
}

function link(): string | null {
  if (!parsing.hidden) {
    remember();
    const held = new URLSearchParams(location.hash.slice(1)).get("text");
    return held === text.value ? location.href : null;
  }
  const held = new URLSearchParams({ text: panel.now().conllu });
  const address = `${location.origin}${location.pathname}#${held}`;
  return address.length <= LONGEST_LINK ? address : null;
}

function theme(): HTMLButtonElement {
  let at = 0;
  try {
    at = Math.max(0, THEMES.indexOf(localStorage.getItem("theme") ?? ""));
  } catch {
    // A browser that keeps nothing shows the system's colours.
  }
  const set = () => {
    document.documentElement.dataset.theme = THEMES[at] ?? "";
    made.textContent = `Colours: ${THEMES[at]}`;
  };
  const made = button("", () => {
    at = (at + 1) % THEMES.length;
    try {
      localStorage.setItem("theme", THEMES[at] ?? "");
    } catch {
      // It is forgotten with the page.
    }
    set();
  });
  set();
  return made;
}

async function start(): Promise<void> {
  document.body.append(
    h(
      "header",
      {},
      h("h1", {}, "Crossarc"),
      h("nav", { "aria-label": "Parts of the page" }, tabs.parse, tabs.view, tabs.steps),
      theme(),
    ),
    h("main", {}, parsing, browser.element, stepper.element, message, panel.element),
  );
  tabs.view.hidden = true;
  const [known, systems, files] = await Promise.all([
    json<{ models: Model[] }>("v1/models"),
    json<{ systems: System[] }>("v1/systems"),
    json<{ treebanks: Treebank[] }>("v1/treebanks"),
  ]);
  models = known.models;
  const names = models.map((one): [string, string] => [one.name, one.name]);
  setOptions(model.select, names);
  setOptions(second.select, [["", "nothing"], ...names]);
  second.whole.hidden = models.length < 2;
  stepper.offer(systems.systems, models);
  browser.offer(files.treebanks);
  const held = new URLSearchParams(location.hash.slice(1));
  const wanted = held.get("text");
  text.value = wanted ?? "A hearing is scheduled on the issue today.";
  if (names.some(([name]) => name === held.get("model"))) {
    model.select.value = held.get("model") ?? "";
  }
  if (names.some(([name]) => name === held.get("other"))) {
    second.select.value = held.get("other") ?? "";
  }
  text.addEventListener("input", calm(run, 400));
  tabs.view.hidden = files.treebanks.length === 0;
  if (files.treebanks.length > 0 && wanted === null) {
    show("view");
  } else {
    open("parse");
    await run();
  }
}

start().catch((error: Error) => say(error.message));
