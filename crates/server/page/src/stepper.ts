// Derivations move by move, and the arc scores of graph parsers.
import {
  type ArcScores,
  type Derivation,
  type Model,
  type State,
  type System,
  json,
  rightToLeft,
} from "./api.ts";
import { button, choice, h, setOptions } from "./dom.ts";
import { EXAMPLES, conllu } from "./examples.ts";
import { crossing, draw } from "./tree.ts";

const WORD = /^(\d+)\t([^\t]*)\t/;

export class Stepper {
  readonly element: HTMLElement;
  private derivation: Derivation | null = null;
  private forms: string[] = [];
  private at = 0;
  /** How often was asked: only the answer to the last question counts. */
  private asked = 0;
  /** Moves made by hand, or nothing if others make them. */
  private moves: string[] | null = null;
  private timer = 0;
  private readonly text = h("textarea", {
    rows: 6,
    class: "mono",
    spellcheck: "false",
    "aria-label": "Sentence in CoNLL-U",
    change: () => this.restart(),
  });
  private readonly example = choice(
    "Example",
    [["", "own sentence"], ...EXAMPLES.map((one, at): [string, string] => [String(at), one.name])],
    () => this.take(),
  );
  private readonly system = choice("Moves of", [], () => this.restart());
  private readonly way = choice(
    "Made by",
    [
      ["oracle", "the oracle"],
      ["hand", "hand"],
    ],
    () => this.restart(),
  );
  private readonly slider = h("input", {
    type: "range",
    min: 0,
    max: 0,
    value: 0,
    "aria-label": "Step",
    input: () => this.go(Number(this.slider.value)),
  });
  private readonly count = h("output", {});
  private readonly play = button("Play", () => this.toggle());
  private readonly body = h("div", {
    class: "steps",
    tabindex: 0,
    role: "group",
    "aria-label": "Derivation: arrow keys go from step to step",
    keydown: (event: KeyboardEvent) => this.key(event),
  });
  private readonly result = h("div", {});

  constructor(private readonly say: (text: string) => void) {
    this.element = h(
      "section",
      { "aria-label": "Step by step", hidden: true },
      h(
        "p",
        {},
        "How a parser builds a tree: the moves of a transition system, or the arcs that a graph parser chooses from.",
      ),
      h("div", { class: "bar" }, this.example.whole, this.system.whole, this.way.whole),
      h(
        "details",
        {},
        h("summary", {}, "The sentence and its tree"),
        this.text,
        h("p", { class: "hint" }, "The oracle follows HEAD and DEPREL of one sentence."),
      ),
      this.result,
    );
  }

  /** Which systems and models there are. */
  offer(systems: System[], models: Model[]): void {
    const ofModels = models
      .filter((model) => model.kind === "transition" || model.kind === "graph")
      .map((model): [string, string] => [
        `${model.kind} ${model.name}`,
        `model ${model.name} (${model.parser})`,
      ]);
    const ofSystems = systems.map((one): [string, string] => [
      `system ${one.system} ${one.oracle}`,
      `${one.system}, ${one.oracle} oracle`,
    ]);
    setOptions(this.system.select, [...ofSystems, ...ofModels]);
  }

  /** Starts with the first example if nothing is there. */
  async open(): Promise<void> {
    if (this.text.value !== "") return;
    this.example.select.value = "0";
    await this.take();
  }

  /** Shows a sentence of the other parts of the page; with arc scores if they are wanted. */
  async load(sentence: string, scoresOf: string | null): Promise<void> {
    this.example.select.value = "";
    this.text.value = sentence;
    if (scoresOf !== null) {
      const option = `graph ${scoresOf}`;
      this.system.select.value = option;
      if (this.system.select.value !== option) {
        this.system.select.selectedIndex = 0;
        this.say(`The parser of ${scoresOf} makes moves: it has no arc scores.`);
      }
    } else if (!this.system.select.value.startsWith("system ")) {
      this.system.select.selectedIndex = 0;
    }
    if (scoresOf === null && this.way.select.value === "oracle") {
      this.system.select.value = "system swap eager";
    }
    await this.restart();
  }

  private async take(): Promise<void> {
    const example = EXAMPLES[Number(this.example.select.value || "-1")];
    if (!example) return;
    this.text.value = conllu(example.words);
    this.system.select.value = `system ${example.system}`;
    await this.restart();
  }

  private async restart(): Promise<void> {
    this.stop();
    const [kind = "", ...names] = this.system.select.value.split(" ");
    const ways: [string, string][] =
      kind === "transition"
        ? [
            ["model", "the model"],
            ["oracle", "the oracle"],
          ]
        : [
            ["oracle", "the oracle"],
            ["hand", "hand"],
          ];
    if (kind === "graph") setOptions(this.way.select, [["model", "all arcs at once"]]);
    else setOptions(this.way.select, ways);
    this.forms = this.text.value
      .split("\n")
      .map((line) => WORD.exec(line)?.[2])
      .filter((form) => form !== undefined);
    this.moves = this.way.select.value === "hand" ? [] : null;
    this.at = 0;
    try {
      if (kind === "graph") await this.matrix(names.join(" "));
      else await this.derive();
    } catch (error) {
      this.result.replaceChildren();
      this.say((error as Error).message);
    }
  }

