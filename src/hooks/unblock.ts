// Makes reading a pipe return at once where nothing has come yet, so that a hook can stop waiting.
import { Socket } from "node:net";

/** The part of Node under `node:net` that opens a pipe. Loading all of that module costs a hook 2 ms, this 0.1 ms. */
interface PipeBinding {
  readonly Pipe: new (type: number) => { open(fd: number): number };
  readonly constants: { readonly SOCKET: number };
}

type WithBinding = NodeJS.Process & { binding?(name: "pipe_wrap"): PipeBinding };

function openPipe(fd: number): boolean {
  try {
    // A version that warns of this call must not make the hook print anything.
    process.noDeprecation = true;
    const found = (process as WithBinding).binding?.("pipe_wrap");
    if (found === undefined) return false;
    return new found.Pipe(found.constants.SOCKET).open(fd) === 0;
  } catch {
    // A version without it, or a process that may not use it.
    return false;
  }
}

/**
 * Opening a pipe as a handle of the event loop sets O_NONBLOCK on it; nothing is read by the handle. On Windows that
 * would begin to read, and hooks go on to wait there.
 */
export function stopBlocking(fd: number): void {
  if (process.platform === "win32" || openPipe(fd)) return;
  new Socket({ fd, readable: true, writable: false, manualStart: true } as { fd: number });
}
