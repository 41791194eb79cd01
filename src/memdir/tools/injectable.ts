// Which memories a session may be told of without having asked: those that hold, that the index has, and that give no orders.
import { sha256 } from "../../lib/index.ts";
import { findInjected, findOrders } from "../../redact/index.ts";
import { isActive, isGuidance, memoryTypes, type StoredMemory } from "../folder/model.ts";
import type { Folder } from "../folder/store.ts";

const memoryTime = ({ created, modifiedAt }: StoredMemory): number => {
  const at = Date.parse(created ?? "");
  return Number.isNaN(at) ? modifiedAt : at;
};

const typeRank = ({ type }: StoredMemory): number => memoryTypes.indexOf(type ?? "reference");

const givesNoOrders = ({ type, text }: StoredMemory): boolean =>
  findInjected(text).length === 0 && (isGuidance(type) || findOrders(text).length === 0);

/** By type, in the order of the closed set, the newest of each first. `confirmed` are bodies that a person has let through. */
export function selectInjectable(
  { memories, index }: Pick<Folder, "memories" | "index">,
  { now, confirmed }: { readonly now: number; readonly confirmed: ReadonlySet<string> },
): StoredMemory[] {
  const listed = new Set(index.map(({ file }) => file));
  return memories
    .filter((memory) => listed.has(memory.file) && memory.problems.length === 0 && isActive(memory, now))
    .filter((memory) => confirmed.has(sha256(memory.body.trim())) || givesNoOrders(memory))
    .sort((a, b) => typeRank(a) - typeRank(b) || memoryTime(b) - memoryTime(a));
}
