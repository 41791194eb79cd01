// Proves over a connection that the worker has read the secret that the state folder holds for its endpoint.
import { createHmac, randomBytes } from "node:crypto";
import { isObject } from "../lib/index.ts";
import type { Proof } from "./connect.ts";

const NONCE_BYTES = 16;

/** What only a process that has read the secret can answer to `nonce`. */
export const proofOf = (secret: string, nonce: string) =>
  createHmac("sha256", secret).update(`throughline worker ${nonce}`).digest("hex");

/** A challenge that no earlier answer fits. */
export function newProof(secret: string): Proof {
  const nonce = randomBytes(NONCE_BYTES).toString("hex");
  return {
    question: { id: "proof", op: "prove", args: { nonce } },
    isProvenBy: (response) =>
      response.ok && isObject(response.data) && response.data.proof === proofOf(secret, nonce),
  };
}
