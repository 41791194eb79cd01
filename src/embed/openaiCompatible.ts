// Embeddings of a server that speaks OpenAI's interface: Ollama, llama.cpp, LM Studio, OpenAI and many more.
import type { Environment } from "../home/index.ts";
import { errorText, isObject, parseJson } from "../lib/index.ts";
import { cannotEmbed, checkVectors, type Embedder } from "./embedder.ts";

export interface ServerSettings {
  readonly model: string;
  /** Empty: Ollama on this machine. */
  readonly baseUrl: string;
  /** Empty: `OPENAI_API_KEY`. */
  readonly apiKeyEnv: string;
  readonly env: Environment;
  /** Nothing leaves that it was not applied to. */
  readonly redact: (text: string) => string;
  readonly timeoutMs?: number;
}

const USUAL_PLACE = "http://127.0.0.1:11434/v1";
const USUAL_KEY = "OPENAI_API_KEY";
const REQUEST_TIMEOUT_MS = 60_000;
const TEXTS_PER_REQUEST = 64;
const LONGEST_REASON = 200;

/** Asks once, since only an answer says how long its vectors are. */
export async function openServer(settings: ServerSettings): Promise<Embedder> {
  if (settings.model === "")
    throw cannotEmbed("no embedding model is named", "throughline config set search.model NAME");
  let ending = new AbortController();
  const embed = embedThroughServer(settings, () => ending.signal);
  const [probe] = await embed(["How long is a vector?"]);
  return {
    id: `openai-compatible:${settings.model}`,
    dimensions: probe?.length ?? 0,
    languages: "any",
    batch: TEXTS_PER_REQUEST,
    embed,
    close: async () => {
      ending.abort();
      ending = new AbortController();
    },
  };
}

function embedThroughServer(settings: ServerSettings, ending: () => AbortSignal): Embedder["embed"] {
  const place = `${(settings.baseUrl || USUAL_PLACE).replace(/\/+$/, "")}/embeddings`;
  const key = settings.env[settings.apiKeyEnv || USUAL_KEY];
  const { model, redact, timeoutMs = REQUEST_TIMEOUT_MS } = settings;
  const fix = "check search.baseUrl and search.model, and that the server runs";
  return async (texts) => {
    if (texts.length === 0) return [];
    let status = 0;
    let body = "";
    try {
      const response = await fetch(place, {
        method: "POST",
        headers: { "content-type": "application/json", ...(key ? { authorization: `Bearer ${key}` } : {}) },
        body: JSON.stringify({ model, input: texts.map(redact), encoding_format: "float" }),
        signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), ending()]),
      });
      [status, body] = [response.status, await response.text()];
    } catch (error) {
      throw cannotEmbed(`${new URL(place).origin} cannot be reached (${errorText(error)})`, fix, error);
    }
    if (status !== 200)
      throw cannotEmbed(`${new URL(place).origin} answered ${status}: ${body.slice(0, LONGEST_REASON)}`, fix);
    return checkVectors(vectorsIn(body), texts.length);
  };
}

/** `index` says which text a vector is of; the order of the list says nothing. */
function vectorsIn(body: string) {
  const answer = parseJson(body);
  const data: readonly unknown[] = isObject(answer) && Array.isArray(answer.data) ? answer.data : [];
  const vectors: number[][] = [];
  for (const [at, item] of data.entries()) {
    if (!isObject(item) || !Array.isArray(item.embedding)) continue;
    vectors[typeof item.index === "number" ? item.index : at] = item.embedding.map(Number);
  }
  return Array.from(vectors, (vector) => vector ?? []);
}
