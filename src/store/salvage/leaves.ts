// Which leaf pages belong to which table: by walking down from its root, and for pages that no tree leads to, by their rows.
import type { PageSource } from "./pages.ts";
import { childrenOf, INTERIOR_TABLE, LEAF_TABLE, rowsOn, typeOf } from "./records.ts";
import { couldBe, type SalvagedTable } from "./tables.ts";

type Leaves = ReadonlyMap<string, readonly number[]>;

/** Rows of a page that are looked at before it is said whose it is. */
const LOOKED_AT = 5;

type Children = ReadonlyMap<number, readonly number[]>;

interface Survey {
  /** What every interior page of a table leads to. */
  readonly children: Children;
  readonly leaves: ReadonlySet<number>;
}

function survey(source: PageSource): Survey {
  const children = new Map<number, readonly number[]>();
  const leaves = new Set<number>();
  for (let page = 1; page <= source.count; page++) {
    const bytes = source.read(page);
    const type = typeOf(bytes, page);
    if (type === LEAF_TABLE) leaves.add(page);
    if (type === INTERIOR_TABLE) children.set(page, childrenOf(bytes, page));
  }
  return { children, leaves };
}

function below(root: number, { children, leaves }: Survey, visit: (leaf: number) => void): void {
  const seen = new Set<number>();
  const open = [root];
  for (let page = open.pop(); page !== undefined; page = open.pop()) {
    if (seen.has(page)) continue;
    seen.add(page);
    if (leaves.has(page)) visit(page);
    open.push(...(children.get(page) ?? []));
  }
}

/** Roots of tables as the file's own schema names them. */
function statedRoots(source: PageSource, found: Survey): Map<string, number> {
  const roots = new Map<string, number>();
  below(1, found, (leaf) => {
    for (const { values } of rowsOn(source, leaf).rows) {
      const [type, name, , root] = values;
      if (type === "table" && typeof name === "string" && typeof root === "number") roots.set(name, root);
    }
  });
  return roots;
}

/** `known` are the roots that the store had when it was whole. */
export function findLeaves(
  source: PageSource,
  tables: readonly SalvagedTable[],
  known: Readonly<Record<string, number>>,
): Leaves {
  const found = survey(source);
  const isRoot = (page: number): boolean => found.leaves.has(page) || found.children.has(page);
  const roots = new Map([...Object.entries(known), ...statedRoots(source, found)]);
  for (const [name, root] of roots) {
    const before = known[name];
    if (!isRoot(root) && before !== undefined) roots.set(name, before);
  }
  const owners = new Map<number, string>();
  const disputed = new Set<number>();
  for (const [name, root] of new Map([["sqlite_schema", 1], ...roots]))
    below(root, found, (leaf) => {
      if (owners.has(leaf)) disputed.add(leaf);
      else owners.set(leaf, name);
    });
  const leaves = new Map<string, number[]>(tables.map(({ name }) => [name, []]));
  for (const leaf of found.leaves) {
    const owner = owners.get(leaf);
    const likely = owner === undefined || disputed.has(leaf) ? likelyOwner(source, leaf, tables) : undefined;
    leaves.get(likely ?? owner ?? "")?.push(leaf);
  }
  return leaves;
}

/** The table that most rows of an ownerless page fit. */
function likelyOwner(source: PageSource, leaf: number, tables: readonly SalvagedTable[]): string | undefined {
  const rows = rowsOn(source, leaf).rows.slice(0, LOOKED_AT);
  const votes = tables.map((table) => rows.filter((row) => couldBe(table, row)).length);
  const most = Math.max(...votes);
  if (most === 0 || most * 2 < rows.length) return undefined;
  // Events fit the shape of summaries as well, and are told by their payload.
  const candidates = tables.filter((_, index) => votes[index] === most);
  return (candidates.find(({ name }) => name === "events") ?? candidates[0])?.name;
}
