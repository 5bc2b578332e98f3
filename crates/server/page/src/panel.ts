// One sentence: its tree, table and CoNLL-U, other trees of it, corrections and downloads.
import { type Sentence, type Word, ask, bare, parse, rightToLeft } from "./api.ts";
import { button, choice, h, many, s, save, tick } from "./dom.ts";
import { type Arc, type Picture, draw } from "./tree.ts";

type View = "tree" | "table" | "conllu";

/** What a panel shows. */
export interface Shown {
  /** The trees of the sentence, best first. */
  trees: Sentence[];
  /** A tree of the same words by another parser, or of another file. */
  other: Sentence | null;
  /** The model that fills in trees when heads are corrected. */
  model: string | null;
  /** Words that a search has found. */
  matched: number[];
  /** Whether the other heads stay when one is corrected. */
  keepTree: boolean;
  /** Names of the two trees. */
  names: [string, string];
}

/** What the rest of the page does for a panel. */
export interface Doors {
  steps(conllu: string): void;
  scores(conllu: string): void;
  link(): string | null;
  say(text: string): void;
}

const ZOOMS = [0.5, 0.67, 0.8, 1, 1.25, 1.5, 2];
/** Longer sentences go down the page if nothing else is chosen. */
const LONG = 30;

const KEYS: [string, string][] = [
  ["← →", "go from word to word"],
  ["↑ ↓", "the next better or worse tree, if several were asked for"],
  ["Enter", "take hold of the word; then go to its head and press Enter again"],
  ["0", "while a word is held: hang it on the root"],
  ["Escape", "let go"],
  ["+ −", "zoom"],
];

export class Panel {
  readonly element: HTMLElement;
  private shown: Shown | null = null;
  private rank = 0;
  private view: View = "tree";
  private zoom = 3;
  private word = 0;
  private held = 0;
  private fixed = new Map<number, number>();
  private before: Shown | null = null;
  private picture: Picture | null = null;
  private readonly stage = h("div", {
    class: "stage",
    tabindex: 0,
    role: "group",
    "aria-label": "Tree",
    "aria-describedby": "keys",
    keydown: (event: KeyboardEvent) => this.key(event),
    pointerdown: (event: PointerEvent) => this.grab(event),
    pointerover: (event: PointerEvent) => this.hover(event),
  });
  private readonly details = h("p", { class: "details", "aria-live": "polite" });
  private readonly ranks = h("span", { class: "ranks" });
  private readonly legend = h("p", { class: "legend" });
  private readonly layout = choice(
    "Layout",
    [
      ["auto", "by length"],
      ["across", "across"],
      ["down", "down the page"],
    ],
    () => this.render(),
  );
  private readonly shade = tick("Confidence as shade", () => this.render());
  private readonly undo = button("Undo corrections", () => this.forget(), { hidden: true });
  private readonly views: HTMLButtonElement[];