  private async derive(): Promise<void> {
    const [kind, ...names] = this.system.select.value.split(" ");
    const request: Record<string, unknown> = { conllu: this.text.value };
    if (kind === "transition") {
      request.model = names.join(" ");
      request.by_oracle = this.way.select.value === "oracle";
    } else {
      request.system = names[0];
      request.oracle = names[1];
      if (this.moves) request.moves = this.moves;
    }
    const asked = ++this.asked;
    const derivation = await json<Derivation>("v1/derivation", request);
    if (asked !== this.asked) return;
    this.derivation = derivation;
    this.slider.max = String(this.derivation.states.length - 1);
    this.result.replaceChildren(
      h(
        "div",
        { class: "bar" },
        button("|◀", () => this.go(0), { "aria-label": "First step" }),
        button("◀", () => this.go(this.at - 1), { "aria-label": "Step back" }),
        button("▶", () => this.go(this.at + 1), { "aria-label": "Next step" }),
        button("▶|", () => this.go(Number.POSITIVE_INFINITY), { "aria-label": "Last step" }),
        this.play,
        this.slider,
        this.count,
      ),
      this.body,
    );
    this.go(this.at);
  }

  private name(node: number): string {
    return node === 0 ? "root" : `${this.forms[node - 1] ?? "?"}`;
  }

  private go(to: number): void {
    const states = this.derivation?.states ?? [];
    this.at = Math.max(0, Math.min(states.length - 1, to));
    this.slider.value = String(this.at);
    this.count.textContent = `${this.at} of ${states.length - 1}`;
    const state = states[this.at];
    if (state) this.body.replaceChildren(...this.render(state, states));
    this.body.querySelector(".trace [aria-current]")?.scrollIntoView({ block: "nearest" });
  }

  private render(state: State, states: State[]): HTMLElement[] {
    const list = (title: string, nodes: number[], kind: string, open: string) =>
      h(
        "div",
        { class: `nodes ${kind}` },
        h("span", { class: "what" }, title),
        ...nodes.map((node) =>
          h("span", { class: "node" }, h("small", {}, String(node)), this.name(node)),
        ),
        nodes.length === 0 && h("span", { class: "hint" }, open),
      );
    const rows = [
      list("Stack", state.stack, "stack", "empty"),
      state.passed.length > 0 ? list("Passed", state.passed, "passed", "empty") : h("div"),
      list("Buffer", state.buffer, "buffer", "empty"),
    ];
    const heads = new Map(
      state.arcs.filter(([head]) => head > 0).map(([head, dependent]) => [dependent, head]),
    );
    const crossed = crossing(heads);
    const newest = new Set(states[this.at - 1]?.arc ? [states[this.at - 1]?.arc?.dependent] : []);
    const picture = draw(
      this.forms.map((form) => ({ form, tag: "" })),
      state.arcs.map(([head, dependent, label]) => ({
        head,
        dependent,
        label: label ?? "",
        crossing: crossed.has(dependent),
        score: null,
        differs: false,
        fixed: newest.has(dependent),
      })),
      null,
      {
        layout: "across",
        rightToLeft: rightToLeft(this.forms.join(" ")),
        zoom: 1,
        title: `${state.arcs.length} arcs after ${this.at} moves`,
      },
    );
    return [
      ...rows,
      h("div", { class: "stage", tabindex: 0, role: "group", "aria-label": "Arcs" }, picture.svg),
      this.legal(state),
      this.trace(states),
    ];
  }

  private legal(state: State): HTMLElement {
    if (state.legal.length === 0) return h("p", {}, "The derivation is over.");
    const scored = state.legal.some((one) => one.score !== null);
    const costly = state.legal.some((one) => one.cost !== null);
    const head = ["Legal move", "Arc"];
    if (scored) head.push("Score");
    if (costly) head.push("Cost");
    head.push("");
    return h(
      "table",
      { class: "legal" },
      h("thead", {}, h("tr", {}, ...head.map((name) => h("th", { scope: "col" }, name)))),
      h(
        "tbody",
        {},
        ...state.legal.map((one) => {
          const made = one.move === state.move;
          const right = one.move === state.oracle?.move;
          const notes = [made && "made", right && "the oracle's"].filter((note) => note);
          const arc = one.arc
            ? `${this.name(one.arc[0])} → ${this.name(one.arc[1])}${one.label ? ` (${one.label})` : ""}`
            : "";
          return h(
            "tr",
            { class: made ? "made" : "" },
            h(
              "th",
              { scope: "row" },
              this.moves ? button(one.move, () => this.make(one.move)) : one.move,
            ),
            h("td", {}, arc),
            scored && h("td", { class: "number" }, one.score?.toFixed(2) ?? ""),
            costly && h("td", { class: "number" }, String(one.cost ?? "")),
            h("td", {}, notes.join(", ")),
          );
        }),
      ),
    );
  }

