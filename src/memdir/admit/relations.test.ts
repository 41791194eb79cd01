// Holds what is called the same, nearly the same or a contradiction to pairs that people would call so, in two languages.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { comparedBody, relationsOf } from "./relations.ts";
import { saveMemory } from "./save.ts";

const kinds = (one: string, two: string): string[] =>
  relationsOf(comparedBody(one), comparedBody(two)).map(({ kind }) => kind);

describe("two memories contradict each other", () => {
  it.each([
    ["Always squash commits before merging.", "Never squash commits before merging."],
    ["Use tabs for indentation in Go files.", "Do not use tabs for indentation in Go files."],
    ["The deploy window opens at 14:00 on weekdays.", "The deploy window opens at 16:00 on weekdays."],
    [
      "The rate limit of the bank is 100 requests a minute.",
      "The rate limit of the bank is 60 requests a minute.",
    ],
    [
      "Staging uses the database `orders_v1` for reports.",
      "Staging uses the database `orders_v2` for reports.",
    ],
    ["The release freeze ends on 2026-03-12.", "The release freeze ends on 2026-03-19."],
    ["Run the migrations by hand before each deploy.", "Don't run the migrations by hand before a deploy."],
    ["The user prefers pnpm in this project.", "The user no longer prefers pnpm in this project."],
    ["合并前必须压缩提交记录到一个。", "合并前不要压缩提交记录到一个。"],
    ["部署窗口每天 14 点开放给支付团队。", "部署窗口每天 16 点开放给支付团队。"],
    ["测试必须连接真实数据库。", "测试不要连接真实数据库。"],
  ])("%s / %s", (one, two) => {
    expect(kinds(one, two)).toEqual(["contradiction"]);
    expect(kinds(two, one)).toEqual(["contradiction"]);
  });
});

describe("two memories are two things", () => {
  it.each([
    [
      "Always run migrations on the staging database before release.",
      "Never run migrations on the production database before release.",
    ],
    ["Never deploy on Fridays.", "Always deploy on Tuesdays."],
    ["Use pnpm instead of npm for installs.", "Use pnpm for installs in CI."],
    ["Do not mock the database in integration tests.", "Use a real database in integration tests."],
    ["Timeouts of the gateway are 30 s.", "Timeouts of the worker are 60 s."],
    ["The v1 API returns 404 for unknown users.", "The v2 API returns 410 for unknown users."],
    ["Secrets never go into the repository.", "Secrets go into the vault."],
    ["In 2025 the team had 4 people.", "In 2026 the team had 7 people."],
    [
      "Use a real database in integration tests because mocks hid a broken migration.",
      "Use a real queue in integration tests because mocks hid a lost message.",
    ],
    ["不要在周五部署支付服务。", "在周二部署支付服务。"],
    ["部署窗口由运维负责。", "部署日志由审计负责。"],
    ["支付团队每周二下午部署。", "搜索团队每周四上午部署。"],
  ])("%s / %s", (one, two) => {
    expect(kinds(one, two)).toEqual([]);
  });
});

describe("two memories say nearly the same", () => {
  it.each([
    [
      "The vendor throttles schema changes on weekdays after six.",
      "On weekdays after six, the vendor throttles schema changes.",
    ],
    [
      "Pipeline bugs are tracked in Linear project INGEST.",
      'Pipeline bugs get tracked in the Linear project "INGEST".',
    ],
    [
      "User prefers terse answers without summaries.",
      "The user prefers terse answers, without any summaries at the end.",
    ],
    ["供应商在工作日晚上六点之后限制数据库变更。", "供应商在工作日晚上六点以后会限制数据库变更。"],
    ["支付团队每周二下午两点部署，负责人是小李。", "支付团队每周二下午两点部署,负责人小李。"],
  ])("%s / %s", (one, two) => {
    expect(kinds(one, two)).toEqual(["near-duplicate"]);
  });

  it("or the same", () => {
    expect(kinds("供应商六点之后限制变更。", "供应商六点之后限制变更")).toEqual(["duplicate"]);
  });
});

describe("what is being saved", () => {
  it("is compared with what holds, and nothing is refused for it", async () => {
    const root = mkdtempSync(path.join(tmpdir(), "throughline-relations-"));
    const place = { folder: path.join(root, "memory"), books: path.join(root, "books"), isClaudes: false };
    const save = (name: string, body: string, supersedes: readonly string[] = []) =>
      saveMemory(place, {
        ...{ name, body, supersedes, description: `what the bank wants of ${name}`, author: "user" },
        type: "project",
      });
    try {
      expect(await save("Squash", "Always squash commits before merging.")).toMatchObject({ warnings: [] });
      expect(await save("Keep", "Never squash commits before merging.")).toMatchObject({
        outcome: "saved",
        warnings: ["it contradicts squash.md: one says the opposite of the other; supersede one of the two"],
      });
      const both = ["squash.md", "keep.md"];
      expect(await save("Now", "Never squash commits before merging!", both)).toMatchObject({ warnings: [] });
      expect(await save("Again", "Never squash commits before merging.")).toMatchObject({
        warnings: ["it says the same as now.md; supersede one of the two"],
      });
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  });
});
