// Recalls of results that were cut on arrival are counted by tool, once each, and kept with the session.
import { expect, it } from "vitest";
import { Client, call, disk, result, shownOf, user } from "../../test/fixtures/pipeline/client.ts";
import { observeRecall } from "./observeRecall.ts";
import { thriftySettings } from "./settings.ts";

const folder = disk();
const settings = { ...thriftySettings, budget: { ...thriftySettings.budget, stays: 0 } };
const huge = "line of output\n".repeat(4_000);

it("counts cuts with the request and looks with the recall, by handle or by call, and remembers them", () => {
  const session = folder.open("looks", settings);
  const client = new Client(session);
  client.send(user("go"), call("t1", "Bash"), result("t1", huge));
  client.send(call("t2", "Grep"), result("t2", `src/a.ts:1: x\n${huge}`));
  const { messages } = client.send(call("t3", "Bash"), result("t3", "short"));
  const handle = /recall (tl:[0-9a-f]{12})/.exec(shownOf(messages, "t1"))?.[1] ?? "";
  expect(observeRecall(session, handle)).toBe("Bash");
  expect(observeRecall(session, "t1")).toBeUndefined();
  expect(observeRecall(session, "t2")).toBe("Grep");
  expect(observeRecall(session, "t3")).toBeUndefined();
  expect(observeRecall(session, "tl:000000000000")).toBeUndefined();
  expect(folder.open("looks", settings).state.load().looks).toEqual({
    Bash: { cut: 1, looked: 1 },
    Grep: { cut: 1, looked: 1 },
  });
});

it("counts what the model looks at by itself: the handle, the kept file, and the same file read again soon", () => {
  const session = folder.open("seen", settings);
  const client = new Client(session);
  const read = (id: string): ReturnType<typeof call> => call(id, "Read", { file_path: "/app/a.ts" });
  const { messages } = client.send(user("go"), call("t1", "Bash"), result("t1", huge));
  const handle = /recall (tl:[0-9a-f]{12})/.exec(shownOf(messages, "t1"))?.[1] ?? "";
  client.send(call("t2", "mcp__throughline__recall", { handle }), result("t2", "all of it"));
  client.send(call("t3", "Grep"), result("t3", `src/a.ts:1: x\n${huge}`));
  client.send(call("t4", "Bash", { command: `cat ${session.results.fileOf("t3")}` }), result("t4", "all"));
  client.send(read("t5"), result("t5", `a file\n${huge}`));
  client.send(read("t6"), result("t6", "a part of it"));
  client.send(call("t7", "Bash"), result("t7", `another\n${huge}`));
  client.send(call("t8", "Bash", { command: "make" }), result("t8", "done"));
  expect(session.runtime.state.looks).toEqual({
    Bash: { cut: 2, looked: 1 },
    Grep: { cut: 1, looked: 1 },
    Read: { cut: 1, looked: 1 },
  });
});
