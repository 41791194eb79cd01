// The icons of the page, one SVG path each, in the colour of the text beside them.
const iconPaths = {
  home: "M2.5 7.5 8 2.8l5.5 4.7M4 6.5v6.7h8V6.5M6.7 13.2V9.6h2.6v3.6",
  check: "M3.5 8.5 6.5 11.5 12.5 4.8",
  live: "M8 8h.01M5.2 10.8a4 4 0 0 1 0-5.6M10.8 5.2a4 4 0 0 1 0 5.6M3 13A7 7 0 0 1 3 3M13 3a7 7 0 0 1 0 10",
  timeline: "M4 2.5v11M4 5h.01M4 8h.01M4 11h.01M7 5h6M7 8h4.5M7 11h6",
  search: "M7 2.8a4.2 4.2 0 1 0 0 8.4 4.2 4.2 0 0 0 0-8.4zM10.2 10.2l3.3 3.3",
  sessions: "M2.5 3.5h11v7H7.4L4.5 13v-2.5h-2z",
  memory: "M4.2 2.5h7.6v11L8 10.6l-3.8 2.9z",
  stats: "M2.5 13.5h11M4.5 11V8.5M8 11V4.5M11.5 11V6.5",
  settings: "M2.5 4.5h6M11.5 4.5h2M10 3v3M2.5 11.5h2M7.5 11.5h6M6 10v3",
  decision: "M8 2.2 13.8 8 8 13.8 2.2 8z",
  bugfix:
    "M5.2 7a2.8 2.8 0 0 1 5.6 0v2.6a2.8 2.8 0 0 1-5.6 0zM2.4 8.3h2.8M10.8 8.3h2.8M3.4 4.4l2 1.5M12.6 4.4l-2 1.5M3.4 12.4l2-1.4M12.6 12.4l-2-1.4",
  feature: "M8 2.2l1.5 4.3L13.8 8 9.5 9.5 8 13.8 6.5 9.5 2.2 8l4.3-1.5z",
  refactor: "M2.8 5.5h9.4L9.9 3.2M13.2 10.5H3.8l2.3 2.3",
  discovery: "M8 2.3a5.7 5.7 0 1 0 0 11.4A5.7 5.7 0 0 0 8 2.3zM10.4 5.6 8.9 8.9 5.6 10.4l1.5-3.3z",
  change: "M2.8 13.2l.7-2.9 7-7a1.3 1.3 0 0 1 1.9 0l.3.3a1.3 1.3 0 0 1 0 1.9l-7 7z",
  prompt: "M3 4.5 6.5 8 3 11.5M8.5 11.5H13",
  summary: "M3 4h10M3 8h10M3 12h5.5",
  message: "M2.5 3.5h11v7H7.4L4.5 13v-2.5h-2z",
  event: "M8 7.2a.8.8 0 1 0 0 1.6.8.8 0 0 0 0-1.6z",
  close: "M4 4l8 8M12 4l-8 8",
  pause: "M5.5 3.5v9M10.5 3.5v9",
  play: "M5 3.2v9.6L12.6 8z",
  light:
    "M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6zM8 1.8v1.4M8 12.8v1.4M1.8 8h1.4M12.8 8h1.4M3.6 3.6l1 1M11.4 11.4l1 1M12.4 3.6l-1 1M4.6 11.4l-1 1",
  dark: "M13 9.6A5.4 5.4 0 0 1 6.4 3 5.4 5.4 0 1 0 13 9.6z",
  auto: "M8 2.3a5.7 5.7 0 1 0 0 11.4zM8 2.3a5.7 5.7 0 0 1 0 11.4",
  help: "M6 6.2a2 2 0 1 1 2.9 1.8c-.6.3-.9.7-.9 1.4M8 11.8h.01",
  next: "M6 3.5 10.5 8 6 12.5",
  back: "M10 3.5 5.5 8l4.5 4.5",
  file: "M4 2.5h5l3 3v8H4zM9 2.5v3h3",
  window: "M2.5 12.5 6 7l3 3 4.5-6.5M2.5 13.5h11",
  undo: "M3 6.5h6.5a3.5 3.5 0 0 1 0 7H6M5.5 4 3 6.5 5.5 9",
  warn: "M8 2.8 14 13H2zM8 6.8v3M8 11.4h.01",
} as const;

export type IconName = keyof typeof iconPaths;

const isIcon = (name: string): name is IconName => Object.hasOwn(iconPaths, name);

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={iconPaths[name]} />
    </svg>
  );
}

/** A line that runs through. */
export function Logo() {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d="M1.5 11c3.2 0 3.2-6 6.5-6s3.3 6 6.5 6" />
      <circle cx="8" cy="5" r="1.9" fill="currentColor" stroke="none" />
    </svg>
  );
}

/** An observation has the icon of its type, everything else that of its kind. */
export function iconOf(kind: string, type = ""): IconName {
  if (kind === "observation" && isIcon(type)) return type;
  return isIcon(kind) ? kind : "event";
}
