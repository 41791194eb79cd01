// Settings over HTTP: what is in effect, and changes to the user's own file.
import { type Handlers, objectOf } from "./request.ts";
import type { ProviderTest } from "./wire.ts";

/** Reads and changes settings; refuses what is not allowed by throwing. */
export interface SettingsAccess {
  read(): object;
  /** A value of null takes a setting out of the file. */
  change(changes: Readonly<Record<string, unknown>>): object;
  /** Asks the model that is set one small question. */
  testProvider(): Promise<ProviderTest>;
}

export const settingsRoutes = (
  settings: SettingsAccess,
): Handlers<"GET /api/settings" | "POST /api/settings" | "POST /api/provider-test"> => ({
  "GET /api/settings": (c) => c.json(settings.read()),
  "POST /api/settings": async (c) => {
    const changes = await objectOf(c, "setting keys and their values");
    return changes instanceof Response ? changes : c.json(settings.change(changes));
  },
  "POST /api/provider-test": async (c) => c.json(await settings.testProvider()),
});
