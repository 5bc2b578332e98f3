// Elements by name. What users send is only ever text: nothing here takes HTML.

type Child = Node | string | null | undefined | false;
type Properties = Record<string, string | number | boolean | ((event: never) => void) | undefined>;

function fill(made: Element, properties: Properties, children: Child[]): void {
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === false) continue;
    if (typeof value === "function") {
      made.addEventListener(name, value as unknown as EventListener);
    } else {
      made.setAttribute(name, value === true ? "" : String(value));
    }
  }
  for (const child of children) {
    if (child !== null && child !== undefined && child !== false) made.append(child);
  }
}

/** An element of the page: attributes by name, listeners by the name of their event. */
export function h<K extends keyof HTMLElementTagNameMap>(
  name: K,
  properties: Properties = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  fill(made, properties, children);
  return made;
}

/** An element of a picture. */
export function s<K extends keyof SVGElementTagNameMap>(
  name: K,
  properties: Properties = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  fill(made, properties, children);
  return made;
}

/** A choice with its label. */
export function choice(
  label: string,
  options: [value: string, text: string][],
  change: () => void,
): { whole: HTMLLabelElement; select: HTMLSelectElement } {
  const select = h("select", { change });
  setOptions(select, options);
  return { whole: h("label", { class: "field" }, h("span", {}, label), select), select };
}

/** Replaces the options of a choice; what was chosen stays if it is still there. */
export function setOptions(
  select: HTMLSelectElement,
  options: [value: string, text: string][],
): void {
  const before = select.value;
  select.replaceChildren(...options.map(([value, text]) => h("option", { value }, text)));
  if (options.some(([value]) => value === before)) select.value = before;
}

/** A box to tick with its label. */
export function tick(
  label: string,
  change: () => void,
): { whole: HTMLLabelElement; box: HTMLInputElement } {
  const box = h("input", { type: "checkbox", change });
  return { whole: h("label", { class: "tick" }, box, label), box };
}

/** A button. */
export function button(text: string, click: () => void, more: Properties = {}): HTMLButtonElement {
  return h("button", { type: "button", click, ...more }, text);
}

/** Gives a file to the user. */
export function save(name: string, content: Blob): void {
  const link = h("a", { href: URL.createObjectURL(content), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Calls at most once in a while, with the last state. */
export function calm(work: () => void, milliseconds: number): () => void {
  let timer = 0;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(work, milliseconds);
  };
}

/** A number with what it counts. */
export function many(number: number, one: string, more: string): string {
  return `${number} ${number === 1 ? one : more}`;
}
