// One request on a connection of its own, and its whole answer.
import type { Socket } from "node:net";
import { ByteReader, send } from "./byteReader.ts";
import type { Answer } from "./engine.ts";
import { BodyReader, readResponseHead, responseFraming, statusOf } from "./http1.ts";

const MOST_ANSWER_BYTES = 64 * 1024 * 1024;

/** Rejects where the connection ends before a whole answer. */
export async function askUpstream(upstream: Socket, request: Buffer): Promise<Answer> {
  try {
    const reader = new ByteReader(upstream);
    await send(upstream, request);
    for (;;) {
      const head = await readResponseHead(reader);
      if (!head) throw new Error("the connection ended before an answer");
      if (statusOf(head) < 200) continue;
      const body = new BodyReader(reader, responseFraming(head, "POST"));
      const content: Buffer[] = [];
      let size = 0;
      for (let piece = await body.next(); piece !== undefined; piece = await body.next()) {
        content.push(...piece.content);
        size += piece.wire.length;
        if (size > MOST_ANSWER_BYTES) throw new Error("the answer is too long");
      }
      if (!body.isWhole) throw new Error("the answer was cut");
      return { status: statusOf(head), body: Buffer.concat(content) };
    }
  } finally {
    upstream.destroy();
  }
}
