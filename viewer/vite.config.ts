// Builds the page: hashed files below `assets` and nothing inline, since the page's policy allows only its own files.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vite";

/** Emits the theme script as a file: a module would run after the first paint, and inline scripts are not allowed. */
function themeFirst(): Plugin {
  const source = readFileSync(new URL("src/themeFirst.js", import.meta.url), "utf8");
  const hash = createHash("sha256").update(source).digest("hex").slice(0, 8);
  const fileName = `assets/theme-${hash}.js`;
  return {
    name: "theme-first",
    apply: "build",
    generateBundle() {
      this.emitFile({ type: "asset", fileName, source });
    },
    transformIndexHtml: () => [{ tag: "script", attrs: { src: `/${fileName}` }, injectTo: "head-prepend" }],
  };
}

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  logLevel: "warn",
  plugins: [themeFirst()],
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: "../dist/viewer",
    emptyOutDir: true,
    target: "es2023",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
});