  private trace(states: State[]): HTMLElement {
    const names = (nodes: number[]) => nodes.map((node) => this.name(node)).join(" ");
    return h(
      "div",
      { class: "trace", tabindex: 0, role: "group", "aria-label": "All moves" },
      h(
        "table",
        {},
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            ...["Move", "Stack", "Buffer", "Arc"].map((one) => h("th", { scope: "col" }, one)),
          ),
        ),
        h(
          "tbody",
          {},
          ...states.map((state, at) => {
            const last = states[at - 1];
            const arc = last?.arc;
            const wrong = last?.oracle && last.oracle.move !== last.move;
            return h(
              "tr",
              {
                "aria-current": at === this.at ? "step" : undefined,
                class: wrong ? "differs" : "",
              },
              h(
                "th",
                { scope: "row" },
                button(last?.move ?? "start", () => this.go(at), { class: "link" }),
              ),
              h("td", {}, `[${names(state.stack)}]`),
              h("td", {}, `[${names(state.buffer)}]`),
              h(
                "td",
                {},
                arc
                  ? `${this.name(arc.head)} → ${this.name(arc.dependent)} ${arc.label ?? ""}`
                  : "",
              ),
            );
          }),
        ),
      ),
    );
  }

  private async make(move: string): Promise<void> {
    this.moves = [...(this.moves ?? []).slice(0, this.at), move];
    this.at = this.moves.length;
    try {
      await this.derive();
    } catch (error) {
      this.say((error as Error).message);
    }
  }

  private key(event: KeyboardEvent): void {
    const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1 };
    const by = steps[event.key];
    if (by === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.go(this.at + by);
  }

  private toggle(): void {
    if (this.timer) {
      this.stop();
      return;
    }
    this.play.textContent = "Stop";
    this.timer = setInterval(() => {
      const last = (this.derivation?.states.length ?? 1) - 1;
      if (this.at >= last) this.stop();
      else this.go(this.at + 1);
    }, 900);
  }

  private stop(): void {
    clearInterval(this.timer);
    this.timer = 0;
    this.play.textContent = "Play";
  }

  // Graph parsers.

  private async matrix(model: string): Promise<void> {
    const asked = ++this.asked;
    const found = await json<ArcScores>("v1/scores", { conllu: this.text.value, model });
    if (asked !== this.asked) return;
    const by = new Map(found.arcs.map((arc) => [`${arc.head} ${arc.dependent}`, arc]));
    const heads = [0, ...this.forms.map((_, at) => at + 1)];
    const crossed = crossing(
      new Map(
        found.heads.map((head, at) => [at + 1, head ?? 0] as const).filter(([, head]) => head > 0),
      ),
    );
    const picture = draw(
      this.forms.map((form) => ({ form, tag: "" })),
      found.heads.map((head, at) => ({
        head: head ?? 0,
        dependent: at + 1,
        label: found.labels[at] ?? "",
        crossing: crossed.has(at + 1),
        score: by.get(`${head} ${at + 1}`)?.probability ?? null,
        differs: false,
        fixed: false,
      })),
      null,
      {
        layout: "across",
        rightToLeft: rightToLeft(this.forms.join(" ")),
        zoom: 1,
        title: "The tree that is chosen",
      },
    );
    this.result.replaceChildren(
      h(
        "p",
        {},
        `${found.parser} looks at ${found.arcs.length} arcs. Each field has the score of an arc alone with its best label; the darker it is, the more probable is the arc when all is weighed. Framed are the arcs of the tree; fields without a number were pruned.`,
      ),
      h(
        "div",
        { class: "matrix", tabindex: 0, role: "group", "aria-label": "Arc scores" },
        h(
          "table",
          {},
          h(
            "thead",
            {},
            h(
              "tr",
              {},
              h("th", { scope: "col" }, "head ↓ dependent →"),
              ...this.forms.map((form, at) => h("th", { scope: "col" }, `${at + 1} ${form}`)),
            ),
          ),
          h(
            "tbody",
            {},
            ...heads.map((head) =>
              h(
                "tr",
                {},
                h("th", { scope: "row" }, head === 0 ? "root" : `${head} ${this.name(head)}`),
                ...this.forms.map((_, at) => {
                  const arc = by.get(`${head} ${at + 1}`);
                  if (!arc) return h("td", {});
                  const cell = h(
                    "td",
                    {
                      class: `number ${found.heads[at] === head ? "made" : ""}`,
                      title: `${arc.label}, probability ${arc.probability.toFixed(3)}`,
                    },
                    arc.score.toFixed(1).replace(/^-0\.0$/, "0.0"),
                  );
                  const share = Math.round(Math.min(1, arc.probability) * 55);
                  cell.style.setProperty("--share", `${share}%`);
                  return cell;
                }),
              ),
            ),
          ),
        ),
      ),
      h("div", { class: "stage", tabindex: 0, role: "group", "aria-label": "Tree" }, picture.svg),
    );
  }
}
