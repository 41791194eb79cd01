// Parses JSON with comments into nodes that know their place.
import { type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";

export type { Node };

interface Parsed {
  /** Nothing for a text that holds no value at all. */
  readonly tree: Node | undefined;
  readonly error: ParseError | undefined;
}

export function parseDocument(text: string): Parsed {
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  return { tree, error: errors[0] };
}

/** Line of an offset, from 1. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

/** What is wrong with the syntax: `CloseBraceExpected` → `close brace expected`. */
export function errorWords({ error }: ParseError): string {
  return printParseErrorCode(error)
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase();
}
