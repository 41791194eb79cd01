// Starts the page: theme and language, the address, the sign-in, and then the pages.
import { render } from "preact";
import { App, SignIn } from "./app.tsx";
import { connect, signInState } from "./state/api.ts";
import { startStream } from "./state/feed.ts";
import { applyPreferences } from "./state/preferences.ts";
import { followHash } from "./state/route.ts";

function Root() {
  if (signInState.value === "signed-out") return <SignIn />;
  // Before the first answer the page stands already: whatever it shows waits for its own.
  return <App />;
}

applyPreferences();
followHash();
const app = document.getElementById("app");
if (app !== null) {
  await connect();
  app.replaceChildren();
  render(<Root />, app);
  signInState.subscribe((now) => {
    if (now === "signed-in") startStream();
  });
}
