// Two requests of a session side by side: texts that left the window between them, that came, and that stand there changed.
import { notFoundError } from "../lib/index.ts";
import { blocksOf, type HistoryItem, promptTokens } from "../messages/index.ts";
import { messageTexts, type SpokenText, shownTexts, toolNames } from "./detail.ts";
import type { ComparedRequest, WindowComparison } from "./model.ts";
import { type Recording, recordingOf, windowAt } from "./points.ts";
import { type InspectedSession, readTraces } from "./view.ts";

/** Every text of a window, by the id of its message and its place in it. */
function textsById(items: readonly HistoryItem[]): ReadonlyMap<string, SpokenText> {
  const names = toolNames(items);
  return new Map(
    items.flatMap((item) =>
      blocksOf(item.message).flatMap((block, at) => {
        const [text] = messageTexts({ ...item.message, content: [block] }, names, item.compactSummary);
        return text ? [[`${item.id} ${at}`, text] as const] : [];
      }),
    ),
  );
}

interface RequestWindow extends ComparedRequest {
  readonly texts: ReadonlyMap<string, SpokenText>;
}

/** Requests are counted as the window's points are. */
function requestWindow(recording: Recording, request: number): RequestWindow {
  const { conversation } = recording;
  const answered = conversation.requests.filter(({ usage }) => promptTokens(usage) > 0);
  const found = answered[request];
  if (!found) throw notFoundError(`the session has no request ${request + 1}`);
  const { itemIndex, usage, at: answeredAt } = found;
  const at = answeredAt ?? conversation.items[itemIndex - 1]?.at ?? 0;
  return {
    ...{ request, at: new Date(at).toISOString(), tokens: promptTokens(usage) },
    texts: textsById(windowAt(recording, itemIndex, at)),
  };
}

/** `requests` are two numbers from 0, such as `4 20`. Throws `not-found` for a request that is not there. */
export async function compareWindows(
  inspected: InspectedSession,
  requests: string,
  redact: (text: string) => string,
): Promise<WindowComparison> {
  const { conversation, entries } = await readTraces(inspected);
  if (!conversation) throw notFoundError(`the transcript of ${inspected.session} is not there any more`);
  const recording = recordingOf(conversation, entries, inspected.models);
  const [first = 0, second = 0] = requests.split(" ").map(Number);
  const [from, to] = [requestWindow(recording, first), requestWindow(recording, second)];
  const inBoth = [...from.texts.keys()].filter((id) => to.texts.has(id));
  const isChanged = (id: string) => from.texts.get(id)?.text !== to.texts.get(id)?.text;
  const only = (one: RequestWindow, other: RequestWindow) =>
    shownTexts(
      [...one.texts].flatMap(([id, text]) => (other.texts.has(id) ? [] : [text])),
      redact,
    );
  const changed = inBoth.filter(isChanged);
  const side = ({ texts }: RequestWindow) =>
    shownTexts(
      changed.flatMap((id) => texts.get(id) ?? []),
      redact,
    );
  const facts = ({ texts: _, ...request }: RequestWindow) => request;
  return {
    from: facts(from),
    to: facts(to),
    same: inBoth.length - changed.length,
    left: only(from, to),
    came: only(to, from),
    changed: { before: side(from), after: side(to) },
  };
}
