// The token shapes that hooks look for: prefixes that do not occur by accident. The full scan knows these and more.

/** A kind, the literals such a token begins with (separated by blanks), and a pattern of what follows them. */
type TokenRule = readonly [kind: string, starts: string, body: string];

/**
 * Reads a table of one rule a line, its columns separated by two blanks; other lines are comments. Patterns are bounded and
 * have no nested repetition, so that no text can make them slow.
 */
export const tokenRules = (table: string): TokenRule[] =>
  table.split("\n").flatMap((line) => {
    const [kind = "", starts = "", body] = line.trim().split("  ");
    return body === undefined ? [] : [[kind, starts, body] as const];
  });

export const compactTokens: readonly TokenRule[] = tokenRules(String.raw`
  aws-access-key  AKIA ASIA  [A-Z0-9]{16}(?![A-Za-z0-9])
  github-token  ghp_ gho_ ghu_ ghs_ ghr_  [A-Za-z0-9_]{30,255}
  github-token  github_pat_  [A-Za-z0-9_]{40,255}
  gitlab-token  glpat- gldt- glrt- glcbt- glptt-  [\w.-]{20,300}
  slack-token  xoxb- xoxp- xoxa- xoxr- xoxe- xoxe. xapp-  (?=[\w.-]{0,60}\d)[\w.-]{20,400}
  slack-token  xoxc- xoxd-  [\w.%/+-]{20,400}
  slack-webhook  hooks.slack.com/  (?:services|workflows|triggers)/[\w/+-]{20,150}
  stripe-key  sk_live_ sk_test_ rk_live_ rk_test_ sk_prod_ rk_prod_  [A-Za-z0-9_]{16,250}
  stripe-webhook-secret  whsec_  [\w+/=]{20,100}
  anthropic-key  sk-ant-  [\w-]{24,250}
  openrouter-key  sk-or-  [\w-]{24,120}
  openai-key  sk-  [A-Za-z0-9][\w-]{19,250}
  google-api-key  AIza  [\w-]{35}(?![\w-])
  google-oauth  ya29. GOCSPX-  [\w.-]{20,1024}
  npm-token  npm_  [A-Za-z0-9]{36,64}
  pypi-token  pypi-  [\w-]{50,500}
  huggingface-token  hf_  [A-Za-z0-9]{30,64}
  sendgrid-key  SG.  [\w-]{16,64}\.[\w-]{16,128}
  docker-token  dckr_pat_  [\w-]{20,128}
  digitalocean-token  dop_v1_  [a-f0-9]{40,64}
  vault-token  hvs. hvb. hvr.  [\w-]{20,300}
  shopify-token  shpat_ shpss_  [A-Za-z0-9]{24,64}
  databricks-token  dapi  [a-f0-9]{32}(?:-\d)?(?![a-f0-9])
  age-key  AGE-SECRET-KEY-1  [A-Z0-9]{40,70}
  supabase-token  sbp_ sb_secret_  [\w-]{20,128}
  atlassian-token  ATATT3 ATBB  [\w=.+/-]{20,300}
  jwt  eyJ  [\w-]{8,4096}\.eyJ[\w-]{8,8192}\.[\w-]{0,2048}
`);
