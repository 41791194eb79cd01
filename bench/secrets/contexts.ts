// Where a named secret turns up: the two halves were written apart, and rules were tuned on the first alone.

/** A text with the value in it. `name` is the variable's usual name; the value must appear exactly once. */
export type Context = (name: string, value: string) => string;

const camel = (name: string): string =>
  name.includes("_")
    ? name.toLowerCase().replace(/_+(\w)/g, (_, letter: string) => letter.toUpperCase())
    : name;
const snake = (name: string): string => name.replace(/([a-z])([A-Z])/g, "$1_$2").toLowerCase();
const upper = (name: string): string => snake(name).toUpperCase();
const kebab = (name: string): string => snake(name).replaceAll("_", "-");

export const tuned: readonly Context[] = [
  (name, value) => `NODE_ENV=production\nPORT=8080\n${upper(name)}=${value}\nLOG_LEVEL=info\n`,
  (name, value) => `export ${upper(name)}="${value}"\nnpm run deploy`,
  (name, value) => JSON.stringify({ region: "eu-central-1", [camel(name)]: value, retries: 3 }, null, 2),
  (name, value) => `service:\n  name: billing\n  ${snake(name)}: ${value}\n  replicas: 2\n`,
  (name, value) => `const client = new Client({ ${camel(name)}: "${value}", timeout: 5_000 });`,
  (name, value) => `${snake(name)} = "${value}"\nresource "aws_s3_bucket" "logs" {}\n`,
  (name, value) => `把下面的配置写进 .env 文件：\n${upper(name)}=${value}\n然后重启服务。`,
  (name, value) => `2026-03-01T10:22:11Z ERROR request failed: ${camel(name)}=${value} status=401 id=7f3a`,
  (name, value) => `$ docker run -e ${upper(name)}=${value} -p 80:80 registry.local/app:1.4.2`,
  (name, value) => `    environment:\n      - ${upper(name)}=${value}\n      - TZ=Europe/Berlin\n`,
  (name, value) => JSON.stringify({ stdout: `${upper(name)}=${value}\nHOME=/root\n`, interrupted: false }),
  (name, value) => `+    ${camel(name)}: '${value}',\n-    ${camel(name)}: process.env.${upper(name)},`,
  (name, value) => `<config>\n  <${camel(name)}>${value}</${camel(name)}>\n</config>`,
  (name, value) =>
    `        - name: ${upper(name)}\n          value: "${value}"\n        - name: MODE\n          value: fast`,
];

export const heldOut: readonly Context[] = [
  (name, value) => `define('${upper(name)}', '${value}');\ndefine('WP_DEBUG', false);`,
  (name, value) => `spring.datasource.${kebab(name)}=${value}\nspring.jpa.show-sql=false\n`,
  (name, value) => `PS C:\\> $env:${upper(name)} = '${value}'\nPS C:\\> .\\build.ps1`,
  (name, value) =>
    `  "environment": [{"name": "${upper(name)}", "value": "${value}"}, {"name":"STAGE","value":"prod"}]`,
  (name, value) =>
    `Traceback (most recent call last):\n  File "app.py", line 12, in <module>\n    login(user="mira", ${snake(name)}="${value}")\nValueError: denied`,
  (name, value) => `=== Config vars\n${upper(name)}:           ${value}\nRACK_ENV:             production\n`,
  (name, value) => `gh secret set ${upper(name)} --body "${value}" --repo acme/shop`,
  (name, value) => `我刚刚重置了，新的 ${upper(name)} 是：${value}，请尽快更新。`,
  (name, value) => `[profile.release]\n${snake(name)} = '${value}' # rotate in May\n`,
  (name, value) => `kubectl create secret generic app --from-literal=${kebab(name)}=${value} -n prod`,
  (name, value) => `     7→${upper(name)}=${value}\n     8→DEBUG=0\n`,
  (name, value) =>
    `fetch("https://api.acme.dev/v1/items?${snake(name)}=${encodeURIComponent(value)}&page=2")`.replace(
      encodeURIComponent(value),
      value,
    ),
  (name, value) => `{\\"user\\":\\"mira\\",\\"${camel(name)}\\":\\"${value}\\",\\"scope\\":\\"all\\"}`,
  (name, value) => `module.exports = {\n  ${camel(name)}: process.env.${upper(name)} || "${value}",\n};`,
  (name, value) => `ENV ${upper(name)} ${value}\nRUN make install`,
  (name, value) => `app-1  | loaded ${upper(name)}=${value} from /run/env`,
];
