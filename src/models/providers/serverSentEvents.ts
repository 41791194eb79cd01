// Server-sent events out of any cutting of a byte stream into pieces.

/** The `data` of every event, in order. Comments, names and retry hints are left out. */
export async function* eventData(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let pending = "";
  let data: string[] = [];
  for await (const chunk of body) {
    pending += decoder.decode(chunk, { stream: true });
    // A lone CR at the end may be half of a CRLF.
    const lines = pending.split(/\r\n|\n|\r(?!$)/);
    pending = lines.pop() ?? "";
    for (const line of lines) {
      if (line !== "") addLine(data, line);
      else if (data.length > 0) {
        yield data.join("\n");
        data = [];
      }
    }
  }
  // Some servers forget the empty line behind the last event.
  for (const line of (pending + decoder.decode()).split(/\r\n|\n|\r/)) addLine(data, line);
  if (data.length > 0) yield data.join("\n");
}

function addLine(data: string[], line: string): void {
  if (line.startsWith("data:")) data.push(line.slice(line.startsWith("data: ") ? 6 : 5));
}
