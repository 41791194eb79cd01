// Two connections joined: bytes pass unread, and each end is passed on by itself.
import type { Socket } from "node:net";

export function tunnel(one: Socket, other: Socket): void {
  const join = (from: Socket, to: Socket) => {
    from.pipe(to);
    from.on("error", () => to.resetAndDestroy());
    from.on("close", () => {
      // What it sent before is still on its way to the other.
      if (!to.writableEnded) to.destroy();
    });
  };
  join(one, other);
  join(other, one);
}
