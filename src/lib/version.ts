// The version of the package, as the build wrote it down.
declare const __THROUGHLINE_VERSION__: string | undefined;

/** What runs from sources has none. */
export const ownVersion: string =
  typeof __THROUGHLINE_VERSION__ === "string" ? __THROUGHLINE_VERSION__ : "0.0.0-dev";
