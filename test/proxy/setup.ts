// What tests of the proxy open, and close after each test; and engines that edit nothing or something.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { ModelRequest, Outcome, WindowEngine } from "../../src/proxy/index.ts";

interface Closable {
  close(): Promise<void> | void;
}

const open: Closable[] = [];

/** Closes a thing after the test. */
export function closed<T extends Closable>(thing: T): T {
  open.push(thing);
  return thing;
}

export async function closeAll(): Promise<void> {
  for (const thing of open.splice(0).toReversed()) await thing.close();
}

/** An environment in which these certificates are trusted, besides the machine's own. */
export function trusting(...certificates: readonly string[]): Record<string, string> {
  const folder = mkdtempSync(path.join(tmpdir(), "tlp-"));
  closed({ close: () => rmSync(folder, { recursive: true, force: true }) });
  const file = path.join(folder, "trusted.pem");
  writeFileSync(file, certificates.join("\n"));
  return { NODE_EXTRA_CA_CERTS: file };
}

export interface RecordingEngine extends WindowEngine {
  readonly requests: ModelRequest[];
  readonly outcomes: Outcome[];
}

/** Notes what it is asked; edits nothing unless told how. */
export function engineThat(does: Partial<WindowEngine> = {}): RecordingEngine {
  const requests: ModelRequest[] = [];
  const outcomes: Outcome[] = [];
  return {
    requests,
    outcomes,
    async edit(request) {
      // A copy: the proxy lets go of a body that the API has accepted.
      requests.push({ ...request });
      return does.edit?.(request);
    },
    recover: async (request, refusal) => does.recover?.(request, refusal),
    observe(request, outcome) {
      outcomes.push(outcome);
      does.observe?.(request, outcome);
    },
  };
}
