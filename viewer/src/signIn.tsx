// What a browser sees that the worker does not know: how to get in, and nothing else.
import { Mark } from "./parts/icon.tsx";
import { t } from "./state/look.ts";
import { refused } from "./state/worker.ts";
import { Switches } from "./switches.tsx";

export function SignIn() {
  const { signIn } = t.value;
  return (
    <main class="alone">
      <div>
        <span class="wordmark">
          <Mark />
          Throughline
        </span>
        <h1>{signIn.title}</h1>
        {refused.value !== undefined && <p role="alert">{signIn.refused}</p>}
        <p>{signIn.how}</p>
        <pre class="command">throughline open</pre>
        <p>{signIn.why}</p>
        <div class="switches">
          <Switches />
        </div>
      </div>
    </main>
  );
}
