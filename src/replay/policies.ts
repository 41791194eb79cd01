// Every policy there is.
import { managedPolicies } from "./managed.ts";
import { peerPolicies } from "./peers.ts";
import { plainPolicies } from "./plain.ts";
import type { Policy } from "./policy.ts";

/** The baseline first, Throughline's own last. */
export const policies: readonly Policy[] = [...plainPolicies, ...peerPolicies, ...managedPolicies];
