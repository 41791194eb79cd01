// What a repository cannot say: reasons, rules, agreements, plans, people, and places outside. A sentence that names one is no
// derivable fact, whatever files it names besides.

const englishReasons: readonly RegExp[] = [
  // Reasons and consequences.
  /\b(?:because|so that|due to|otherwise|in order to|caused by|(?:that|which) is why|driven by|drives|thanks to|or else)\b|, so \w/i,
  // Rules.
  /\b(?:must|may not|should|shall|ha(?:s|ve|d) to|needs? to|not allowed|forbidden|insists?|cannot have|only (?:on|after|when|with)|no one|nobody|until)\b/i,
  /(?:^|[.:;] )(?:use|do not|don['’]t|ask|avoid|prefer|keep|never|always|please|remember)\b/i,
  // Decisions, agreements, plans, wishes.
  /\b(?:decided|chosen?|chose|agreed?|promised|contract|wants?|wanted|prefers?|goals?|plan(?:s|ned)?|will|going to|deadline|freeze|on leave|owns|reviews|knows)\b/i,
  // Places outside.
  /https?:\/\/(?!localhost)|\b(?:slack|linear|jira|notion|confluence|grafana|datadog|sentry|figma|pagerduty|trello|asana|teams|wiki|runbook|dashboard|board|channel|shared drive|spreadsheet|tickets?)\b|(?<!\w)#[a-z][a-z-]{2,}/i,
  // What was learned by running it.
  /\b(?:surprising(?:ly)?|actually|in fact|although|despite|flaky|in production|outages?|incidents?|customers?|vendor)\b/i,
];

const chineseReasons =
  /因为|由于|所以|因此|为了|以免|否则|原因|导致|引起|必须|不要|禁止|务必|一律|只能|不得|不能|不可|应该|先问|不接受|决定|约定|同意|承诺|答应|目标|计划|要求|希望|喜欢|偏好|才会|看板|频道|群|飞书|钉钉|企业微信|语雀|知识库|共享盘|工单|团队|客户|供应商|法务|运维|审计|休假|每天|每周|每月|凌晨|(?:周|星期)[一二三四五六日天末]|生产环境|线上|故障|事故|其实|意外|偶尔/;

export const saysMoreThanCode = (text: string) =>
  englishReasons.some((pattern) => pattern.test(text)) || chineseReasons.test(text);
