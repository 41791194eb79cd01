// The account of an edited session: what it cost, what it would have cost, and whose the cache misses were.
import { describe, expect, it } from "vitest";
import type { Usage } from "../messages/index.ts";
import { cost, lookupModel } from "../tokens/index.ts";
import { emptyWindow } from "./plainClient.ts";
import {
  accountAfter,
  accountGuard,
  addAccounts,
  emptyAccount,
  readAccount,
  type SentRequest,
  type SessionAccount,
} from "./sessionAccount.ts";

const model = lookupModel("claude-opus-5-5");
const usage = (cacheRead: number, cacheWrite5m: number, output = 0): Usage => ({
  ...{ input: 0, cacheRead, cacheWrite5m, cacheWrite1h: 0, output },
});
const sent: SentRequest = {
  plain: { window: emptyWindow, dollars: 0.1 },
  ...{ isRecall: false, isCold: false, changesSent: false },
};
const accountFor = (
  responses: readonly (readonly [Usage, Partial<SentRequest>?, unknown?])[],
  from: SessionAccount = emptyAccount,
): SessionAccount =>
  responses.reduce<SessionAccount>(
    (account, [billed, request = {}, reason]) =>
      accountAfter(account, billed, { ...sent, ...request }, model, reason),
    from,
  );

describe("an account", () => {
  it("counts output on both sides, and neither the request nor the call of a recall on the other", () => {
    const [call, real] = [usage(0, 10_000, 90), usage(10_000, 4_000, 500)];
    const account = accountFor([
      [call],
      [real, { isRecall: true, plain: { window: emptyWindow, dollars: 0 } }],
    ]);
    expect(account.measured).toBeCloseTo(cost(call, model) + cost(real, model), 9);
    expect(account.without).toBeCloseTo(0.1 + cost(usage(0, 0, 500), model), 9);
  });

  it("calls a miss its own where its edits changed what had been sent, and counts the API's reasons", () => {
    const account = accountFor([
      [usage(0, 40_000)],
      [usage(40_000, 500)],
      [usage(12_000, 20_000), { changesSent: true }, { type: "messages_changed" }],
      [usage(12_000, 20_500), {}, "tools_changed"],
      [usage(0, 33_000), { isCold: true }],
    ]);
    expect(account).toMatchObject({ requests: 5, misses: 2, ownMisses: 1, ownMissedTokens: 28_500 });
    expect(account.reasons).toEqual({ messages_changed: 1, tools_changed: 1 });
  });

  it("stops new edits after 20 requests above the other side, and no session that differs by an estimate's error", () => {
    const dear = accountFor(Array.from({ length: 20 }, () => [usage(0, 40_000)] as const));
    expect(accountGuard(dear)).toMatch(/^no new edits: for 20 requests/);
    const close = { plain: { window: emptyWindow, dollars: cost(usage(0, 40_000), model) * 0.995 } };
    expect(
      accountGuard(accountFor(Array.from({ length: 40 }, () => [usage(0, 40_000), close] as const))),
    ).toBeUndefined();
  });

  it("is read as it was kept, whatever the file holds, and adds up with those of subagents", () => {
    const account = accountFor([[usage(0, 40_000)], [usage(1_000, 39_000), { changesSent: true }, "x"]]);
    expect(readAccount(JSON.parse(JSON.stringify(account)))).toEqual(account);
    expect(readAccount([1])).toEqual(emptyAccount);
    expect(readAccount({ measured: "much", reasons: [], plain: 3 })).toEqual(emptyAccount);
    expect(addAccounts([account, account])).toMatchObject({ requests: 4, ownMisses: 2, reasons: { x: 2 } });
  });
});
