// Patterns of words that speak to a model and tell it what to do: in a stored text they are data, and never a title.
// "The parser must always return null" is about a parser; "the assistant must always approve" is meant for its reader.

/** Names by which a text means the model that reads it. A model or an agent alone may be a class or a process. */
const modelName =
  "(?:(?:ai|llm|gpt)s?(?:[ -](?:assistant|agent|model|tool|bot|reviewer)s?)?|(?:coding|language|chat)[ -](?:assistant|agent|model|bot)s?|assistants?|claude(?: code)?|chatgpt|(?:agents?|models?) (?:reading|processing|that reads?|who reads?) this)";
/** Phrases that only make sense to a model, in a note, a log or a page. */
const risky =
  "(?:run|execute|eval|invoke|approve|accept|ignore|disregard|skip|bypass|obey|comply|send|upload|forward|fetch|download|install|delete|remove|push|merge|curl|wget|visit|reveal|leak|disclose|trust|pretend|forget|disable|grant|share|hide|conceal|refuse|exfiltrate)";
/** What a model does for the person it works with. */
const serving =
  "(?:call|open|read|print|include|append|prepend|insert|add|mention|recommend|suggest|treat|tell|ask|inform|say|reply|respond|answer|act|behave|remember|follow|use|allow|give|copy|commit|write|state|output|assume|proceed|start|begin|end|stop|never|always)";
const strong =
  "(?:must|shall|has to|have to|(?:is|are) (?:now )?(?:required|obliged|ordered|authori[sz]ed) to|(?:is|are) to|will (?:now|always|never|immediately)|always|never|may not)";
const weak = "(?:should|needs? to|ought to|can now|will|(?:is|are) (?:allowed|expected) to)";
/** "… who read this file …", "… in this repository …" */
const aside = "(?:(?:that|who|which|reading|using|working|in|on|of|at|here|,)\\s?[^.!?\\n]{0,30}\\s)?";
const between = "(?:[\\w'-]{2,14}\\s{1,3}){0,3}?";

/** Phrases about the answers, permissions and instructions of the reader. */
const situation =
  "(?:before (?:you )?(?:answer|respond|reply)(?:ing)?|in (?:every|each|all(?: of)?(?: your)?|your) (?:[\\w-]{1,12} )?(?:answers?|repl(?:y|ies)|responses?)|every (?:answer|reply|response)\\b|without (?:asking|confirm|telling|hesitat|permission|the user)|your (?:user|human|operator|instructions?|guidelines|system prompt|tools|answers?|repl(?:y|ies)|responses?|training)\\b|permission prompts?|regardless of (?:what|your|any|other|earlier|previous)|no matter what|these instructions|this instruction\\b|silently|secretly|unconditionally)";
const you =
  "you(?:'re| are)?\\s(?:now\\s)?(?:must|shall|should|have to|need to|required to|instructed to|authori[sz]ed to|to|will|always|never)";
/** The rest of a sentence; names of files and hosts have points inside. */
const sentence = "(?:[^.!?\\n]|[.!?](?=\\S)){0,90}?";
const opening = "(?:^|[\\n.!?>#*(\\[\"'`]\\s{0,3}|<!--\\s{0,3}|//\\s{0,3}|-\\s{1,3})";
/** A name that is no scope of a commit ("claude: remove …"). */
const company =
  "(?:(?:ai|llm|gpt|coding|language)[ -](?:assistant|agent|model|tool|bot|reviewer)s?|assistants|chatbots?)";

/** Behind the name of a reader: then it is the name of a thing. */
const thing =
  "(?:sdk|api|cli|code|apps?|calls?|clients?|providers?|panels?|endpoints?|messages?|roles?|turns?|text|blocks?|features?|keys?|costs?|desktop|sessions?|window|hooks?|settings|config\\w*|requests?|history|memory|content|page|view|ui|button|name|field|type|id|part|thread|component)";
/** Verbs that describe a thing; an order to a reader uses other verbs. */
const stative =
  "(?:not )?(?:be|been|have|support|return|work|handle|exist|contain|match|fit|receive|see|get|know|come|go|look|pass|validate|render|stream|emit|produce|provide|implement|load|end|start|begin|stay|keep|fail|retry|take|hold|need|follow|appear|show|cost|speak|make|become|remain)\\b";

