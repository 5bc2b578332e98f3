// Sentences of the literature with the systems that they explain.

export interface Example {
  name: string;
  /** System and oracle. */
  system: string;
  words: [form: string, head: number, label: string][];
}

const HEARING: Example["words"] = [
  ["A", 2, "DET"],
  ["hearing", 3, "SBJ"],
  ["is", 0, "ROOT"],
  ["scheduled", 3, "VG"],
  ["on", 2, "NMOD"],
  ["the", 7, "DET"],
  ["issue", 5, "PC"],
  ["today", 4, "ADV"],
  [".", 3, "P"],
];

const TERRIER: Example["words"] = [
  ["John", 2, "SBJ"],
  ["saw", 0, "ROOT"],
  ["a", 4, "DET"],
  ["dog", 2, "OBJ"],
  ["which", 6, "SBJ"],
  ["was", 4, "REL"],
  ["a", 9, "DET"],
  ["Yorkshire", 9, "NMOD"],
  ["terrier", 6, "PRD"],
  ["yesterday", 2, "TMP"],
];

const CROSSING_TERRIER: Example["words"] = [
  ["John", 2, "SBJ"],
  ["saw", 0, "ROOT"],
  ["a", 4, "DET"],
  ["dog", 2, "OBJ"],
  ["yesterday", 2, "TMP"],
  ["which", 7, "SBJ"],
  ["was", 4, "REL"],
  ["a", 10, "DET"],
  ["Yorkshire", 10, "NMOD"],
  ["terrier", 7, "PRD"],
];

export const EXAMPLES: Example[] = [
  { name: "Nivre 2009, Figure 3: swap", system: "swap eager", words: HEARING },
  {
    name: "Reisinger 2016, Figure 3.1: arc-eager",
    system: "arc-eager static",
    words: TERRIER,
  },
  {
    name: "Reisinger 2016, Figure 3.4: attach-complete",
    system: "attach-complete static",
    words: TERRIER,
  },
  {
    name: "Reisinger 2016, Figure 3.5: Covington",
    system: "covington static",
    words: CROSSING_TERRIER,
  },
  {
    name: "Reisinger 2016, Figure 3.6: Covington with reduce",
    system: "covington-reduce static",
    words: CROSSING_TERRIER,
  },
];

export function conllu(words: Example["words"]): string {
  const lines = words.map(
    ([form, head, label], at) => `${at + 1}\t${form}\t_\t_\t_\t_\t${head}\t${label}\t_\t_\n`,
  );
  const text = words.map(([form]) => form).join(" ");
  return `# text = ${text}\n${lines.join("")}\n`;
}
