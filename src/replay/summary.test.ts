// The summary that stands where none was recorded.
import { expect, it } from "vitest";
import { Recording } from "../../test/fixtures/replay/session.ts";
import { inventedSummary, summaryItem } from "./summary.ts";

it("has the user's words, then the names of calls, the newest first, to the usual length", () => {
  const { history } = new Recording()
    .user("mind the gap")
    .tool("Read", { file_path: "earlierCalledName" }, "resultsAreNotInIt")
    .tool("Read", { file_path: "laterCalledName" }, "x")
    .session();
  const text = inventedSummary(history);
  expect(text).toHaveLength(11_664);
  expect(text.replace(/\.+$/, "")).toBe("mind the gap\nlaterCalledName\nearlierCalledName");
});

it("goes on from the summary before it", () => {
  const { history } = new Recording().tool("Read", { file_path: "newlyCalledName" }, "x").session();
  const text = inventedSummary([summaryItem("s", "it was about aRememberedName all along"), ...history]);
  expect(text.replace(/\.+$/, "")).toBe("\nnewlyCalledName\naRememberedName");
});

it("has as many names as summaries usually have, and no more of the words than half of it", () => {
  const recording = new Recording().user("u".repeat(9_000));
  for (let at = 1; at <= 40; at++) recording.tool("Read", { file_path: `aRatherLongName${at}` }, "x");
  const text = inventedSummary(recording.session().history);
  expect(text).toHaveLength(11_664);
  expect(text.match(/u+/)?.[0]).toHaveLength(5_832);
  expect(text.match(/aRatherLongName\d+/g)).toHaveLength(30);
  expect(text).toContain("aRatherLongName40\naRatherLongName39\n");
});