  constructor(private readonly doors: Doors) {
    const view = (name: View, text: string) =>
      button(
        text,
        () => {
          this.view = name;
          this.render();
        },
        { "data-view": name },
      );
    this.views = [view("tree", "Tree"), view("table", "Table"), view("conllu", "CoNLL-U")];
    const download = (text: string, work: () => Promise<void>) =>
      button(text, () => {
        work().catch((error: Error) => doors.say(error.message));
      });
    this.element = h(
      "section",
      { class: "panel", hidden: true, "aria-label": "Sentence" },
      h(
        "div",
        { class: "bar" },
        h("div", { class: "views", role: "group", "aria-label": "View" }, ...this.views),
        this.layout.whole,
        h(
          "div",
          { role: "group", "aria-label": "Zoom" },
          button("−", () => this.resize(-1), { "aria-label": "Smaller" }),
          button("+", () => this.resize(1), { "aria-label": "Larger" }),
        ),
        this.shade.whole,
        this.ranks,
        this.undo,
      ),
      this.legend,
      this.stage,
      this.details,
      h(
        "div",
        { class: "bar", role: "group", "aria-label": "Take along" },
        download("CoNLL-U", async () => this.give("conllu", "text/plain", this.now().conllu)),
        download("SVG", async () => this.give("svg", "image/svg+xml", await this.drawn("svg"))),
        download("PNG", () => this.png()),
        download("LaTeX", async () => this.give("tex", "text/x-tex", await this.drawn("latex"))),
        button("Copy link", () => this.copy()),
        button("Step by step", () => doors.steps(this.now().conllu)),
        button("Arc scores", () => doors.scores(this.now().conllu)),
      ),
      h(
        "details",
        {},
        h("summary", {}, "Keys, and heads by hand"),
        h(
          "div",
          { id: "keys" },
          h(
            "p",
            {},
            "Drag an arc or a word to another word to correct its head, or to the edge for the root. The parser fills in the rest of its own trees; those of files stay but for that word. In the tree:",
          ),
          h(
            "dl",
            { class: "keys" },
            ...KEYS.flatMap(([key, what]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, what)]),
          ),
        ),
      ),
    );
  }

  show(shown: Shown | null): void {
    this.shown = shown;
    this.before = null;
    this.fixed.clear();
    this.rank = 0;
    this.word = 0;
    this.held = 0;
    this.element.hidden = shown === null || shown.trees.length === 0;
    if (shown?.trees[0]?.words.some((word) => word.score !== null)) {
      this.shade.whole.hidden = false;
    } else {
      this.shade.whole.hidden = true;
    }
    this.render();
  }

  /** The sentence as it is shown now. */
  now(): Sentence {
    const sentence = this.shown?.trees[this.rank];
    if (!sentence) throw new Error("There is no sentence.");
    return sentence;
  }

  private arcs(sentence: Sentence, other: Sentence | null): Arc[] {
    return sentence.words
      .filter((word): word is Word & { head: number } => word.head !== null)
      .map((word) => {
        const rival = other?.words[word.id - 1];
        return {
          dependent: word.id,
          head: word.head,
          label: word.deprel ?? "",
          crossing: word.crossing,
          score: this.shade.box.checked ? word.score : null,
          differs: rival ? rival.head !== word.head || rival.deprel !== word.deprel : false,
          fixed: this.fixed.has(word.id),
        };
      });
  }

  private render(): void {
    const shown = this.shown;
    for (const one of this.views) {
      one.setAttribute("aria-pressed", String(one.dataset.view === this.view));
    }
    if (!shown || shown.trees.length === 0) return;
    const sentence = this.now();
    const text = sentence.text ?? sentence.words.map((word) => word.form).join(" ");
    const { trees, other } = shown;
    this.undo.hidden = this.fixed.size === 0;
    this.ranks.replaceChildren(
      trees.length > 1
        ? `Tree ${this.rank + 1} of ${trees.length}, score ${sentence.score ?? "unknown"} (↑ ↓)`
        : "",
    );
    this.describe();
    this.picture = null;
    this.legend.hidden = this.view === "conllu";
    if (this.view === "conllu") {
      this.stage.replaceChildren(h("pre", { class: "conllu", dir: "auto" }, sentence.conllu));
      return;
    }
    const arcs = this.arcs(sentence, other);
    const otherArcs = other ? this.arcs(other, sentence) : null;
    this.tell(arcs, otherArcs);
    if (this.view === "table") {
      this.stage.replaceChildren(this.table(sentence, other));
      return;
    }
    const wanted = this.layout.select.value;
    const auto = sentence.words.length > LONG || window.innerWidth < 600 ? "down" : "across";
    this.picture = draw(
      sentence.words.map((word) => ({ form: word.form, tag: word.upos ?? word.xpos ?? "" })),
      arcs,
      otherArcs,
      {
        layout: wanted === "across" || wanted === "down" ? wanted : auto,
        rightToLeft: rightToLeft(text),
        zoom: ZOOMS[this.zoom] ?? 1,
        title: `Tree of: ${text}`,
      },
    );
    this.stage.replaceChildren(this.picture.svg);
    this.mark();
  }

  private tell(arcs: Arc[], others: Arc[] | null): void {
    const crossed = (of: Arc[]): Node | string => {
      const crossing = of.filter((arc) => arc.crossing).length;
      if (crossing === 0) return "no arcs cross.";
      return h("span", { class: "crossing" }, `${many(crossing, "arc crosses", "arcs cross")}.`);
    };
    const parts: (Node | string)[] = [];
    if (others && this.shown) {
      const differ = arcs.filter((arc) => arc.differs).length;
      const [one, two] = this.shown.names;
      parts.push(`Above or on the left ${one}: `, crossed(arcs));
      parts.push(` On the other side ${two}: `, crossed(others), " ");
      parts.push(
        h("span", { class: "differs" }, `${differ} of ${arcs.length} words have another arc.`),
      );
    } else {
      const alone = crossed(arcs);
      parts.push(typeof alone === "string" ? "No arcs cross." : alone);
    }
    if (this.fixed.size > 0) {
      parts.push(
        " ",
        h("span", { class: "fixed" }, `${many(this.fixed.size, "head", "heads")} by hand.`),
      );
    }
    this.legend.replaceChildren(...parts);
  }

  private table(sentence: Sentence, other: Sentence | null): HTMLElement {
    const names = ["", "Form", "Lemma", "UPOS", "XPOS", "Features", "Head", "Label"];
    if (sentence.words.some((word) => word.score !== null)) names.push("Confidence");
    if (other) names.push("Other head", "Other label");
    const row = (word: Word) => {
      const rival = other?.words[word.id - 1];
      const differs = rival && (rival.head !== word.head || rival.deprel !== word.deprel);
      const head = word.head === 0 ? "root" : (sentence.words[(word.head ?? 0) - 1]?.form ?? "");
      const cells = [
        word.form,
        word.lemma,
        word.upos,
        word.xpos,
        word.feats?.replaceAll("|", " "),
        word.head === null ? "" : `${word.head} ${head}`,
        word.deprel,
      ];
      if (names.includes("Confidence")) cells.push(word.score?.toFixed(3) ?? "");
      if (other) cells.push(String(rival?.head ?? ""), rival?.deprel ?? "");
      const kind = `${word.crossing ? "crossing " : ""}${differs ? "differs" : ""}`;
      return h(
        "tr",
        { class: kind },
        h("th", { scope: "row" }, String(word.id)),
        ...cells.map((cell) => h("td", { dir: "auto" }, cell ?? "")),
      );
    };
    return h(
      "table",
      {},
      h("thead", {}, h("tr", {}, ...names.map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, ...sentence.words.map(row)),
    );
  }

  // Words under the pointer and under the keys.

  private describe(): void {
    const word = this.shown?.trees[this.rank]?.words[this.word - 1];
    if (!word) {
      this.details.textContent = "Point at a word, or go to the tree and use the arrow keys.";
      return;
    }
    const head = word.head === 0 ? "the root" : this.now().words[(word.head ?? 0) - 1]?.form;
    const parts = [
      `${word.id} ${word.form}`,
      word.lemma && `lemma ${word.lemma}`,
      word.upos,
      word.xpos,
      word.feats?.replaceAll("|", " "),
      word.head !== null && `${word.deprel ?? ""} of ${head}`,
      word.crossing && "its arc crosses another",
      word.score !== null && `confidence ${word.score.toFixed(3)}`,
      word.misc
        ?.split("|")
        .filter((part) => !part.startsWith("Score="))
        .join(" "),
    ];
    this.details.textContent = parts.filter((part) => part).join(" · ");
    if (this.held > 0) {
      const held = this.now().words[this.held - 1]?.form;
      this.details.textContent = `Head of ${held}: ${this.details.textContent}? Enter, or 0 for the root.`;
    }
  }

  private mark(): void {
    for (const one of this.stage.querySelectorAll<SVGElement>("[data-word], [data-dependent]")) {
      const { word, dependent } = one.dataset;
      const own = Number(word ?? dependent);
      const found = this.shown?.matched.includes(own) && word !== undefined;
      one.classList.toggle("matched", found === true);
      one.classList.toggle("chosen", own === this.word);
      one.classList.toggle("held", word !== undefined && own === this.held);
    }
  }

  private choose(word: number): void {
    if (word === this.word) return;
    this.word = word;
    this.describe();
    this.mark();
  }

  private hover(event: PointerEvent): void {
    const target = (event.target as Element).closest<SVGElement>("[data-word], [data-dependent]");
    const word = Number(target?.dataset.word ?? target?.dataset.dependent ?? 0);
    if (word > 0 && this.held === 0) this.choose(word);
  }

  private key(event: KeyboardEvent): void {
    const words = this.shown?.trees[this.rank]?.words.length ?? 0;
    if (event.ctrlKey || event.metaKey || event.altKey || words === 0) return;
    const forward = this.picture && rightToLeft(this.now().text ?? "") ? "ArrowLeft" : "ArrowRight";
    const step = (by: number) => this.choose(Math.min(words, Math.max(1, this.word + by)));
    const rank = (by: number) => {
      const trees = this.shown?.trees.length ?? 0;
      if (trees < 2) return false;
      this.rank = Math.min(trees - 1, Math.max(0, this.rank + by));
      this.render();
      return true;
    };
    let done = true;
    if (event.key === "ArrowLeft" || event.key === "ArrowRight")
      step(event.key === forward ? 1 : -1);
    else if (event.key === "ArrowDown") done = rank(1);
    else if (event.key === "ArrowUp") done = rank(-1);
    else if (event.key === "+") this.resize(1);
    else if (event.key === "-") this.resize(-1);
    else if (event.key === "Escape") this.hold(0);
    else if (event.key === "0" && this.held > 0) this.attach(this.held, 0);
    else if (event.key === "Enter" && this.held > 0) this.attach(this.held, this.word);
    else if (event.key === "Enter" && this.word > 0) this.hold(this.word);
    else done = false;
    if (done) event.preventDefault();
  }

  private hold(word: number): void {
    this.held = this.view === "tree" ? word : 0;
    this.describe();
    this.mark();
  }

  private resize(by: number): void {
    this.zoom = Math.min(ZOOMS.length - 1, Math.max(0, this.zoom + by));
    this.render();
  }

  // Heads by hand.

  private grab(event: PointerEvent): void {
    const picture = this.picture;
    const target = (event.target as Element).closest<SVGElement>("[data-word], [data-dependent]");
    const word = Number(target?.dataset.word ?? target?.dataset.dependent ?? 0);
    if (!picture || word === 0 || event.button !== 0) return;
    const [fromX, fromY] = picture.middle(word);
    const ghost = s("line", { class: "ghost", x1: fromX, y1: fromY, x2: fromX, y2: fromY });
    let moved = false;
    const move = (now: PointerEvent) => {
      if (!moved && Math.hypot(now.clientX - event.clientX, now.clientY - event.clientY) < 6)
        return;
      if (!moved) picture.svg.append(ghost);
      moved = true;
      now.preventDefault();
      const [x, y] = picture.inside(now.clientX, now.clientY);
      ghost.setAttribute("x2", String(x));
      ghost.setAttribute("y2", String(y));
      const over = picture.wordAt(now.clientX, now.clientY);
      for (const one of picture.svg.querySelectorAll<SVGElement>("[data-word]")) {
        one.classList.toggle("target", Number(one.dataset.word) === over && over !== word);
      }
      picture.svg.classList.toggle("to-root", over === 0);
    };
    const stop = (now: PointerEvent) => {
      window.removeEventListener("pointermove", move);
      window.removeEventListener("pointerup", stop);
      window.removeEventListener("pointercancel", stop);
      ghost.remove();
      picture.svg.classList.remove("to-root");
      for (const one of picture.svg.querySelectorAll(".target")) one.classList.remove("target");
      if (!moved || now.type === "pointercancel") return;
      const head = picture.wordAt(now.clientX, now.clientY);
      if (head !== null) this.attach(word, head);
    };
    window.addEventListener("pointermove", move);
    window.addEventListener("pointerup", stop);
    window.addEventListener("pointercancel", stop);
  }

  private async attach(word: number, head: number): Promise<void> {
    const shown = this.shown;
    this.hold(0);
    if (!shown || word === head) return;
    if (shown.model === null) {
      this.doors.say("There is no model that could fill in the rest.");
      return;
    }
    const fixed = new Map(this.fixed).set(word, head);
    const now = this.now();
    try {
      const request = {
        model: shown.model,
        conllu: bare(now.conllu, shown.keepTree ? "tree" : "tags", fixed),
        keep_heads: true,
        scores: true,
      };
      const trees = await parse(request);
      if (this.shown !== shown) return;
      this.before ??= shown;
      this.shown = { ...shown, trees };
      this.rank = 0;
      this.fixed = fixed;
      this.word = word;
      this.render();
      const form = now.words[word - 1]?.form;
      const of = head === 0 ? "the root" : now.words[head - 1]?.form;
      const rest = shown.keepTree
        ? "its label is the parser's"
        : "the parser has filled in the rest";
      this.doors.say(`${form} hangs on ${of} now; ${rest}.`);
    } catch (error) {
      this.doors.say((error as Error).message);
    }
  }

  private forget(): void {
    if (this.before) this.show(this.before);
    this.doors.say("The tree is as the parser found it.");
  }

  // Downloads.

  private give(ending: string, kind: string, content: string): void {
    save(`sentence.${ending}`, new Blob([content], { type: `${kind};charset=utf-8` }));
  }

  private async drawn(format: string): Promise<string> {
    return (await ask("v1/draw", { conllu: this.now().conllu, format })).text();
  }

  private async png(): Promise<void> {
    const svg = new Blob([await this.drawn("svg")], { type: "image/svg+xml" });
    const address = URL.createObjectURL(svg);
    try {
      const image = new Image();
      image.src = address;
      await image.decode();
      const scale = Math.min(2, 16_000 / Math.max(image.naturalWidth, image.naturalHeight, 1));
      const canvas = document.createElement("canvas");
      canvas.width = Math.ceil(image.naturalWidth * scale);
      canvas.height = Math.ceil(image.naturalHeight * scale);
      const pen = canvas.getContext("2d");
      if (!pen) throw new Error("This browser cannot make a PNG.");
      pen.fillStyle = "white";
      pen.fillRect(0, 0, canvas.width, canvas.height);
      pen.drawImage(image, 0, 0, canvas.width, canvas.height);
      const png = await new Promise<Blob | null>((made) => canvas.toBlob(made, "image/png"));
      if (!png) throw new Error("The picture is too large for a PNG: take the SVG.");
      save("sentence.png", png);
    } finally {
      URL.revokeObjectURL(address);
    }
  }

  private async copy(): Promise<void> {
    const link = this.doors.link();
    if (link === null) {
      this.doors.say("The text is too long for a link: download the CoNLL-U.");
      return;
    }
    try {
      await navigator.clipboard.writeText(link);
      this.doors.say("The link is in the clipboard. It holds the sentence.");
    } catch {
      this.doors.say(`The link is in the address bar. It holds the sentence.`);
    }
  }
}
