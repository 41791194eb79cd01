// Names that belong to languages, tools, services and other places. That the repository does not have one of them is no
// evidence against a memory.
import { builtinModules } from "node:module";

const wordSet = (text: string) => new Set(text.trim().split(/\s+/));

/** What a language or its library brings, as far as it is called by one name. */
export const builtins: ReadonlySet<string> = new Set([
  ...Object.getOwnPropertyNames(globalThis),
  ...builtinModules.map((name) => name.replace(/^node:/, "")),
  ...wordSet(`window document navigator localStorage sessionStorage history location self require module exports
    React Vue os sys re np pd plt std fmt http io json time math random logging asyncio subprocess pathlib typing
    print len open range isinstance hasattr getattr setattr super input sorted enumerate zip map filter any all sum min max
    abs round repr str int float bool dict list set tuple bytes type iter next id hash
    append make panic recover copy delete cap new close println printf sprintf main init
    echo cd ls rm cp mv cat grep sed awk find export source eval exec exit test trap
    calc var rgb rgba now count coalesce unwrap expect clone into from iter collect vec format assert`),
]);

/** Products, formats and conventions that look like identifiers. */
const productNames =
  wordSet(`GitHub GitLab BitBucket JavaScript TypeScript CoffeeScript PostgreSQL MySQL SQLite NoSQL MongoDB DynamoDB
  CouchDB MariaDB InfluxDB ClickHouse BigQuery RabbitMQ GraphQL OpenAPI OpenAI ChatGPT WebSocket WebSockets WebRTC WebAssembly
  WebGL WebGPU DevOps DevTools LinkedIn YouTube CloudFront CloudFlare CloudWatch CloudFormation DataDog PagerDuty NewRelic
  CircleCI TeamCity IntelliJ WebStorm PyCharm VSCode PyPI NumPy SciPy FastAPI TensorFlow PyTorch LangChain OAuth OAuth2 OpenID
  JSON5 YAML XPath LaTeX MacBook macOS iOS iPadOS tvOS watchOS iPhone iPad gRPC mTLS eBPF jQuery npmjs nodejs
  HashiCorp DigitalOcean SonarQube BrowserStack ElasticSearch OpenSearch OpenTelemetry SendGrid HubSpot SalesForce
  camelCase CamelCase PascalCase UpperCamelCase lowerCamelCase snake_case kebab_case SCREAMING_SNAKE_CASE UPPER_CASE
  node_modules site_packages pg_dump pg_restore pg_isready pg_ctl mysql_dump redis_cli`);

export const isKnownElsewhere = (name: string) => productNames.has(name);

const variablePrefixes =
  wordSet(`AWS AZURE GCP GOOGLE GITHUB GITLAB GH GIT CI CIRCLE TRAVIS JENKINS BUILDKITE NODE NPM YARN PNPM BUN
  DENO DOCKER COMPOSE KUBE K8S HELM TF TERRAFORM VAULT CONSUL PYTHON PIP POETRY VIRTUAL CONDA CARGO RUST GO GOPROXY JAVA MAVEN GRADLE
  RUBY BUNDLE HTTP HTTPS NO ALL XDG LC SSH GPG TERM OPENAI ANTHROPIC CLAUDE SENTRY STRIPE SLACK TWILIO DATADOG DD NEW OTEL
  DATABASE DB PG POSTGRES MYSQL REDIS MONGO KAFKA ELASTIC S3 VERCEL NETLIFY CLOUDFLARE CF HEROKU FLY NEXT VITE REACT EXPO`);

export const isForeignVariable = (name: string) => variablePrefixes.has(name.split("_")[0] ?? "");

const settingFamilies =
  wordSet(`user core init pull push fetch merge branch remote commit gpg credential editor files workbench
  terminal search typescript javascript python eslint prettier window explorer security`);

/** Settings of git and of editors. */
export const isForeignSetting = (name: string) => settingFamilies.has(name.split(".")[0] ?? "");

const TOP_LEVEL =
  /^(?:com|org|net|io|dev|ai|app|co|sh|rs|land|site|cloud|tech|me|info|gov|edu|internal|intern|corp|local|lan|localhost|example|test|invalid|cn|de|ch|at|fr|uk|eu|us|jp|in|nl|se|no|ca|au|br|tv|gg|xyz)$/i;

/** Whether a name is that of a machine, not of a setting or a folder. */
export function isHost(name: string) {
  const labels = name.replace(/:\d+$/, "").split(".");
  return (
    labels.length > 1 &&
    labels.every((label) => /^[\w-]+$/.test(label)) &&
    TOP_LEVEL.test(labels.at(-1) ?? "")
  );
}

const THING =
  "tables?|columns?|views?|metrics?|queues?|topics?|channels?|dashboards?|buckets?|labels?|tags?|alerts?|monitors?|namespaces?|clusters?|roles?|groups?|jobs?|pipelines?|secrets?|accounts?|users?|teams?|boards?|projects?|index(?:es)?|databases?|schemas?|schedules?|webhooks?|experiments?";
const PLACE =
  "repo(?:sitory|s|sitories)?|server|servers|host|machine|laptop|cluster|bucket|wiki|drive|vault|registry|warehouse|image|container|website|homepage|home folder|home directory";
const AFTER_THING = new RegExp(
  `^\\s*(?:${THING})\\b|^\\s*(?:表|列|指标|队列|频道|看板|命名空间|集群|角色)`,
  "i",
);
const BEFORE_THING = new RegExp(
  `\\b(?:${THING})(?: (?:called|named|is))?\\s*$|(?:表|列|指标|队列|频道|看板|命名空间|集群|角色)\\s*$`,
  "i",
);
const ELSEWHERE = new RegExp(
  `^\\s*(?:(?:is|are|lives?|stays?) )?(?:in|on|of|from|at) (?!(?:this|our|the same|my) (?:${PLACE}))(?:the |their |its |an? |another |\\S+['’]s )?(?:[\`\\w.@/-]+ ){0,2}(?:${PLACE})\\b|^\\s*(?:在|位于)[^。;；]{0,12}(?:仓库|服务器|机器|网盘|镜像|容器)`,
  "i",
);
const ELSEWHERE_BEFORE = new RegExp(
  `\\b(?:in|on|of|from) (?!(?:this|our|the same|my) )(?:the |their |an? |another |\\S+['’]s )?(?:[\`\\w.@/-]+ ){1,2}(?:${PLACE})[\\s(:,]*$`,
  "i",
);
const OF_OTHERS = /\b(?:upstream|vendor|third[- ]party|customers?|their|another|other) (?:[\w-]+ ){0,2}$/i;

/** Whether the words around a name say that it is no part of this repository: a table, a queue, a file on a server. */
export function isElsewhere(before: string, after: string, isPath: boolean) {
  if (ELSEWHERE.test(after) || ELSEWHERE_BEFORE.test(before) || OF_OTHERS.test(before)) return true;
  return !isPath && (AFTER_THING.test(after) || BEFORE_THING.test(before));
}