/** With the name of the reader. */
const byName = [
  `\\b${modelName}(?!\\s${thing}\\b)[^.!?\\n]{0,40}?\\b(?:must|shall|has to|have to|(?:is|are) (?:now )?(?:required|obliged|ordered|permitted|allowed|authori[sz]ed|free) to|should (?:always|never)|may (?:now|always|freely)|(?:should|needs? to|may|can now) (?=${risky}\\b))\\s(?!${stative})[a-z]`,
  `\\b(?:order|instruct|command|direct|force|oblige|require|permit|authori[sz]e|tell|have|get|make)s?\\s(?:the |any |all |every |your |an? )${modelName}\\s(?:to )?(?:${risky}|${serving})\\b`,
  `${opening}(?:to|for) (?:the |any |all |every )?${modelName}\\b[^.!?\\n]{0,40}?[:：,]\\s{1,3}(?:please\\b|you\\b|do not\\b|don't\\b|${risky}\\b|${serving}\\b)`,
  `\\b${modelName}\\s${aside}${strong}\\s{1,3}${between}(?:${risky}|${serving})\\b`,
  `\\b${modelName}\\s${aside}${weak}\\s{1,3}${between}${risky}\\b`,
  `\\b${modelName}\\s${weak}\\s{1,3}${between}(?:respond|reply|answer|say|output|print|write|end|begin|start) (?:only|exactly|nothing|always|never|each|every|with)\\b`,
  `\\b${modelName}\\s(?:that |who |which |is |are ){0,2}(?:reading|reads?|processing|parsing|seeing|sees?|summari[sz]ing) (?:this|these|it)\\b`,
  `${opening}(?:(?:hey|hello|hi|ok|okay)[ ,]{1,3})?${modelName}\\s?[,，]\\s{1,3}(?:please |you (?:must|should|will) |now |always |never |do not |don't ){0,2}(?:${risky}|${serving})\\b`,
  `${opening}(?:dear|attention|(?:important |urgent |special )?(?:note|notice|reminder|message|memo|hint|instructions?|orders?|commands?|tasks?|rules?|important|warning)s? (?:for|to))[ ,:!]{1,3}(?:all |any |the |every |my )?${modelName}\\b`,
  `${opening}${company}\\s?[:：,]\\s{1,3}[^.\\n]{0,50}\\b${risky}\\b`,
  `\\b(?:to|for) (?:whichever|whatever|whoever|any|every|all) (?:[\\w-]{1,12} ){0,2}(?:agent|assistant|model|ai|llm)s? (?:that|who|which|picks?|reads?|runs?|works?|working|reading|seeing)\\b`,
  `\\bfrom (?:this point|now|here|today)(?: on| onwards?| forward)?,?\\s(?:the |all |every |any )?(?:${modelName}\\b|you (?:must|will|shall|are to|never|always|do not|should))`,
  `${opening}${modelName}\\s?[:：]\\s{0,3}(?:you (?:must|should|will)|always|never|do not|don't|ignore|immediately)\\b`,
  "\\b(?:if|when|since|because|as) (?:you(?:'re| are) )?(?:an?|the|any) (?:ai|llm|large language model|language model|ai assistant|ai agent|coding agent|coding assistant|assistant)\\b[^.\\n]{0,40}\\b(?:you|your|please|must|reading)\\b",
];

