// Starts the page: preferences, address, sign-in, and then the app.
import { render } from "preact";
import { App, SignIn } from "./app.tsx";
import { signIn, signInState } from "./state/api.ts";
import { startStream } from "./state/feed.ts";
import { applyPreferences } from "./state/preferences.ts";
import { followHash } from "./state/route.ts";

function Root() {
  // Before the first answer of the worker the app renders too; its parts wait for their own data.
  return signInState.value === "signed-out" ? <SignIn /> : <App />;
}

applyPreferences();
followHash();
const app = document.getElementById("app");
if (app !== null) {
  await signIn();
  app.replaceChildren();
  render(<Root />, app);
  signInState.subscribe((now) => {
    if (now === "signed-in") startStream();
  });
}
