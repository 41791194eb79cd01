// Starts the page: theme and language, the address, the sign-in, and then the pages.
import { render } from "preact";
import { App, SignIn } from "./app.tsx";
import { meetWorker, standing } from "./state/api.ts";
import { startStream } from "./state/feed.ts";
import { wearLook } from "./state/preferences.ts";
import { followAddress } from "./state/route.ts";

function Root() {
  if (standing.value === "signed-out") return <SignIn />;
  // Before the first answer the page stands already: whatever it shows waits for its own.
  return <App />;
}

wearLook();
followAddress();
const app = document.getElementById("app");
if (app !== null) {
  await meetWorker();
  app.replaceChildren();
  render(<Root />, app);
  standing.subscribe((now) => {
    if (now === "signed-in") startStream();
  });
}