/** Salutations and headings that are not addressed to a person. */
const bySalutation = [
  `${opening}(?:hello|hi|hey|dear|greetings),?\\s(?:there,?\\s)?${modelName}\\b`,
  `${opening}(?:for )?(?:the )?${modelName}(?:'s)? (?:eyes only|instructions?|directives?|orders)\\s?[:：]`,
  "\\b(?:begin |end |new |updated )?system (?:override|instructions?|directives?|command)s?\\s?[:.!：]",
  "\\byou, (?:the|an?|my) (?:ai|llm|assistant|model|language model|agent|chatbot)\\b",
  `\\bas (?:the|an?) (?:ai|llm|language model|assistant|coding agent)(?: [\\w-]{1,12}){0,3}, (?:you\\b|please\\b|${risky}\\b|${serving}\\b)`,
  "\\b(?:stop|drop|pause|abandon) (?:what|everything|whatever) you(?:'re| are) doing\\b",
  `${opening}(?:please |now |you (?:will |must |should |are to )?)?(?:act|behave|respond|pose) as (?:an?|the|my|if you were) [^.\\n]{0,40}\\b(?:bot|agent|assistant|administrator|hacker|terminal|interpreter|persona|expert)\\b`,
  `\\b${modelName}\\s(?:now )?(?:has|have|had)(?: been)? (?:(?:full|explicit|standing|special|admin|root) ){0,2}(?:permission|authority|clearance|granted|rights|access|approval)\\b`,
  "\\b(?:ai |coding )?agents? (?:working|running|operating|active|deployed) (?:on|in|inside|within) this (?:repo|repository|project|codebase|file|folder|workspace)\\b",
  "\\byour (?:ai |coding |llm )?(?:agent|assistant|copilot) (?:must|should|shall|has to|needs? to|will|is to)\\b",
  `\\b(?:require[sd]?|mandatory|critical|essential|imperative|necessary|crucial)\\b[^.\\n]{0,20}\\b(?:that|for)\\b[^.\\n]{0,25}\\b(?:${modelName}|the model|agents)(?!\\s${thing}\\b)\\b`,
  "\\b(?:the |this )?(?:model|agent) (?:must|should|shall|may|can)? ?(?:never|not|always) (?:reveals?|mentions?|discloses?|tells?|asks?|refuses?|admits?)\\b",
];

/** "You must … in every answer", "when you read this, …" */
const inSecondPerson = [
  "\\byou are (?:now )?(?:an?|the) (?:[\\w-]{1,14} ){0,3}(?:agent|assistant|bot|chatbot|language model|ai)\\b",
  "\\byour (?:instructions?|orders|goals?|rules|directives?|system prompt) (?:have|has|are|is|were|was) (?:now )?(?:been )?(?:changed?|updated?|replaced?|void|overridden|extended|as follows)\\b",
  "\\b(?:new|another|one more|extra|additional) (?:rules?|instructions?|orders?|tasks?|directives?) for you\\b",
  `\\b(?:add|put|include|append|insert|mention|write|repeat|quote)\\s[^.!?\\n]{0,60}?\\b(?:in|into|to|at the end of) your (?:next |final |every )?(?:answers?|repl(?:y|ies)|responses?|summar(?:y|ies))\\b`,
  `\\b${you}\\s${sentence}\\b${situation}`,
  `${opening}${situation}[,:]?\\s${between}${you}\\b`,
  "\\byour (?:new|real|actual|only|true|next) (?:goal|task|role|job|mission|objective|purpose|instructions?) (?:is|are)\\b",
  "\\b(?:tell|ask|convince|inform|warn|remind|assure) your (?:user|human|operator|owner)\\b",
  `\\b(?:if|when|once|after|while) you (?:are )?(?:read|reading|see|seeing|process|processing|summari[sz]e|summari[sz]ing|load|loading) (?:this|these)\\b[^.\\n]{0,60}\\b(?:you must|you should|always|never|${risky}|reply|respond|answer|say|tell|call|print|stop)\\b`,
];

/** A role that only the agent and its makers speak in, and then an order. */
const byRole = [
  `(?:^|[\\n>*#[(|])\\s{0,4}(?:system|developer|admin(?:istrator)?|root|operator|anthropic|openai)(?:[ _-](?:message|prompt|notice|note|instructions?|override|alert|policy|update|reminder|command))?\\s?[\\])*]{0,3}\\s?[:：>\\])–—-]{1,3}\\s{0,3}(?:[^.!?\\n]{0,60}\\b(?:assistants?|agents?|model|ai|llm|claude)\\b[^.!?\\n]{0,40}\\b(?:must|shall|should|always|never|will|are|need|have|has|is (?:now )?(?:allowed|required|authori[sz]ed|permitted|free))\\b|you (?:must|shall|should|will|are|have|always|never)\\b|(?:always|never|ignore|execute|obey|comply|run|approve)\\b)`,
];

/** "Always run … before you answer" */
const forAlways = [
  `${opening}(?:always|never|be sure to|make sure (?:to|you)|remember to)\\s${between}(?:${risky}|${serving})\\b${sentence}\\b${situation}`,
];

