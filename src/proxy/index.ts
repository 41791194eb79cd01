// The proxy: carries an agent's requests to the API as the bytes that came, and lets the live engine edit conversations.
export { writeAuthorityFile } from "./authorityFile.ts";
export { type ChildExit, exitAs, runChild } from "./child.ts";
export { baseUrlEnvironment, httpsProxyEnvironment, originalEnvironment } from "./childEnvironment.ts";
export type { ModelRequest, Outcome, WindowEngine } from "./engine.ts";
export { startBaseUrlProxy, startHttpsProxy } from "./server.ts";
