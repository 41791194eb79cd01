// The events a writer of the store records: the same for the same names, so that a check can tell what must be there.
import type { RedactedEvent } from "../../src/store/index.ts";

export const BATCH = 7;

export function storeBatch(writer: string, batch: number): RedactedEvent[] {
  return Array.from({ length: BATCH }, (_, index) => {
    const name = `${writer}-${batch}-${index}`;
    return {
      v: 1,
      id: `ev_${name}`,
      kind: index === 0 ? "prompt" : "tool",
      at: new Date(1_790_000_000_000 + batch * 1_000 + index).toISOString(),
      session: index % 2 === 0 ? "shared" : writer,
      lane: "hooks",
      writer: "0.1.0",
      project: "app-00000001",
      payload: index === 0 ? { prompt: `words of ${name}` } : { text: name.repeat(200) },
    };
  });
}