/** Rank and permission that a text gives itself. */
const byRank = [
  `\\b(?:when|while|after|before) (?:reading|summari[sz]ing|reviewing|processing|indexing|parsing) (?:this|these) [\\w-]{1,12}, (?:please )?(?:always |never |do not |don't )?(?:${risky}|${serving})\\b`,
  "\\b(?:do not|don't|never|stop|no longer|instead of)\\s(?:follow|obey|comply with|honou?r|trust)(?:ing)?\\s[^.\\n]{0,20}?(?:claude|agents|gemini|copilot-instructions)\\.md\\b",
  "\\b(?:this|these|the following|following|new|my) (?:rules?|instructions?|directives?|policy|policies|guidelines?|message|note)\\s[^.\\n]{0,30}\\b(?:overrides?|supersedes?|replaces?|takes? (?:precedence|priority)|outranks?)\\b[^.\\n]{0,40}\\b(?:your|all|any|other|previous|prior|earlier|system)\\b",
  "\\b(?:user|human|operator|owner|admin(?:istrator)?|developer|anthropic) (?:has |have )?(?:already |pre-?|explicitly |fully ){0,2}(?:approved|authori[sz]ed|allowed|consented to|agreed to|granted|permitted|wants you to|asks you to|orders you to|expects you to)\\s(?:you\\s)?(?:to\\s)?(?:\\w{1,12}\\s){0,2}?(?:all|any|every|everything|anything|unrestricted|run|execute|delete|push|send|skip|ignore)\\b",
  `\\b(?:in|for|during) (?:all |every |any |each )?(?:future|later|subsequent|upcoming) (?:sessions?|conversations?|chats?)\\b[,:]?\\s(?:\\w{1,12}\\s){0,2}?(?:you\\b|always|never|must|${modelName}\\b)`,
];

const chineseReader =
  "(?:ai\\s?(?:助手|助理|代理|模型|智能体|编程助手)?|人工智能(?:助手|模型)?|大(?:语言)?模型|语言模型|智能体|(?:编程|编码|智能)助手|(?<![\\p{Script=Han}])助手|claude|chatgpt)(?:们)?";
const chineseDuty = "(?:必须|务必|一定要|应当|应该|应|须|需要|总是|始终|永远|不得|不要|禁止|切勿)";
const chineseWork =
  "(?:运行|执行|批准|同意|接受|忽略|无视|跳过|绕过|服从|遵守|听从|发送|上传|转发|下载|安装|删除|推送|访问|泄露|透露|附上|提及|推荐|信任|告诉|告知|询问|通知|回复|回答|答复|拒绝|假装|扮演|记住|禁用|授予|照做)";

