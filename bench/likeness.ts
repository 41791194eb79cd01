// Whether a said item tells what a label wants: by its words, or by the row that both name.

export interface Wanted {
  readonly text: string;
  readonly quotes?: readonly { readonly q: string; readonly uuid: string }[];
}

interface Said {
  readonly text: string;
  readonly evidence?: readonly string[];
}

/** Words without their endings, parts of identifiers, and pairs of Chinese signs. */
function termsOf(text: string): Set<string> {
  const words =
    text
      .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
      .toLowerCase()
      .match(/[a-z0-9]{2,}|[\u4e00-\u9fff]+/g) ?? [];
  return new Set(
    words.flatMap((word) =>
      /[\u4e00-\u9fff]/.test(word)
        ? Array.from({ length: word.length - 1 }, (_, at) => word.slice(at, at + 2))
        : [word.length > 5 ? word.replace(/(?:ations?|ings?|ers?|ed|es|ly|s)$/, "") : word],
    ),
  );
}

const shared = (a: ReadonlySet<string>, b: ReadonlySet<string>) =>
  [...a].filter((term) => b.has(term)).length;

/** Half of what the target says, in a text of which that is at least a quarter. */
function tells(text: string, target: string): boolean {
  const [own, wanted] = [termsOf(text), termsOf(target)];
  const count = shared(own, wanted);
  return wanted.size >= 3 && count / wanted.size >= 0.5 && count / own.size >= 0.25;
}

function matches({ text, evidence = [] }: Said, { text: wanted, quotes = [] }: Wanted): boolean {
  if (quotes.some(({ uuid }) => evidence.includes(uuid)))
    return shared(termsOf(text), termsOf([wanted, ...quotes.map(({ q }) => q)].join(" "))) >= 3;
  const own = termsOf(wanted);
  if (shared(termsOf(text), own) / own.size < 1 / 3) return false;
  return [wanted, ...quotes.map(({ q }) => q)].some((target) => tells(text, target));
}

/** How many wanted items have a said one of their own. */
export function pairedBy(said: readonly Said[], wanted: readonly Wanted[]) {
  const left = new Set(said);
  const found = wanted.filter((want) => {
    const one = [...left].find((item) => matches(item, want));
    if (one) left.delete(one);
    return one !== undefined;
  });
  return { said: said.length, wanted: wanted.length, found: found.length };
}
