// What a new user does first, with what is done already ticked.
import type { HomeFacts } from "../../../../src/http/wire.ts";
import { Icon } from "../../components/icon.tsx";
import { t } from "../../state/preferences.ts";

export function FirstSteps({
  captured,
  remembered,
  isPaused,
}: HomeFacts["steps"] & { readonly isPaused: boolean }) {
  const { steps } = t.home;
  const all = [
    { done: true, ...steps.worker, command: "throughline status" },
    { done: captured, ...steps.install, command: isPaused ? "throughline resume" : "throughline install" },
    { done: remembered, ...steps.past, command: "throughline import" },
  ];
  return (
    <section class="first-steps">
      <h2>{steps.title}</h2>
      <ol>
        {all.map(({ done, name, help, command }) => (
          <li key={name} class={done ? "done" : undefined}>
            <span class="tick">{done ? <Icon name="check" /> : null}</span>
            <div>
              <h3>
                {name} {done && <span class="hidden">{steps.done}</span>}
              </h3>
              <p class="muted">{help}</p>
              {!done && <pre class="command">{command}</pre>}
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}
