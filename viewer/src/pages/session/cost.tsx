// What a session cost, in one line.
import type { SessionCost } from "../../../../src/http/wire.ts";
import { count, dollars, percent } from "../../parts/format.ts";
import { t } from "../../state/look.ts";
import { reader } from "../../state/reader.ts";

export function Cost({ cost }: { readonly cost: SessionCost }) {
  const { session } = t.value;
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = cost;
  const input = inputTokens + cacheReadTokens + cacheWriteTokens;
  const tokens = (value: number): string => count(value, reader.value);
  const detail = session.inputDetail(tokens(inputTokens), tokens(cacheReadTokens), tokens(cacheWriteTokens));
  return (
    <p class="about small muted num">
      <span>{session.requests(cost.requests)}</span>
      <span title={detail}>{session.tokens(tokens(input), tokens(outputTokens))}</span>
      {input > 0 && <span>{session.cached(percent(cacheReadTokens / input))}</span>}
      {cost.dollars !== undefined && <strong>{dollars(cost.dollars)}</strong>}
      {cost.models.map((model) => (
        <span key={model} class="mono">
          {model}
        </span>
      ))}
    </p>
  );
}
