// Changes one value in a JSONC text and leaves every other byte as it was; the change can be undone.

import { createScanner, findNodeAtLocation, type Node } from "jsonc-parser";
import { parseDocument } from "./document.ts";

export interface Splice {
  /** In the text as the splices before this one leave it. */
  readonly offset: number;
  readonly removed: string;
  readonly inserted: string;
}

/** Applies splices one after the other; each sees the result of those before it. */
export function applySplices(text: string, splices: readonly Splice[]) {
  return splices.reduce(
    (current, { offset, removed, inserted }) =>
      current.slice(0, offset) + inserted + current.slice(offset + removed.length),
    text,
  );
}

/** The splices that undo these. */
export function reversed(splices: readonly Splice[]): Splice[] {
  return splices
    .map(({ offset, removed, inserted }) => ({ offset, removed: inserted, inserted: removed }))
    .reverse();
}

export type JsonPath = readonly (string | number)[];

interface JsonLayout {
  readonly eol: string;
  /** One step of indentation. */
  readonly step: string;
  /** Whether the whole value is on one line. */
  readonly oneLine: boolean;
}

function layoutOf(text: string, tree: Node | undefined): JsonLayout {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const first = tree?.children?.[0];
  const indent = first && indentOf(text, first.offset);
  const body = tree ? text.slice(tree.offset, nodeEnd(tree)) : "";
  return {
    eol,
    step: indent || (/^\t/m.test(text) ? "\t" : "  "),
    oneLine: first !== undefined && !body.includes("\n"),
  };
}

const insert = (offset: number, inserted: string) => [{ offset, removed: "", inserted }];

const nodeEnd = (node: Node) => node.offset + node.length;

/** The white space before a member, if nothing else is before it on its line. */
function indentOf(text: string, offset: number) {
  const before = text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset);
  return /^[ \t]*$/.test(before) ? before : undefined;
}

/** The leading white space of a line. */
function lineIndent(text: string, offset: number) {
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf("\n", offset - 1) + 1))?.[0] ?? "";
}

interface Tail {
  /** The comma after the member. */
  readonly comma: number | undefined;
  /** The end of the member with its comma and the comment on its line. */
  readonly end: number;
  /** The line break, if nothing else of the container is before it. */
  readonly lineBreak: number | undefined;
}

/** What follows a member, up to the end of its line, the next member or the closing bracket. */
function scannedTail(text: string, from: number): Tail {
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

/** A value in the layout of the text around it; `indent` undefined is on one line. */
function written(value: unknown, indent: string | undefined, { eol, step }: JsonLayout) {
  if (indent === undefined) return JSON.stringify(value);
  return JSON.stringify(value, null, step).replaceAll("\n", `${eol}${indent}`);
}

/** How a member reads at a given indentation: a property with its name, an element without. */
type Render = (indent: string | undefined) => string;

function renderMember(name: string | number, value: unknown, layout: JsonLayout): Render {
  const label = typeof name === "string" ? `${JSON.stringify(name)}: ` : "";
  return (indent) => label + written(value, indent, layout);
}

function insertInto(text: string, container: Node, render: Render, layout: JsonLayout) {
  const offset = container.offset + 1;
  if (layout.oneLine) return insert(offset, render(undefined));
  const base = lineIndent(text, container.offset);
  const indent = base + layout.step;
  const inner = text.slice(offset, nodeEnd(container) - 1);
  const close = inner.includes("\n") ? "" : layout.eol + base;
  return insert(offset, `${layout.eol}${indent}${render(indent)}${close}`);
}

/** A member after the last one of a container. */
function appendTo(text: string, container: Node, render: Render, layout: JsonLayout) {
  const last = container.children?.at(-1);
  if (!last) return insertInto(text, container, render, layout);
  const tail = scannedTail(text, nodeEnd(last));
  const sameLine = tail.lineBreak === undefined;
  const indent = sameLine ? undefined : (indentOf(text, last.offset) ?? layout.step);
  const lead = sameLine ? " " : `${layout.eol}${indent}`;
  const member = lead + render(indent);
  if (tail.comma !== undefined) return insert(tail.end, `${member},`);
  // One splice where possible: uninstalling finds its text.
  if (tail.end === nodeEnd(last)) return insert(tail.end, `,${member}`);
  return [...insert(tail.end, member), ...insert(nodeEnd(last), ",")];
}

/**
 * Sets the value at `path`, making the objects that are missing above it. A number as the last step that is the length
 * of the array there appends to it. The text must be valid JSONC or empty.
 */
export function setSplices(text: string, path: JsonPath, value: unknown): Splice[] {
  const { tree } = parseDocument(text);
  const layout = layoutOf(text, tree);
  const nest = (names: JsonPath) =>
    names.reduceRight<unknown>(
      (inner, name) => (typeof name === "number" ? [inner] : { [name]: inner }),
      value,
    );
  if (!tree) return insert(text.length, written(nest(path), "", layout));
  const known = findNodeAtLocation(tree, [...path]);
  if (known) {
    const indent = layout.oneLine ? undefined : lineIndent(text, known.offset);
    const removed = text.slice(known.offset, nodeEnd(known));
    return [{ offset: known.offset, removed, inserted: written(value, indent, layout) }];
  }
  let depth = path.length - 1;
  while (depth > 0 && !findNodeAtLocation(tree, path.slice(0, depth))) depth--;
  const container = findNodeAtLocation(tree, path.slice(0, depth)) ?? tree;
  return appendTo(
    text,
    container,
    renderMember(path[depth] ?? "", nest(path.slice(depth + 1)), layout),
    layout,
  );
}

/** Removes the member at `path` with the comment on its line; comments above it stay. */
export function removeSplices(text: string, path: JsonPath): Splice[] {
  const { tree } = parseDocument(text);
  const value = tree && findNodeAtLocation(tree, [...path]);
  // A property is removed with its name.
  const node = value?.parent?.type === "property" ? value.parent : value;
  const container = node?.parent;
  if (!node || !container) return [];
  const { children: siblings = [] } = container;
  const previous = siblings[siblings.indexOf(node) - 1];
  const tail = scannedTail(text, nodeEnd(node));
  const indent = indentOf(text, node.offset);
  const ownLine = indent !== undefined && tail.lineBreak !== undefined;
  let start = ownLine ? node.offset - indent.length : node.offset;
  let end = ownLine ? text.indexOf("\n", tail.lineBreak) + 1 : tail.end;
  const previousComma = previous && scannedTail(text, nodeEnd(previous)).comma;
  // The new last member keeps a trailing comma only if the old one had it.
  const dropped = tail.comma === undefined ? previousComma : undefined;
  if (siblings.length === 1) {
    // An emptied container is collapsed, unless it has a comment.
    const rest = text.slice(container.offset + 1, start) + text.slice(end, nodeEnd(container) - 1);
    if (rest.trim() === "") [start, end] = [container.offset + 1, nodeEnd(container) - 1];
  } else if (!ownLine && dropped !== undefined && text.slice(dropped + 1, start).trim() === "") {
    start = dropped + 1;
  }
  const splices = [{ offset: start, removed: text.slice(start, end), inserted: "" }];
  if (dropped !== undefined) splices.push({ offset: dropped, removed: ",", inserted: "" });
  return splices;
}

/** The text with `value` at `path`. The text must be valid JSONC with an object at its root, or empty. */
export function setInText(text: string, path: JsonPath, value: unknown) {
  return applySplices(text, setSplices(text, path, value));
}

export function removeFromText(text: string, path: JsonPath) {
  return applySplices(text, removeSplices(text, path));
}
