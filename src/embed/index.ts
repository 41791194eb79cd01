// Text as vectors: one interface, and those who can do it. They are opened by doors and worker.
export type { Embedder } from "./embedder.ts";
export { type OnnxOptions, openOnnx } from "./onnxFile.ts";
export { openServer, type ServerSettings } from "./openaiCompatible.ts";
export { openPackaged, type PackagedOptions } from "./packaged.ts";
