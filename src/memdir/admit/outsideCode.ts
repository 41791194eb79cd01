// What a repository cannot say: reasons, rules, agreements, plans, people, and places outside. A sentence that names one is no
// derivable fact, whatever files it names besides.

const englishReasons: readonly RegExp[] = [
  // Reasons.
  /\b(?:(?:that|which) is why|driven by|drives|thanks to|or else)\b/i,
  // Rules.
  /\b(?:is|as|that['’]s) (?:a|the|our) (?:rule|policy)\b|\b(?:may not|should|shall|not allowed|forbidden|insists?|cannot have|no one|nobody)\b/i,
  /(?:^|[.:;] )(?:use|do not|don['’]t|ask|avoid|prefer|keep|never|always|please|remember)\b/i,
  // Decisions, agreements, plans, wishes.
  /\b(?:decided|chosen?|chose|agreed?|promised|said|asked|told|wants?|wanted|prefers?|goals?|plan(?:s|ned)? (?:to|for|on)|planned|going to|deadline|freeze|on leave|owns|reviews|knows)\b/i,
  // Places outside.
  /https?:\/\/(?!localhost)|\b(?:slack|linear|jira|notion|confluence|grafana|datadog|sentry|figma|pagerduty|trello|asana|teams|wiki|runbook|dashboard|shared drive|spreadsheet)\b|(?<!\w)#[a-z][a-z-]{2,}/i,
  // What was learned by running it.
  /\b(?:surprising(?:ly)?|actually|in fact|although|despite|flaky|in production|outages?|incidents?)\b/i,
];

const chineseReasons =
  /因为|由于|所以|因此|为了|以免|否则|原因|不要|禁止|务必|一律|不得|不可|不了|没法|无法|应该|先问|先找|先别|别动|别改|别用|负责|正在|[他她]|暂不|暂时|先不|等到|不接受|决定|约定|同意|承诺|答应|要求|希望|喜欢|偏好|才会|看板|频道|群|飞书|钉钉|企业微信|语雀|知识库|共享盘|工单|法务|厂家|厂商|领导|主管|休假|(?:周|星期)[一二三四五六日天末]|生产环境|线上|故障|事故|其实|意外|偶尔|拖垮|[太很]慢|变慢|太贵/;

export const saysMoreThanCode = (text: string) =>
  englishReasons.some((pattern) => pattern.test(text)) || chineseReasons.test(text);

/** Conditions, causes and what follows from them: code has them too, and then the whole of what is said has to stand there. */
const conditions =
  /\b(?:must|otherwise|until|caused by|only (?:on|after|when|with)|because|so that|due to|in order to|ha(?:s|ve|d) to|needs? to|will)\b|, so \w|导致|引起|必须|只能|不能/i;

/** "whole": of the sentence nearly every word has to be found, not most of them. */
export const neededShare = (text: string): "most" | "whole" => (conditions.test(text) ? "whole" : "most");

/** Words for people, places and times outside, unless the code has them too: then it is about them. */
const outsideOrDomain: Readonly<Record<string, readonly string[]>> = {
  ticket: ["ticket"],
  board: ["board"],
  channel: ["channel"],
  contract: ["contract"],
  customer: ["customer"],
  vendor: ["vendor"],
  供应商: ["supplier", "vendor", "provider"],
  客户: ["customer", "client"],
  团队: ["team"],
  运维: ["operations"],
  审计: ["audit"],
  计划: ["plan"],
  目标: ["target", "goal"],
  每天: ["cron", "schedule", "daily", "every day"],
  每周: ["cron", "schedule", "weekly", "every week"],
  每月: ["cron", "schedule", "monthly", "every month"],
  凌晨: ["cron", "schedule"],
};

/** The English of each such word in a text: the place where it is looked up has to have one. */
export const outsideWords = (text: string): (readonly string[])[] =>
  Object.entries(outsideOrDomain).flatMap(([word, english]) =>
    text.toLowerCase().includes(word) ? [english] : [],
  );
