// Where the words of a question stand in a text, and what a word stands for that is still being typed.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { makeMarker } from "./marks.ts";
import { queryTerms, termsOf } from "./terms.ts";
import { standsFor, stemsBefore, typedTerms } from "./unfinished.ts";

const namesOf = (terms: readonly { readonly term: string }[]) => terms.map(({ term }) => term);

/** The text with brackets around what is marked. */
function marked(text: string, question: string, terms = queryTerms(question)): string {
  const marks = makeMarker(namesOf(terms))(text);
  return marks.reduceRight(
    (shown, [from, to]) => `${shown.slice(0, from)}[${shown.slice(from, to)}]${shown.slice(to)}`,
    text,
  );
}

describe("marks", () => {
  it.each([
    ["The parsers were running.", "parser run", "The [parsers] were [running]."],
    ["parseHttpResponse(x)", "http", "parse[Http]Response(x)"],
    ["parseHttpResponse(x)", "parseHttpResponse", "[parseHttpResponse](x)"],
    ["my_http_client.ts", "client", "my_http_[client].ts"],
    ["如何修复数据库连接错误", "数据库", "如何修复[数据库]连接错误"],
    ["ＡＰＩ keys", "api", "[ＡＰＩ] keys"],
    ["Caroline’s keys", "caroline", "[Caroline’s] keys"],
    ["nothing of it", "parser", "nothing of it"],
    ["went into the Folder", "go directory", "[went] into the [Folder]"],
    ["it's the user's", "user", "it's the [user's]"],
    ["库", "库", "[库]"],
  ])("in %s for %s", (text, question, expected) => expect(marked(text, question)).toBe(expected));

  it("are in order, apart, inside the text, and there whenever the text has a term of the question", () => {
    const word = fc.constantFrom(
      "parser",
      "数据库连接",
      "fooBar",
      "ＡＢＣ",
      "folder",
      "Went",
      "it's",
      "née’s",
      "x_1",
      "😀",
      " ",
      "\n",
    );
    const texts = fc.array(word, { maxLength: 12 }).map((words) => words.join(" "));
    fc.assert(
      fc.property(texts, texts, (text, question) => {
        const wanted = namesOf(queryTerms(question));
        const marks = makeMarker(wanted)(text);
        const { sequence, extra } = termsOf(text);
        expect(marks.length > 0).toBe([...sequence, ...extra].some((term) => wanted.includes(term)));
        let end = -1;
        for (const [from, to] of marks) {
          expect(from).toBeGreaterThan(end);
          expect(to).toBeGreaterThan(from);
          end = to;
        }
        expect(end).toBeLessThanOrEqual(text.length);
      }),
    );
  });
});

describe("a word that is still being typed", () => {
  const terms = (text: string): string[] => typedTerms(text).map(({ term }) => term);

  it("is open at its end; words before it are not, and neither is what ends with a space", () => {
    expect(terms("retry que")).toEqual(["retri", "que*"]);
    expect(terms("retry queue ")).toEqual(["retri", "queue"]);
    expect(terms("parseHt")).toEqual(["pars", "ht*"]);
    expect(terms("连")).toEqual(["连*"]);
    expect(terms("数据库")).toEqual(queryTerms("数据库").map(({ term }) => term));
  });

  it("is left out where it says nothing beside others, and kept where it is all there is", () => {
    expect(terms("retry the")).toEqual(["retri"]);
    expect(terms("the")).toEqual(["the*"]);
    expect(terms("how to par")).toEqual(["par*"]);
  });

  it("stands for what begins so and for the word that it is already", () => {
    const isMeant = standsFor("parse*");
    expect(["pars", "parser", "parsec"].map(isMeant)).toEqual([true, true, true]);
    expect(["par", "sparse"].map(isMeant)).toEqual([false, false]);
    expect(marked("Parsers parse", "", typedTerms("pars"))).toBe("[Parsers] [parse]");
  });

  it("may be longer than its stem", () => {
    expect(stemsBefore("configurat")).toContain("configur");
    expect(stemsBefore("abc")).toEqual([]);
  });
});
