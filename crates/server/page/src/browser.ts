// Treebanks of `crossarc view`: lists, filters, statistics, differences of two files.
import { type Found, type Sentence, type Statistics, type Treebank, json } from "./api.ts";
import { button, calm, choice, h, many, setOptions, tick } from "./dom.ts";
import type { Panel } from "./panel.ts";

const PAGE = 50;

export class Browser {
  readonly element: HTMLElement;
  private treebanks: Treebank[] = [];
  private skip = 0;
  private turn = 0;
  private readonly file = choice("Treebank", [], () => this.open());
  private readonly other = choice("Compare with", [], () => this.search(0));
  private readonly query = h("input", {
    type: "search",
    placeholder: "part of the text or sent_id",
    input: calm(() => this.search(0), 250),
  });
  private readonly pattern = h("input", {
    type: "search",
    class: "mono",
    size: 30,
    spellcheck: "false",
    placeholder: "V[upos=VERB] -[obj]-> O",
    change: () => this.search(0),
  });
  private readonly label = h("input", {
    type: "search",
    list: "labels",
    placeholder: "any",
    input: calm(() => this.search(0), 250),
  });
  private readonly labels = h("datalist", { id: "labels" });
  private readonly crossing = tick("with crossing arcs", () => this.search(0));
  private readonly differing = tick("that differ", () => this.search(0));
  private readonly found = h("ol", { class: "found" });
  private readonly pages = h("div", { class: "bar" });
  private readonly statistics = h("div", {});

  constructor(
    private readonly panel: Panel,
    private readonly say: (text: string) => void,
    private readonly model: () => string | null,
  ) {
    this.element = h(
      "section",
      { "aria-label": "Treebanks", hidden: true },
      h("div", { class: "bar" }, this.file.whole, this.other.whole),
      h(
        "div",
        { class: "bar", role: "search" },
        h("label", { class: "field" }, h("span", {}, "Sentences with"), this.query),
        h("label", { class: "field" }, h("span", {}, "Query"), this.pattern),
        h("label", { class: "field" }, h("span", {}, "Label"), this.label),
        this.labels,
        this.crossing.whole,
        this.differing.whole,
      ),
      h("details", {}, h("summary", {}, "Statistics"), this.statistics),
      this.pages,
      this.found,
    );
  }

  offer(treebanks: Treebank[]): void {
    this.treebanks = treebanks;
    const names = treebanks.map((one, at): [string, string] => [String(at), one.name]);
    setOptions(this.file.select, names);
    setOptions(this.other.select, [["", "nothing"], ...names]);
    this.other.whole.hidden = treebanks.length < 2;
  }

  async open(): Promise<void> {
    await this.search(0);
    const file = this.file.select.value;
    try {
      const found = await json<Statistics>(`v1/treebanks/${file}/statistics`);
      const percent = (part: number, whole: number) =>
        whole === 0 ? "" : ` (${((100 * part) / whole).toFixed(1)} %)`;
      const list = (title: string, counts: [string, number][]) =>
        h(
          "table",
          {},
          h(
            "thead",
            {},
            h("tr", {}, h("th", { scope: "col" }, title), h("th", { scope: "col" }, "Words")),
          ),
          h(
            "tbody",
            {},
            ...counts
              .slice(0, 100)
              .map(([name, count]) =>
                h(
                  "tr",
                  {},
                  h("th", { scope: "row" }, name),
                  h("td", { class: "number" }, String(count)),
                ),
              ),
          ),
        );
      this.labels.replaceChildren(...found.labels.map(([value]) => h("option", { value })));
      this.statistics.replaceChildren(
        h(
          "p",
          {},
          `${found.sentences} sentences, ${found.words} words. Arcs that cross: ${found.crossing_arcs}${percent(found.crossing_arcs, found.words)}, in ${found.crossing_sentences} sentences${percent(found.crossing_sentences, found.sentences)}.`,
        ),
        h(
          "div",
          { class: "columns" },
          list("Label", found.labels),
          list("Part of speech", found.tags),
        ),
      );
    } catch (error) {
      this.say((error as Error).message);
    }
  }

  private async search(skip: number): Promise<void> {
    this.skip = skip;
    const turn = ++this.turn;
    const other = this.other.select.value;
    this.differing.whole.hidden = other === "";
    const wanted = new URLSearchParams({
      query: this.query.value,
      pattern: this.pattern.value,
      label: this.label.value,
      crossing: String(this.crossing.box.checked),
      skip: String(skip),
      limit: String(PAGE),
    });
    if (other !== "") {
      wanted.set("other", other);
      wanted.set("differing", String(this.differing.box.checked));
    }
    try {
      const answer = await json<Found>(`v1/treebanks/${this.file.select.value}?${wanted}`);
      if (turn !== this.turn) return;
      this.say("");
      this.list(answer);
    } catch (error) {
      this.say((error as Error).message);
    }
  }

  private list({ total, sentences }: Found): void {
    const whole = this.treebanks[Number(this.file.select.value)]?.sentences ?? total;
    const last = this.skip + sentences.length;
    this.pages.replaceChildren(
      button("Earlier", () => this.search(Math.max(0, this.skip - PAGE)), {
        disabled: this.skip === 0,
      }),
      h(
        "span",
        { role: "status" },
        total === 0 ? "No sentence fits." : `${this.skip + 1} to ${last} of ${total} (of ${whole})`,
      ),
      button("Later", () => this.search(this.skip + PAGE), { disabled: last >= total }),
    );
    this.found.replaceChildren(
      ...sentences.map(({ number, id, text, words, crossing, differences, matched }) => {
        const notes = [
          many(words, "word", "words"),
          crossing > 0 && many(crossing, "arc crosses", "arcs cross"),
          differences !== null &&
            differences > 0 &&
            `${many(differences, "word differs", "words differ")}`,
        ].filter((note) => note);
        return h(
          "li",
          { "data-number": number },
          h(
            "button",
            { type: "button", class: "sentence", click: () => this.pick(number, matched) },
            h("bdi", {}, text),
          ),
          h("small", {}, `${id ?? number + 1} · ${notes.join(" · ")}`),
        );
      }),
    );
    this.found.start = this.skip + 1;
    const first = sentences[0];
    if (first) this.pick(first.number, first.matched);
    else this.panel.show(null);
  }

  private async pick(number: number, matched: number[]): Promise<void> {
    for (const item of this.found.querySelectorAll<HTMLElement>("li")) {
      item.classList.toggle("chosen", Number(item.dataset.number) === number);
    }
    const file = this.file.select.value;
    const second = this.other.select.value;
    try {
      const one = await json<Sentence>(`v1/treebanks/${file}/${number}`);
      const other = second === "" ? null : await json<Sentence>(`v1/treebanks/${second}/${number}`);
      const name = (at: string) => this.treebanks[Number(at)]?.name ?? "";
      this.panel.show({
        trees: [one],
        other: other && other.words.length === one.words.length ? other : null,
        model: this.model(),
        matched,
        keepTree: true,
        names: [name(file), name(second)],
      });
    } catch (error) {
      this.say((error as Error).message);
    }
  }
}
