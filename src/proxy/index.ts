// The proxy: carries an agent's requests to the API as the bytes that came, and lets the live engine edit conversations.

export { baseUrlEnvironment, httpsProxyEnvironment, originalEnvironment } from "./child/environment.ts";
export { type ChildExit, exitAs, runChild } from "./child/runChild.ts";
export type { ModelRequest, Outcome, WindowEngine } from "./engine.ts";
export { liveEngine } from "./liveEngine.ts";
export { startBaseUrlProxy, startHttpsProxy } from "./server.ts";
export { writeAuthorityFile } from "./tls/authorityFile.ts";
export { workerSeam } from "./workerSeam.ts";
