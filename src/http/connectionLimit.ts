// Limits open connections; closes the longest-idle one first.
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

function statusLine(status: number, reason: string, message: string) {
  const body = JSON.stringify({ error: { code: "busy", message } });
  return [
    `HTTP/1.1 ${status} ${reason}`,
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
    "",
    body,
  ].join("\r\n");
}

/** Answers with the reason and closes; what the client still sends is not read. */
function refuseConnection(socket: Socket, line: string) {
  socket.end(line, () => socket.destroy());
}

/** A connection is idle while no request of it is being answered. */
export function limitConnections(server: Server, max: number) {
  const idle = new Set<Socket>();
  let open = 0;
  const closeIdle = () => {
    const [longest] = idle;
    if (!longest) return false;
    idle.delete(longest);
    refuseConnection(longest, statusLine(408, "Request Timeout", "No request came, and others are waiting."));
    return true;
  };
  server.on("connection", (socket: Socket) => {
    open += 1;
    socket.once("close", () => {
      open -= 1;
      idle.delete(socket);
    });
    if (open > max && !closeIdle()) {
      refuseConnection(
        socket,
        statusLine(503, "Service Unavailable", "Too many requests are being answered."),
      );
      return;
    }
    idle.add(socket);
  });
  server.on("request", ({ socket }: IncomingMessage, response: ServerResponse) => {
    idle.delete(socket);
    response.once("close", () => {
      if (!socket.destroyed) idle.add(socket);
    });
  });
}
