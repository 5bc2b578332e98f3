// What the server answers, and CoNLL-U as far as the page must change it.

export interface Word {
  id: number;
  form: string;
  lemma: string | null;
  upos: string | null;
  xpos: string | null;
  feats: string | null;
  head: number | null;
  deprel: string | null;
  misc: string | null;
  crossing: boolean;
  score: number | null;
}

export interface Sentence {
  id: string | null;
  text: string | null;
  rank: number | null;
  score: number | null;
  words: Word[];
  conllu: string;
}

export interface Model {
  name: string;
  steps: string[];
  note: string;
  parser: string | null;
  kind: "transition" | "graph" | "other" | null;
  ranks: boolean;
}

export interface System {
  system: string;
  oracle: string;
  kind: string;
  covers: string;
}

export interface Move {
  move: string;
  score: number | null;
  cost: number | null;
  arc: [number, number] | null;
  label: string | null;
}

export interface State {
  stack: number[];
  buffer: number[];
  passed: number[];
  arcs: [number, number, string | null][];
  legal: Move[];
  move: string | null;
  arc: { head: number; dependent: number; label: string | null } | null;
  oracle: { move: string; label: string | null } | null;
}

export interface Derivation {
  system: string;
  oracle: string;
  right_to_left?: boolean;
  states: State[];
}

export interface ArcScores {
  parser: string;
  heads: (number | null)[];
  /** Of the arcs of the tree: a parser may choose them when the tree is there. */
  labels: string[];
  arcs: { head: number; dependent: number; label: string; score: number; probability: number }[];
}

export interface Treebank {
  name: string;
  sentences: number;
  words: number;
  crossing: number;
}

export interface Found {
  total: number;
  sentences: {
    number: number;
    id: string | null;
    text: string;
    words: number;
    crossing: number;
    differences: number | null;
    matched: number[];
  }[];
}

export interface Statistics {
  sentences: number;
  words: number;
  crossing_arcs: number;
  crossing_sentences: number;
  labels: [string, number][];
  tags: [string, number][];
}

/** Asks the server; an error holds what it says. */
export async function ask(path: string, body?: object, signal?: AbortSignal): Promise<Response> {
  const options: RequestInit = signal ? { signal } : {};
  if (body) {
    options.method = "POST";
    options.headers = { "content-type": "application/json" };
    options.body = JSON.stringify(body);
  }
  let answer: Response;
  try {
    answer = await fetch(path, options);
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new Error("The server does not answer: is crossarc still running?");
  }
  if (answer.ok) return answer;
  const text = await answer.text();
  let message = text;
  try {
    message = (JSON.parse(text) as { error: string }).error;
  } catch {
    // Plain text it is.
  }
  throw new Error(message || `The server answers with status ${answer.status}.`);
}

export async function json<T>(path: string, body?: object, signal?: AbortSignal): Promise<T> {
  return (await (await ask(path, body, signal)).json()) as T;
}

/** The sentences of an answer of /v1/parse. */
export async function parse(request: object, signal?: AbortSignal): Promise<Sentence[]> {
  return (await json<{ sentences: Sentence[] }>("v1/parse", request, signal)).sentences;
}

const WORD = /^\d+\t/;

/**
 * CoNLL-U without trees, but for the heads that are given. Tags, and the tree where no head is given,
 * stay if they are wanted.
 */
export function bare(
  conllu: string,
  keep: "words" | "tags" | "tree",
  heads = new Map<number, number>(),
): string {
  const lines = conllu.split("\n").map((line) => {
    if (line.startsWith("#") && /^#\s*(rank|score)\s*=/.test(line)) return null;
    if (!WORD.test(line)) return line;
    const columns = line.split("\t");
    const head = heads.get(Number(columns[0]));
    if (keep === "words") columns.fill("_", 2, 6);
    if (head !== undefined) columns.splice(6, 3, String(head), "_", "_");
    else if (keep !== "tree") columns.splice(6, 3, "_", "_", "_");
    const misc = (columns[9] ?? "_").split("|").filter((part) => !part.startsWith("Score="));
    columns[9] = misc.length > 0 ? misc.join("|") : "_";
    return columns.join("\t");
  });
  return lines.filter((line) => line !== null).join("\n");
}

/** True if most letters are written from right to left. */
export function rightToLeft(text: string): boolean {
  const right = text.match(/[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/gu)?.length ?? 0;
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  return right * 2 > letters;
}
