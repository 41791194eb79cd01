// Parses JSON with comments into nodes that know their place.
import { createScanner, type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";

export type { Node };

interface SyntaxProblem {
  readonly offset: number;
  /** What is wrong with the syntax: `close brace expected`. */
  readonly words: string;
}

interface Parsed {
  /** Nothing for a text that holds no value at all. */
  readonly tree: Node | undefined;
  readonly error: SyntaxProblem | undefined;
}

/** Kinds of token; the parser's own names are types alone. */
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET, END] = [1, 2, 3, 4, 17];

/** Every reader of the tree descends into it: a file from anywhere must not be able to use up the stack. */
const DEEPEST_NESTING = 100;

function tooDeep(text: string): SyntaxProblem | undefined {
  const scanner = createScanner(text, true);
  let depth = 0;
  for (let kind: number = scanner.scan(); kind !== END; kind = scanner.scan()) {
    if (kind === OPEN_BRACE || kind === OPEN_BRACKET) depth += 1;
    if (kind === CLOSE_BRACE || kind === CLOSE_BRACKET) depth -= 1;
    if (depth > DEEPEST_NESTING)
      return { offset: scanner.getTokenOffset(), words: `nested more than ${DEEPEST_NESTING} levels deep` };
  }
  return undefined;
}

export function parseDocument(text: string): Parsed {
  const deep = tooDeep(text);
  if (deep) return { tree: undefined, error: deep };
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  const [error] = errors;
  return { tree, error: error && { offset: error.offset, words: parseErrorText(error) } };
}

/** Line of an offset, from 1. */
export function lineAt(text: string, offset: number) {
  return text.slice(0, offset).split("\n").length;
}

/** `CloseBraceExpected` → `close brace expected`. */
function parseErrorText({ error }: ParseError) {
  return printParseErrorCode(error)
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase();
}
