// Who makes vectors in a worker process: the settings, the embedder they name, and the scan for secrets before it.
import type { Environment, Home } from "../../home/index.ts";
import type { Logger } from "../../log/index.ts";
import { redactText } from "../../redact/index.ts";
import { readableSettings } from "../../settings/index.ts";
import type { Store } from "../../store/index.ts";
import { type Embedding, makeEmbedding, openEmbedder } from "./embed.ts";

interface EmbeddingWorkParts {
  readonly home: Home;
  readonly env: Environment;
  readonly store: Store;
  readonly log: Logger;
}

export function embeddingWork({ home, env, store, log }: EmbeddingWorkParts): Embedding {
  return makeEmbedding({
    store,
    log,
    open: openEmbedder(env, (text) => redactText(text).text),
    settings: () => readableSettings({ home, env })?.search,
  });
}
