// Token shapes of clouds, model providers, developer services, payment, mail and chat.
import { tokenRules } from "./compact.ts";

const uuid = "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}";

export const vendorTokens = tokenRules(String.raw`
  # Clouds, hosters and the tools that build on them.
  aws-access-key  ABIA ACCA  [A-Z0-9]{16}(?![A-Za-z0-9])
  aws-access-key  A3T  [A-Z0-9]{17}(?![A-Za-z0-9])
  aws-bedrock-key  ABSKQmVkcm9ja0FQSUtleS bedrock-api-key-  [\w+/=-]{40,1024}
  aws-session-token  IQoJb3JpZ2lu FwoGZXIvYXdz FQoGZXIvYXdz  [\w+/=%-]{80,4096}
  aws-mws-key  amzn.mws.  ${uuid}
  google-oauth  1//0  [\w-]{30,200}
  google-oauth  4/0A  [\w-]{40,200}
  firebase-key  AAAA  [\w-]{7}:APA91b[\w-]{100,200}
  alibaba-access-key  LTAI  [A-Za-z0-9]{12,24}(?![A-Za-z0-9])
  tencent-secret-id  AKID  [A-Za-z0-9]{32,36}(?![A-Za-z0-9])
  volcengine-access-key  AKLT  [\w=-]{32,60}
  baidu-key  bce-v3/ALTAK-  [\w-]{10,40}/[a-f0-9]{40}
  yandex-key  AQVN  [\w-]{35,38}(?![\w-])
  yandex-key  y0__ y0_  [\w-]{50,140}
  yandex-key  YCAJ YCO YCM  [\w-]{20,60}(?![\w-])
  digitalocean-token  doo_v1_ dor_v1_  [a-f0-9]{40,64}
  digitalocean-token  DO00  [A-Z0-9]{16}(?![A-Za-z0-9])
  heroku-key  HRKU-  [\w-]{30,80}
  vercel-token  vcp_ vci_ vca_ vcr_ vck_ vercel_blob_rw_  [\w]{20,80}
  netlify-token  nfp_ nfc_ nfo_ nfu_  [A-Za-z0-9]{30,80}
  cloudflare-token  cfut_ cfat_ cfk_  [\w-]{36,80}
  cloudflare-token  v1.0-  [a-f0-9]{24}-[a-f0-9]{100,200}
  fly-token  FlyV1  \x20[\w+/=,-]{40,2048}
  fly-token  fm1r_ fm1a_ fm2_ fo1_  [\w+/=-]{40,2048}
  render-key  rnd_  [A-Za-z0-9]{28,40}(?![A-Za-z0-9])
  scaleway-key  SCW  [A-Z0-9]{17}(?![A-Za-z0-9])
  tailscale-key  tskey-  [a-z]{2,12}-[A-Za-z0-9-]{12,80}
  terraform-token  .atlasv1.  [\w=-]{40,90}
  pulumi-token  pul-  [a-f0-9]{40}(?![A-Za-z0-9])
  vault-token  s. b.  (?=[A-Za-z]{0,23}\d)(?=[a-z0-9]{0,23}[A-Z])[A-Za-z0-9]{24}(?![A-Za-z0-9.])
  doppler-token  dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.  [\w.-]{30,120}
  infisical-token  st.  [a-f0-9]{24}\.[a-f0-9]{32}\.[a-f0-9]{32}
  onepassword-token  ops_eyJ  [\w+/=-]{80,2000}
  onepassword-key  A3-  [A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}
  planetscale-token  pscale_tkn_ pscale_pw_ pscale_oauth_  [\w=.-]{30,80}
  neon-key  napi_ npg_  [A-Za-z0-9]{10,100}
  mongodb-key  mdb_sa_sk_ mdb_sa_id_  [\w-]{20,80}
  snowflake-token  ver:1-hint:  \d{4,20}-ETMsDgAAA[\w+/=]{40,400}
  databricks-token  dkea dose doses  [a-f0-9]{32}(?![a-f0-9])
  grafana-token  glc_ eyJrIjoi  [\w+/=]{32,500}
  grafana-token  glsa_  [A-Za-z0-9]{32}_[A-Fa-f0-9]{8}
  newrelic-key  NRAK- NRJS- NRII- NRIQ- NRRA- NRSP-  [\w-]{18,64}
  datadog-key  ddapp_ ddpat_  [A-Za-z0-9_]{24,80}
  sentry-token  sntrys_ sntryu_  [\w+/=.-]{40,400}
  dynatrace-token  dt0c01. dt0s16. dt0s01.  [A-Z0-9]{24}\.[A-Z0-9]{40,80}
  honeycomb-key  hcaik_ hcbik_ hcxik_ hcalk_  [a-z0-9]{30,64}
  splunk-token  Splunk  \x20[0-9A-F-]{36}
  launchdarkly-key  sdk- api- mob-  ${uuid}
  elastic-key  essu_  [\w+/=]{40,200}
  confluent-key  cflt  [\w+/]{50,64}
  jfrog-token  AKCp cmVmdGtuOj  [A-Za-z0-9]{10,120}(?![A-Za-z0-9])
  artifactory-token  eyJ2ZXIiOiIy  [\w-]{20,200}\.[\w-]{40,900}\.[\w-]{40,900}
  sonar-token  sqp_ squ_ sqa_ sqb_  [a-f0-9]{40}(?![a-f0-9])
  octopus-key  API-  (?<!/API-)[A-Z0-9]{25,40}(?![A-Za-z0-9])
  prefect-key  pnu_ pnb_  [a-z0-9]{36}(?![a-z0-9])
  harness-key  pat.  [\w-]{22}\.[0-9a-f]{24}\.[A-Za-z0-9]{20}
  exoscale-key  EXO  [a-f0-9]{24}(?![a-f0-9])
  docker-swarm-token  SWMTKN-1- SWMKEY-1-  [\w+/-]{40,120}
  xata-key  xau_  [A-Za-z0-9]{30,48}
  fauna-key  fnA  (?=[A-Za-z_-]{0,36}\d)[\w-]{37}(?![\w-])
  cockroach-key  CCDB1_  [A-Za-z0-9]{20,30}_[A-Za-z0-9]{30,60}
  openshift-token  sha256~  [\w-]{43}(?![\w-])
  kubernetes-token  k8s-aws-v1.  [\w%-]{40,4096}
  jwe  eyJ  [\w-]{8,1024}\.[\w-]{20,1024}\.[\w-]{8,64}\.[\w-]{20,4096}\.[\w-]{16,64}
  paseto  v1.local. v2.local. v3.local. v4.local. v2.public. v4.public.  [\w-]{40,2048}
  # Model providers.
  groq-key  gsk_  [A-Za-z0-9]{32,80}
  xai-key  xai-  [A-Za-z0-9]{40,120}
  perplexity-key  pplx-  [A-Za-z0-9]{32,64}
  replicate-token  r8_  [A-Za-z0-9]{30,48}
  fireworks-key  fw_  [A-Za-z0-9]{20,48}(?![A-Za-z0-9])
  langsmith-key  lsv2_pt_ lsv2_sk_ ls__  [\w]{32,64}
  langfuse-key  sk-lf-  ${uuid}
  pinecone-key  pcsk_  [\w]{40,90}
  voyage-key  pa-  (?=[\w-]{0,40}\d)(?=[\w-]{0,40}[A-Z])[\w-]{40,50}(?![\w-])
  tavily-key  tvly-  [\w-]{20,64}
  firecrawl-key  fc-  [a-f0-9]{32}(?![a-f0-9])
  elevenlabs-key  sk_  [a-f0-9]{40,64}(?![A-Za-z0-9])
  nvidia-key  nvapi-  [\w-]{40,90}
  wandb-key  wandb_v1_  [\w-]{40,120}
  cerebras-key  csk-  [a-z0-9]{40,64}
  huggingface-token  api_org_  [A-Za-z0-9]{30,64}
  jina-key  jina_  [\w-]{40,80}
  llamacloud-key  llx-  [A-Za-z0-9]{40,64}
  e2b-key  e2b_  [a-f0-9]{32,64}
  runpod-key  rpa_  [A-Za-z0-9]{36,64}
  together-key  tgp_v1_  [\w-]{30,80}
  anyscale-key  esecret_  [A-Za-z0-9]{20,60}
  modal-token  ak- as-  (?=[A-Za-z]{0,21}\d)(?=[a-z0-9]{0,21}[A-Z])[A-Za-z0-9]{22}(?![A-Za-z0-9])
  brave-key  BSA  (?=[A-Za-z]{0,27}\d)[\w-]{28}(?![\w-])
  fal-key  fal_sk_  [\w:-]{30,120}
  browserbase-key  bb_live_ bb_test_  [\w-]{20,64}
  livekit-key  lk_secret_  [\w-]{20,80}
  exa-key  exa_  [A-Za-z0-9]{24,64}
  cursor-key  key_  [a-f0-9]{48,80}(?![a-f0-9])
  # Code, packages, builds.
  apify-token  apify_api_  [A-Za-z0-9]{30,48}
  teamcity-token  eyJ0eXAiOiAiVENWMiJ9.  [\w-]{20,80}\.[\w-]{20,80}
  packagist-token  packagist_ack_ packagist_uut_ packagist_out_  [a-f0-9]{40,100}
  hex-token  hexp_  [A-Za-z0-9]{30,64}
  wakatime-key  waka_  ${uuid}
  statsig-key  secret-  (?=[A-Za-z]{0,42}\d)(?=[a-z0-9]{0,42}[A-Z])[A-Za-z0-9]{40,48}(?![A-Za-z0-9])
  stytch-secret  secret-live- secret-test-  [\w-]{32,48}=?
  inngest-key  signkey-prod- signkey-test- signkey-branch-  [a-f0-9]{32,80}
  trigger-key  tr_prod_ tr_dev_ tr_stg_  [A-Za-z0-9]{20,48}
  unkey-key  unkey_  [A-Za-z0-9]{16,64}
  axiom-token  xaat- xapt-  ${uuid}
  honeybadger-token  hbp_  [A-Za-z0-9]{30,48}
  ory-token  ory_at_ ory_st_ ory_pat_ ory_rt_  [\w.-]{20,120}
  val-town-token  vtwn_  [A-Za-z0-9]{20,48}
  deno-token  ddp_ ddo_  [A-Za-z0-9]{30,48}
  docker-token  dckr_oat_  [\w-]{20,128}
  atlassian-token  ATCTT3  [\w=.+/-]{20,300}
  gitlab-token  glft- glimt- glagent- gloas- glsoat- glffct- glrtr- glwt-  [\w.-]{20,300}
  gitlab-token  GR1348941 gltr- _gitlab_session=  [\w-]{20,60}
  bitbucket-token  BBDC-  [\w+/=-]{30,64}
  rubygems-token  rubygems_  [a-f0-9]{40,64}
  crates-token  cio  (?=[A-Za-z]{0,31}\d)[A-Za-z0-9]{32}(?![A-Za-z0-9])
  nuget-key  oy2  [a-z0-9]{43}(?![a-z0-9])
  clojars-token  CLOJARS_  [a-z0-9]{60}
  circleci-token  CCIPAT_ CCIPRJ_  [\w]{30,90}
  buildkite-token  bkua_ bkpi_ bkaj_  [A-Za-z0-9]{32,64}
  snyk-token  snyk_uat. snyk_sat.  [\w.-]{30,200}
  sourcegraph-token  sgp_ slk_ sgd_  [\w]{40,80}
  postman-key  PMAK-  [a-f0-9]{24}-[a-f0-9]{34}
  readme-key  rdme_  [a-z0-9]{60,80}
  contentful-token  CFPAT-  [\w-]{40,50}
  prisma-token  prisma+postgres://  [\w.?/&=:@-]{0,80}api_key=[\w.-]{20,2000}
  infracost-key  ico-  (?<!\.ico-)[A-Za-z0-9]{32}(?![A-Za-z0-9])
  clerk-key  ak_  [A-Za-z0-9]{32,64}(?![A-Za-z0-9])
  resend-key  re_  (?=[A-Za-z_]{0,30}\d)[A-Za-z0-9]{8}_[A-Za-z0-9]{20,32}(?![A-Za-z0-9])
  posthog-key  phx_ phs_ phr_  [\w]{30,64}
  mapbox-token  sk.eyJ tk.eyJ  [\w-]{40,400}\.[\w-]{16,64}
  intra42-secret  s-s4t2ud- s-s4t2af-  [a-f0-9]{64}
  # Work.
  linear-key  lin_api_ lin_oauth_ lin_wh_  [A-Za-z0-9]{24,128}
  notion-token  ntn_ secret_  (?=[A-Za-z]{0,44}\d)[A-Za-z0-9]{40,50}(?![A-Za-z0-9_])
  figma-token  figd_ figo_ figu_ figoh_ figor_  [\w-]{30,200}
  airtable-token  pat  [A-Za-z0-9]{14}\.[a-f0-9]{64}
  hubspot-token  pat-na1- pat-eu1- pat-na2- pat-ap1-  ${uuid}
  typeform-token  tfp_  [\w.=-]{36,80}
  asana-token  1/  \d{13,18}:[a-f0-9]{32}
  asana-token  2/  \d{13,18}/\d{13,18}:[a-f0-9]{32}
  dropbox-token  sl.  (?=[A-Za-z_-]{0,60}\d)[\w-]{100,1500}
  clickup-token  pk_  \d{6,9}_[A-Z0-9]{32}
  intercom-token  dG9rO  [\w+/]{40,80}={0,2}
  mailchimp-key  md-  [\w-]{22}(?![\w-])
  calcom-key  cal_live_ cal_test_  [a-f0-9]{24,64}
  trello-token  ATTA  [A-Za-z0-9]{60,80}
  # Money.
  xendit-key  xnd_production_ xnd_development_  [A-Za-z0-9]{30,80}
  mollie-key  live_ test_  (?=[A-Za-z]{0,29}\d)(?=[a-z0-9]{0,29}[A-Z])[A-Za-z0-9]{30}(?![A-Za-z0-9_])
  paystack-key  sk_live_ sk_test_  [a-f0-9]{40}(?![a-f0-9])
  shopify-token  shpca_ shppa_ shpua_  [A-Za-z0-9]{24,64}
  square-token  sq0atp- sq0csp- sq0idp-  [\w-]{22,64}
  square-token  EAAA  [\w-]{60}(?![\w-])
  facebook-token  EAAC EAAB EAAG EAAM EAAD  (?=[A-Za-z]{0,60}\d)[A-Za-z0-9]{60,300}
  paypal-token  access_token$production$ access_token$sandbox$  [a-z0-9]{16}\$[a-f0-9]{32}
  plaid-token  access-sandbox- access-production- access-development-  ${uuid}
  razorpay-key  rzp_live_ rzp_test_  [A-Za-z0-9]{14,24}
  flutterwave-key  FLWSECK- FLWSECK_TEST-  [A-Za-z0-9]{12,40}(?:-X)?
  adyen-key  AQE  [a-z0-9]{3,10}[\w+/]{60,200}={0,2}-[\w+/]{20,60}={0,2}-[\w\W]{8,24}(?=[\s"'])
  coinbase-key  organizations/  ${uuid}/apiKeys/${uuid}
  shippo-token  shippo_live_ shippo_test_  [a-f0-9]{40}
  easypost-key  EZAK EZTK  [A-Za-z0-9]{54}
  duffel-token  duffel_live_ duffel_test_  [\w=-]{40,50}
  frameio-token  fio-u-  [\w=-]{60,70}
  # Mail, chat, calls.
  matrix-token  syt_  [\w=-]{4,80}_[A-Za-z]{16,24}_[A-Za-z0-9]{6}(?![A-Za-z0-9])
  pubnub-key  sec-c-  [\w=-]{36,80}
  onesignal-key  os_v2_app_ os_v2_org_  [a-z0-9]{60,120}
  dingtalk-secret  SEC  [a-f0-9]{64}(?![a-f0-9])
  slack-token  xoxs- xoxo-  (?=[\w.-]{0,60}\d)[\w.-]{20,400}
  mailgun-key  key-  [a-f0-9]{32}(?![a-f0-9])
  mailgun-key  pubkey-  [a-f0-9]{32}(?![a-f0-9])
  brevo-key  xkeysib- xsmtpsib-  [a-f0-9]{40,64}-[A-Za-z0-9]{10,20}
  mailersend-key  mlsn.  [a-f0-9]{60,70}
  twilio-key  SK  [0-9a-f]{32}(?![0-9a-fA-F])
  slack-webhook  slack.com/api/  [\w.]{3,40}\?token=[\w-]{20,90}
  discord-webhook  discord.com/api/webhooks/ discordapp.com/api/webhooks/  \d{15,21}/[\w-]{40,90}
  teams-webhook  webhook.office.com/webhookb2/  [\w@/-]{60,250}
  dingtalk-webhook  oapi.dingtalk.com/robot/send?access_token=  [a-f0-9]{40,64}
  wecom-webhook  qyapi.weixin.qq.com/cgi-bin/webhook/send?key=  [0-9a-f-]{36}
  feishu-webhook  open.feishu.cn/open-apis/bot/ open.larksuite.com/open-apis/bot/  v2/hook/[0-9a-f-]{36}
  telegram-token  api.telegram.org/bot  \d{8,10}:[\w-]{35}
  zapier-webhook  hooks.zapier.com/hooks/catch/  \d{5,10}/[a-z0-9]{6,12}
  ifttt-key  maker.ifttt.com/trigger/  [\w-]{1,60}/with/key/[\w-]{20,60}
  twitter-token  AAAAAAAAAAAAAAAAAAAAA  [\w%]{60,120}
  instagram-token  IGQV IGAA  [\w-]{80,300}
  defined-token  dnkey-  [\w=-]{26}-[\w=-]{52}
`);
