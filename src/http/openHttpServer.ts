// Opens the HTTP face with everything that it answers from.

import { type Environment, ensureToken, type Home, type IsExcluded, isPaused } from "../home/index.ts";
import type { Accountant } from "../inspector/index.ts";
import type { RedactPayload } from "../intake/index.ts";
import { type Clock, errorText, systemClock, ThroughlineError } from "../lib/index.ts";
import type { Logger } from "../log/index.ts";
import type { AppParts } from "./app.ts";
import type { SignInCode } from "./signInCodes.ts";
import type { PrivacyParts } from "./privacyRoutes.ts";
import type { HttpServer } from "./server.ts";
import { userLanguage } from "./routes/settings.ts";
import type { TransferParts } from "./routes/transfer.ts";

export interface HttpOptions
  extends Pick<AppParts, "store" | "settings" | "viewerFolder" | "windows" | "memories"> {
  /** Who knows what sessions cost and saved. */
  readonly accountant: Accountant;
  readonly home: Home;
  readonly env: Environment;
  readonly redact: RedactPayload;
  readonly isExcluded: IsExcluded;
  readonly port: number;
  readonly version: string;
  readonly log: Logger;
  readonly clock?: Clock;
}

/** What the engine does for the face. */
type HttpDuties = Pick<AppParts, "bell" | "streams" | "stopping" | "status" | "finder" | "mods"> &
  Pick<PrivacyParts, "forget"> &
  Pick<TransferParts, "onImported">;

function partsFor(options: HttpOptions, { forget, onImported, ...duties }: HttpDuties): AppParts {
  const { home, log, settings, store, viewerFolder, windows, memories, env, redact } = options;
  return {
    ...duties,
    ...{ store, settings, viewerFolder, windows, memories },
    standing: {
      version: options.version,
      locale: () => userLanguage(home, env),
      isPaused: () => isPaused(home),
      isExcluded: options.isExcluded,
    },
    places: { home, env },
    savings: options.accountant.savings,
    privacy: { home, forget },
    transfer: { home, store, redact, onImported },
    onError: (error) => log.error({ problem: errorText(error) }, "http.request-failed"),
  };
}

/** Undefined where it cannot be opened: hooks and commands come by the socket, and capture goes on without a web page. */
export async function openHttpServer(
  options: HttpOptions,
  duties: HttpDuties,
): Promise<HttpServer | undefined> {
  const { home, log, port, clock = systemClock } = options;
  try {
    const { listenHttp } = await import("./server.ts");
    return await listenHttp({ port, token: ensureToken(home), clock, parts: partsFor(options, duties) });
  } catch (error) {
    log.error({ problem: errorText(error) }, "http.not-started");
    return undefined;
  }
}

/** Lets one browser sign in once. */
export function signInCodeFrom(face: HttpServer | undefined): SignInCode & { readonly port: number } {
  if (face !== undefined) return { ...face.invite(), port: face.port };
  throw new ThroughlineError("worker-failed", "the worker has no HTTP face", {
    fix: "`throughline worker logs` says why; then `throughline worker stop`, and try again",
  });
}
