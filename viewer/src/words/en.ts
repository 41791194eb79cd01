// English.

export const en = {
  title: "Throughline",
  loading: "Loading",
  close: "Close",
  nav: {
    label: "Pages",
    skip: "Skip to the page",
    find: "Search everything",
    help: "Keys and help",
    live: "Live",
    timeline: "Timeline",
    search: "Search",
    sessions: "Sessions",
    memory: "Memory",
    stats: "Stats",
    settings: "Settings",
  },
  look: {
    language: "Switch to Chinese",
    theme: (now: string) => `Theme: ${now}`,
    themes: { auto: "as the system", light: "light", dark: "dark" },
  },
  signIn: {
    title: "This browser is not signed in",
    refused: "That link was used already or is older than two minutes.",
    how: "Everything here is yours alone, so the page opens from your terminal. Run this, and it opens signed in:",
    why: "It hands this browser a link that works once. Nothing leaves this machine.",
  },
  away: { text: "The worker does not answer. The page comes back by itself when it does; to start it now:" },
  problems: { fix: "What to do", retry: "Try again" },
  projects: { label: "Project", all: "All projects" },
  help: {
    title: "Keys",
    search: "Search",
    move: "Next and previous line",
    open: "Open the line",
    close: "Close what is open",
    help: "This list",
  },
  live: {
    connected: "Connected",
    waiting: "Connecting…",
    captureOff: "Capture is paused",
  },
} as const;
