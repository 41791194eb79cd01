// The difference of two texts, line by line, as people are used to reading it.

interface Line {
  readonly sign: " " | "+" | "-";
  readonly text: string;
}

const DIFF_CONTEXT = 3;
const MOST_CELLS = 4_000_000;

/** Lines that both have, in order: the longest such row, unless the texts are too large to look for it. */
function common(a: readonly string[], b: readonly string[]) {
  if (a.length * b.length > MOST_CELLS) return [];
  const width = b.length + 1;
  const longest = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      longest[i * width + j] =
        a[i] === b[j]
          ? (longest[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(longest[(i + 1) * width + j] ?? 0, longest[i * width + j + 1] ?? 0);
    }
  }
  const pairs: [number, number][] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (a[i] === b[j]) pairs.push([i++, j++]);
    else if ((longest[(i + 1) * width + j] ?? 0) >= (longest[i * width + j + 1] ?? 0)) i++;
    else j++;
  }
  return pairs;
}

function lines(before: string, after: string) {
  const [a, b] = [before, after].map((text) =>
    text === "" ? [] : text.replace(/\r?\n$/, "").split(/\r?\n/),
  ) as [string[], string[]];
  const result: Line[] = [];
  let [i, j] = [0, 0];
  for (const [nextA, nextB] of [...common(a, b), [a.length, b.length]] as const) {
    for (; i < nextA; i++) result.push({ sign: "-", text: a[i] ?? "" });
    for (; j < nextB; j++) result.push({ sign: "+", text: b[j] ?? "" });
    if (i < a.length) result.push({ sign: " ", text: a[i] ?? "" });
    i++;
    j++;
  }
  return result;
}

/** Changed lines with some of their neighbours; `…` where lines are left out. Empty for equal texts. */
export function lineDiff(before: string, after: string) {
  const all = lines(before, after);
  const near = (index: number) =>
    all.slice(Math.max(0, index - DIFF_CONTEXT), index + DIFF_CONTEXT + 1).some(({ sign }) => sign !== " ");
  const shown: string[] = [];
  let skipping = false;
  for (const [index, { sign, text }] of all.entries()) {
    if (near(index)) shown.push(`${sign} ${text}`.trimEnd());
    else if (!skipping) shown.push("  …");
    skipping = !near(index);
  }
  return shown.every((line) => line.startsWith(" ")) ? [] : shown;
}
