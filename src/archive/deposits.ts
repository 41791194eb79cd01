// What an archive puts away in the vault: named at once, and brought to the disk together, before anybody names it.
import { type Deposit, nameOf, type Vault } from "../vault/index.ts";
import type { KeptBytes } from "./parts.ts";

interface Deposits {
  /** The handle under which it will be found. */
  keep(bytes: KeptBytes): string | undefined;
  /** Brings what was put away to the disk when it has become much, and in any case when it is the last time. */
  settle(isLast: boolean): Promise<void>;
}

/** Enough to wait for the disk but once, and few enough to be held in memory. */
const MANY = 100;
const MUCH = 4 * 1024 * 1024;

export function depositsIn(vault: Vault | undefined, session: string): Deposits {
  let waiting: Deposit[] = [];
  let size = 0;
  return {
    keep({ content, ...origin }) {
      if (vault === undefined) return undefined;
      waiting.push({ content, origin: { session, level: "archive", ...origin } });
      size += content.length;
      return nameOf(content).handle;
    },
    async settle(isLast) {
      if (waiting.length === 0 || (!isLast && size < MUCH && waiting.length < MANY)) return;
      const deposits = waiting;
      [waiting, size] = [[], 0];
      await vault?.putAll(deposits);
    },
  };
}
