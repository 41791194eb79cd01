// The contract of accounts: one a session, summed over all, due again when the session went on, and gone with it.
import { describe, expect, it } from "vitest";
import type { Account } from "../../src/store/accounts.ts";
import { prompt, START, type StoreFactory } from "./setting.ts";

const account: Account = {
  ...{ requests: 3, inputTokens: 10, cacheReadTokens: 900, cacheWriteTokens: 90, outputTokens: 50 },
  ...{ savedTokens: 4_000, savedDollars: 0.125, compactions: 1, results: 2 },
  ...{ models: ["claude-opus-5-5"], dollars: 1.5 },
};

export function accountsContract(factory: StoreFactory): void {
  describe("an account", () => {
    keeping(factory);
    due(factory);
  });
}

function keeping(factory: StoreFactory): void {
  it(
    "comes back as it was kept, in place of an earlier one, and is part of the sums",
    factory(async ({ store, reopen }) => {
      await store.recordEvents([prompt("a", 1, "x"), prompt("b", 2, "x", { session: "s2" })]);
      expect(await store.account("s1")).toBeUndefined();
      expect(await store.accountSums()).toMatchObject({ requests: 0, savedTokens: 0, savedDollars: 0 });
      await store.keepAccount("s1", { ...account, requests: 1 }, START);
      await store.keepAccount("s1", account, START);
      const { dollars: _, ...unpriced } = account;
      await store.keepAccount("s2", unpriced, START);
      await store.keepAccount("nobody", account, START);
      const again = await reopen();
      expect(await again.account("s1")).toEqual(account);
      expect(await again.account("s2")).toEqual(unpriced);
      expect(await again.account("nobody")).toBeUndefined();
      expect(await again.accountSums()).toEqual({
        ...{ requests: 6, inputTokens: 20, cacheReadTokens: 1_800, cacheWriteTokens: 180, outputTokens: 100 },
        ...{ savedTokens: 8_000, savedDollars: 0.25, compactions: 2, results: 4 },
      });
    }),
  );

  it(
    "goes with its session",
    factory(async ({ store }) => {
      await store.recordEvents([prompt("a", 1, "x"), prompt("b", 2, "x", { session: "s2" })]);
      await store.keepAccount("s1", account, START);
      await store.keepAccount("s2", account, START);
      await store.forget({ session: "s1" });
      expect(await store.account("s1")).toBeUndefined();
      expect(await store.accountSums()).toMatchObject({ requests: 3 });
      expect(await store.integrityCheck()).toMatchObject({ ok: true });
    }),
  );
}

function due(factory: StoreFactory): void {
  it(
    "is due where there is none, and again when the session went on after it, but not all the time",
    factory(async ({ store, clock }) => {
      const names = async (drawnBefore: number, limit = 10): Promise<string[]> =>
        (await store.dueAccounts({ limit, drawnBefore })).map(({ session }) => session);
      await store.recordEvents([prompt("a", 1, "x"), prompt("b", 2, "x", { session: "s2" })]);
      expect(await store.dueAccounts({ limit: 1, drawnBefore: 0 })).toEqual([
        { session: "s2", project: "app-00000001", lastActivityEpoch: START + 2_000 },
      ]);
      expect(await names(0)).toEqual(["s2", "s1"]);
      clock.time = START + 10_000;
      await store.keepAccount("s2", account, START + 2_000);
      expect(await names(START + 20_000)).toEqual(["s1"]);
      await store.recordEvents([prompt("c", 5, "x", { session: "s2" })]);
      expect(await names(START + 10_000)).toEqual(["s1"]);
      expect(await names(START + 10_001)).toEqual(["s2", "s1"]);
    }),
  );
}
