// Changes one value in a JSONC text and leaves every other byte, comments and layout included, as it was.
import { applyEdits, createScanner, type Edit, findNodeAtLocation, modify, type Node } from "jsonc-parser";
import { parseDocument } from "./document.ts";

interface Layout {
  readonly eol: string;
  /** One step of indentation. */
  readonly step: string;
}

function layoutOf(text: string): Layout {
  return { eol: text.includes("\r\n") ? "\r\n" : "\n", step: /^\t/m.test(text) ? "\t" : "  " };
}

const endOf = (node: Node): number => node.offset + node.length;

/** The white space before a property when nothing else stands before it on its line. */
function indentOf(text: string, offset: number): string | undefined {
  const before = text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset);
  return /^[ \t]*$/.test(before) ? before : undefined;
}

interface Tail {
  /** Where the comma after the property is, if it has one. */
  readonly comma: number | undefined;
  /** End of what belongs to the property: its comma and the comment on its line. */
  readonly end: number;
  /** Where the line breaks, if nothing else of the object stands before that. */
  readonly lineBreak: number | undefined;
}

/** Looks at what follows a property up to the end of its line, its next neighbour or the closing brace. */
function tailOf(text: string, from: number): Tail {
  const scanner = createScanner(text, false);
  scanner.setPosition(from);
  let comma: number | undefined;
  let end = from;
  let lineBreak: number | undefined;
  for (scanner.scan(); scanner.getTokenLength() > 0; scanner.scan()) {
    const at = scanner.getTokenOffset();
    const token = text.slice(at, at + scanner.getTokenLength());
    if (token === ",") {
      comma = at;
      end = at + 1;
      lineBreak = undefined;
    } else if (token.startsWith("/")) {
      if (lineBreak === undefined) end = at + token.length;
    } else if (/[\r\n]/.test(token)) lineBreak ??= at;
    else if (token.trim() !== "") break;
    if (comma !== undefined && lineBreak !== undefined) break;
  }
  return { comma, end, lineBreak };
}

function written(value: unknown, indent: string, { eol, step }: Layout): string {
  return JSON.stringify(value, null, step).replaceAll("\n", `${eol}${indent}`);
}

/** A property after the last one of an object that has some. */
function appendEdits(text: string, last: Node, name: string, value: unknown, layout: Layout): Edit[] {
  const tail = tailOf(text, endOf(last));
  const indent = indentOf(text, last.offset) ?? (tail.lineBreak === undefined ? "" : layout.step);
  const lead = tail.lineBreak === undefined ? " " : `${layout.eol}${indent}`;
  const property = `${lead}${JSON.stringify(name)}: ${written(value, indent, layout)}`;
  const comma = tail.comma === undefined ? [{ offset: endOf(last), length: 0, content: "," }] : [];
  const trailing = tail.comma === undefined ? "" : ",";
  return [...comma, { offset: tail.end, length: 0, content: property + trailing }];
}

/** The text with `value` at `path`. The text must be valid JSONC with an object at its root, or empty. */
export function setInText(text: string, path: readonly string[], value: unknown): string {
  const layout = layoutOf(text);
  const { tree } = parseDocument(text);
  const viaLibrary = (): string => {
    const options = { insertSpaces: layout.step !== "\t", tabSize: 2, eol: layout.eol };
    return applyEdits(text, modify(text, [...path], value, { formattingOptions: options }));
  };
  if (tree === undefined || findNodeAtLocation(tree, [...path]) !== undefined) return viaLibrary();
  let depth = path.length - 1;
  while (depth > 0 && findNodeAtLocation(tree, path.slice(0, depth)) === undefined) depth--;
  const last = findNodeAtLocation(tree, path.slice(0, depth))?.children?.at(-1);
  if (last === undefined) return viaLibrary();
  const nested = path.slice(depth + 1).reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
  return applyEdits(text, appendEdits(text, last, path[depth] ?? "", nested, layout));
}

/** The text without the property at `path`; comments above it stay, the one on its line goes with it. */
export function removeFromText(text: string, path: readonly string[]): string {
  const { tree } = parseDocument(text);
  const property = tree && findNodeAtLocation(tree, [...path])?.parent;
  if (property === undefined) return text;
  const siblings = property.parent?.children ?? [];
  const previous = siblings[siblings.indexOf(property) - 1];
  const tail = tailOf(text, endOf(property));
  const indent = indentOf(text, property.offset);
  const ownLine = indent !== undefined && tail.lineBreak !== undefined;
  const start = ownLine ? property.offset - indent.length : property.offset;
  const end = ownLine ? text.indexOf("\n", tail.lineBreak) + 1 : tail.end;
  const edits: Edit[] = [{ offset: start, length: end - start, content: "" }];
  const previousComma = previous === undefined ? undefined : tailOf(text, endOf(previous)).comma;
  // The new last property keeps a trailing comma only if the old one had it.
  if (tail.comma === undefined && previousComma !== undefined) {
    edits.unshift({ offset: previousComma, length: 1, content: "" });
  }
  return applyEdits(text, edits);
}