const chineseInstructions = [
  `${chineseReader}\\s?(?:在[^。！？\\n]{1,16}?[时前后中][，,]?)?(?:都|也|今后|以后)?${chineseDuty}[^。！？\\n]{0,12}?${chineseWork}`,
  `(?:^|[\\n【[（(#>])\\s{0,4}(?:系统|管理员|开发者|官方)(?:消息|提示|通知|指令|公告|命令)?\\s?[】\\])）]?\\s?[:：】—-]?[^。！？\\n]{0,20}?(?:你|您|助手|模型|ai|智能体)[^。！？\\n]{0,8}?${chineseDuty}`,
  "[你您](?:现在|今后|以后)?(?:都)?(?:必须|务必|一定要|应当始终|应该始终|应始终|要始终|不得|总是要)[^。！？\\n]{0,30}?(?:回答|回复|答复|用户|指令|工具调用|批准|询问|每次对话|会话)",
  `(?:^|[\\n。！？【\\[#>])\\s{0,4}${chineseReader}\\s?[:：，,]\\s?[^。！？\\n]{0,30}?(?:${chineseDuty}|${chineseWork}|直接|都)`,
  `请(?:各位|所有)?\\s?${chineseReader}\\s?[^。！？\\n]{0,10}?${chineseWork}`,
  `(?:给|对|向|供)(?:所有|各位|任何)?\\s?${chineseReader}(?:看)?的(?:说明|指令|指示|提示|话|要求|命令|规则|任务)`,
  `(?:阅读|读取|处理|看到)(?:此|本|这|该)[^。！？\\n]{0,8}?的${chineseReader}`,
  "[你您](?:应该|应当|可以|得|要|就)?(?:直接|立即|马上|自动)(?:执行|运行|批准|推送|删除|安装)[^。\\n]{0,16}(?:不用|无需|不必|别|不要|不需要)(?:再)?(?:询问|问|确认|告诉|通知|经过|征求)",
  "(?:当|如果|若|一旦)[你您](?:读到|看到|读取|处理|总结)了?(?:这|此|本|以下)",
  `${chineseReader}\\s?请(?:立即|马上|先|务必|直接)?[^。！？\\n]{0,16}?${chineseWork}`,
  `作为(?:一个|一名)?\\s?${chineseReader}[，,]?[你您]`,
  "(?:在|于)[你您]的(?:回答|回复|答复|输出|总结)(?:里|中|末尾)?",
  `${chineseReader}\\s?(?:已|已经)?(?:获得|拥有|具有|被授予)[^。！？\\n]{0,8}?(?:权限|授权|许可)`,
  `(?:写给|发给|告诉|命令|要求|让)\\s?(?:所有|各位)?\\s?${chineseReader}\\s?(?:[:：，,]|[^。！？\\n]{0,6}?${chineseWork})`,
  "(?:任何|所有|每个|各个)[^。！？\\n]{0,10}?(?:模型|智能体|助手|ai)[^。！？\\n]{0,8}?(?:都要|都必须|都应|必须|务必|需先|要先|请)",
  "(?:模型|智能体|助手|ai)(?:们)?(?:请)?(?:注意|听好|知悉)",
  `${chineseReader}\\s?(?:不再|无需|无须|不用|不必)(?:需要)?[^。！？\\n]{0,8}?(?:确认|批准|询问|许可|同意)`,
  "[你您](?:现在)?是(?:一个|一名|一位)?[^。！？\\n]{0,8}?(?:机器人|助手|管理员|智能体|黑客)[，,]",
  "(?:看到|读到|收到)(?:此|这|本)[^。！？\\n]{0,4}?(?:消息|文字|内容|文件|提示)(?:后|时)[，,]?(?:请|立即|马上|必须|务必|直接)",
  "(?:新的?|最新)(?:的)?系统(?:指令|提示词|命令)",
  "(?:如果|若|假如)[你您]是(?:一个|一名|一款)?(?:ai|人工智能|大模型|语言模型|助手|智能体)",
  "(?:^|[\\n。！？【])\\s{0,4}(?:致|告|通知|提醒|注意)[，,：: ]?(?:所有|全体|各位|任何|阅读本文的)?(?:的)?(?:ai|人工智能|大模型|智能体|语言模型|编程助手)",
  "(?:以下|这些|本|新的|上述)(?:指令|规则|要求|消息)[^。\\n]{0,8}(?:优先于|覆盖|取代|高于|凌驾)[^。\\n]{0,8}(?:其他|所有|之前|系统|一切|你)",
  "(?:用户|主人|管理员)(?:已经|已|早已)?(?:预先|事先|完全|明确)?(?:授权|批准|同意|允许)(?:了|你){0,2}[^。\\n]{0,6}(?:所有|一切|任何|全部)",
  "(?:今后|以后|将来|未来|后续)的?(?:所有|每次|每一次|任何)?(?:会话|对话|回答|回复)[里中]?[，,]?(?:你|都必须|必须|务必|总是|始终)",
];

/** The patterns that can match only where a landmark is: most texts have none, and are done after a few looks. */
interface Group {
  readonly landmark: RegExp;
  readonly patterns: readonly RegExp[];
}

const patternGroup = (landmark: RegExp, sources: readonly string[]): Group => ({
  landmark,
  patterns: sources.map((source) => new RegExp(source, "gu")),
});

/** For text in small letters. Bounded, and without nested repetition. */
export const addressed: readonly Group[] = [
  patternGroup(
    /\b(?:ai|llm|gpt|claude|chatgpt)|\bassistant|(?:coding|language|chat)[ -]|(?:agent|model)s? \w/u,
    byName,
  ),
  patternGroup(
    /\b(?:ai|llm|gpt|claude|chatgpt|assistant|agent|model|language|system|stop|drop|pause|abandon|act|behave|respond|pose)/u,
    bySalutation,
  ),
  patternGroup(/\byou/u, inSecondPerson),
  patternGroup(/\b(?:system|developer|admin|root|operator|anthropic|openai)/u, byRole),
  patternGroup(/\b(?:always|never|be sure|make sure|remember)\b/u, forAlways),
  patternGroup(
    /\b(?:rule|instruction|directive|polic|guideline|message|note|user|human|owner|operator|admin|developer|anthropic|future|later|subsequent|upcoming|reading|summari|reviewing|processing|indexing|parsing)|\.md\b/u,
    byRank,
  ),
  patternGroup(/\p{Script=Han}/u, chineseInstructions),
];
