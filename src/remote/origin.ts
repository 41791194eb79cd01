// Which machine has what this one lacks: vaults are not exchanged, and the events of other machines name their handles and sessions.
import { everyRow, type Store } from "../store/index.ts";

/** How far back the events are looked through. */
const MOST_EVENTS = 20_000;

type OriginStore = Pick<Store, "events" | "session">;

/** The machine of a session that names the handle, or of the session itself; undefined where that is this machine, or not known. */
export async function machineWith(store: OriginStore, named: string, own: string) {
  const machineOf = async (session: string) => (await store.session(session))?.machine;
  const direct = await machineOf(named);
  if (direct !== undefined) return direct === own ? undefined : direct;
  let read = 0;
  for await (const { session, payload } of everyRow((asked) => store.events(asked), {})) {
    read += 1;
    if (read > MOST_EVENTS) return undefined;
    if (!JSON.stringify(payload).includes(named)) continue;
    const machine = await machineOf(session);
    if (machine !== undefined && machine !== own) return machine;
  }
  return undefined;
}
