// Whatever is cut on the way into a window is cut between characters: an API refuses a text with half of one.
import { describe, expect, it } from "vitest";
import { identify } from "../../test/fixtures/history.ts";
import type { History, Message } from "../messages/index.ts";
import { attachmentsFor, checkQuality, summariseDeterministically, summariseSpan } from "./index.ts";
import { redactedTranscript } from "./transcriptText.ts";

const halved = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

/** Pictures everywhere, at odd places or at even ones. */
function pictures(offset: string): History {
  const many = (count: number): string => offset + "😀".repeat(count);
  const messages: Message[] = [{ role: "user", content: `Never use tabs ${many(2_000)}` }];
  for (let call = 0; call < 6; call++) {
    const id = `call_${call}`;
    const input =
      call % 2 === 0
        ? { file_path: `/${many(20)}${call}.ts`, content: many(3_000) }
        : { command: `run ${many(300)}` };
    messages.push(
      {
        role: "assistant",
        content: [
          { type: "text", text: `I decided to use ${many(400)}` },
          { type: "tool_use", id, name: call % 2 === 0 ? "Write" : "Bash", input },
        ],
      },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: id,
            is_error: call % 4 === 1,
            content: `Error: ${many(400)}\n${"😀".repeat(3_000)}`,
          },
        ],
      },
    );
  }
  return identify([
    ...messages,
    { role: "assistant", content: `So far: ${many(1_500)}` },
    { role: "user", content: `now this: ${many(1_500)}` },
  ]);
}

describe.each(["", "a"])("a conversation full of pictures, behind '%s'", (offset) => {
  const history = pictures(offset);
  const family = "new";

  it.each([300, 401, 1_000, 2_003, 8_000])("is summed up in %i tokens without halving one", (budget) => {
    expect(summariseDeterministically({ history, budget, family }).text).not.toMatch(halved);
    expect(summariseSpan({ history, budget, family }).text).not.toMatch(halved);
    const attached = attachmentsFor({ history, kept: [], family, total: budget, plan: `plan ${offset}😀` });
    for (const { message } of attached)
      for (const block of Array.isArray(message.content) ? message.content : [])
        expect(block.text).not.toMatch(halved);
    const gate = { history, kept: [], family, summary: "nothing", patchTokens: budget } as const;
    expect(checkQuality(gate).summary).not.toMatch(halved);
  });

  it("is given to another model without halving one", async () => {
    expect(await redactedTranscript(history, (text) => text)).not.toMatch(halved);
  });
});
