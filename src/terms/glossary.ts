// Chinese words of the trade and the English words that say the same, so that a question finds rows in the other language.
import { stem } from "./stem.ts";

/** `中文 english english, …`: the first English word is the usual one. General vocabulary of software work. */
const pairs = `
  提交 commit submit, 已提交 committed, 未提交 uncommitted, 分支 branch, 主分支 main master trunk, 合并 merge, 变基 rebase, 冲突 conflict, 暂存 stage stash,
  暂存区 staged index, 推送 push, 拉取 pull fetch, 克隆 clone, 仓库 repository, 代码库 codebase repository, 远程 remote, 上游 upstream, 下游 downstream, 标签 tag label,
  版本 version release, 发布 release publish, 发行 release, 补丁 patch, 差异 diff difference, 历史 history, 回退 rewind rollback revert, 回滚 rollback revert,
  撤销 undo revert, 还原 restore revert, 恢复 restore resume recover, 拉取请求 pull, 合并请求 merge, 代码评审 review, 评审 review, 审查 review, 审核 review audit,
  工作区 worktree workspace, 工作树 worktree, 子模块 submodule, 检出 checkout, 拣选 cherry, 压缩 compact compress, 打包 pack bundle package,
  解压 unpack extract decompress, 归档 archive, 快照 snapshot, 检查点 checkpoint, 影子 shadow, 机器人 bot robot, 流水线 pipeline workflow, 工作流 workflow, 持续集成 ci,
  部署 deploy, 构建 build, 编译 compile build, 链接 link, 安装 install, 卸载 uninstall, 升级 upgrade, 降级 downgrade, 更新 update, 迁移 migrate migration, 依赖 dependency,
  包 package, 模块 module, 库 library, 框架 framework, 插件 plugin, 扩展 extension extend, 脚本 script, 命令 command, 命令行 cli command, 终端 terminal,
  参数 argument parameter flag, 选项 option flag, 开关 flag toggle switch, 标志 flag, 环境变量 environment env, 环境 environment, 变量 variable, 常量 constant,
  配置 configuration setting, 设置 setting set configure, 默认 default, 默认值 default, 函数 function, 方法 method, 类 class, 对象 object, 接口 interface api endpoint,
  类型 type, 结构 struct structure, 结构体 struct, 枚举 enum, 字段 field, 属性 property attribute, 数组 array, 列表 list, 字典 dictionary map, 映射 map mapping,
  集合 set collection, 队列 queue, 栈 stack, 堆 heap, 树 tree, 图 graph, 节点 node, 指针 pointer, 空指针 nil null, 引用 reference, 字符串 string, 字符 character, 整数 integer,
  浮点 float, 布尔 boolean, 数字 number, 字节 byte, 编码 encode encoding, 解码 decode, 序列化 serialize marshal, 反序列化 deserialize unmarshal, 解析 parse, 格式 format,
  格式化 format, 正则 regex, 正则表达式 regex, 模板 template, 循环 loop, 递归 recursion recursive, 条件 condition, 分支语句 branch, 返回 return, 返回值 return, 调用 call invoke,
  回调 callback, 钩子 hook, 事件 event, 监听 listen watch, 触发 trigger fire, 中断 interrupt abort, 信号 signal, 线程 thread, 进程 process, 子进程 subprocess child,
  协程 coroutine goroutine, 并发 concurrent concurrency, 并行 parallel, 同步 sync synchronous, 异步 asynchronous, 锁 lock mutex, 死锁 deadlock, 竞态 race,
  竞争 race contention, 互斥 mutex, 原子 atomic, 事务 transaction, 缓存 cache, 缓冲 buffer, 内存 memory, 泄漏 leak, 泄露 leak, 磁盘 disk, 文件 file, 文件名 filename file,
  文件夹 directory folder, 目录 directory folder, 路径 path, 绝对路径 absolute, 相对路径 relative, 符号链接 symlink, 软链接 symlink, 临时 temporary, 备份 backup, 读取 read load,
  写入 write, 写 write, 保存 save store persist, 存储 store storage, 删除 delete remove, 移除 remove, 清理 clean cleanup prune, 清空 clear empty, 创建 create,
  新建 create new, 生成 generate create, 添加 add, 增加 add increase, 插入 insert, 修改 modify change edit, 编辑 edit, 替换 replace, 重命名 rename, 移动 move, 复制 copy,
  拷贝 copy, 查找 find search lookup, 搜索 search, 查询 query, 检索 search retrieve, 过滤 filter, 排序 sort order, 分组 group, 统计 count statistic, 计数 count,
  计算 compute calculate, 总和 sum total, 累加 sum accumulate, 平均 average, 最大 maximum, 最小 minimum, 限制 limit restrict, 上限 limit cap maximum, 阈值 threshold,
  大小 size, 长度 length, 数量 count number amount, 索引 index, 编号 number id, 标识 id identifier, 标识符 identifier id, 名称 name, 名字 name, 前缀 prefix, 后缀 suffix,
  路由 route router, 请求 request, 响应 response respond, 服务器 server, 服务 service server, 客户端 client, 网络 network, 连接 connection connect, 断开 disconnect,
  端口 port, 套接字 socket, 地址 address, 域名 domain, 代理 agent proxy, 智能体 agent, 子代理 subagent, 助手 assistant, 模型 model, 提示 prompt hint, 提示词 prompt,
  对话 conversation transcript dialogue, 对话记录 transcript conversation, 记录 record log transcript, 会话 session, 上下文 context, 窗口 window, 令牌 token, 词元 token,
  消息 message, 用户 user, 账户 account, 账号 account, 密码 password, 密钥 key secret, 秘钥 key secret, 凭证 credential, 证书 certificate, 认证 authentication, 登录 login,
  登出 logout, 授权 authorization authorize, 权限 permission, 访问 access, 拒绝 deny reject refuse, 允许 allow permit, 禁止 forbid deny, 禁用 disable, 启用 enable,
  关闭 close disable, 打开 open, 开启 enable open, 停止 stop, 启动 start launch, 重启 restart, 暂停 pause, 继续 continue resume, 退出 exit quit, 超时 timeout, 重试 retry,
  延迟 delay latency, 等待 wait, 阻塞 block, 拦截 intercept block, 跳过 skip, 忽略 ignore, 错误 error wrong bug, 报错 error, 出错 error fail, 异常 exception error,
  崩溃 crash panic, 失败 fail failure, 故障 failure fault, 警告 warning warn, 告警 alert warning, 日志 log, 跟踪 trace track, 追踪 trace track, 调试 debug, 断点 breakpoint,
  断言 assert assertion, 测试 test, 单元测试 unit test, 集成测试 integration, 端到端 e2e end-to-end, 用例 case, 覆盖率 coverage, 覆盖 override overwrite cover,
  模拟 mock simulate, 桩 stub, 基准 benchmark baseline, 性能 performance, 优化 optimize, 瓶颈 bottleneck, 重构 refactor, 修复 fix repair, 修正 fix correct,
  解决 solve resolve fix, 问题 problem issue bug, 漏洞 vulnerability bug hole, 缺陷 bug defect, 原因 cause reason, 根本原因 root cause, 根因 root cause, 症状 symptom,
  影响 affect impact, 变更 change, 改动 change, 变化 change, 需求 requirement, 功能 feature function, 特性 feature, 任务 task, 待办 todo, 计划 plan,
  方案 plan approach proposal, 设计 design, 架构 architecture, 文档 document documentation docs, 注释 comment, 说明 description explain instruction, 示例 example,
  例子 example, 规范 specification convention, 约定 convention, 规则 rule, 策略 strategy policy, 决定 decide decision, 决策 decision, 选择 choose select,
  偏好 preference prefer, 建议 suggest recommend proposal, 意见 opinion comment feedback, 反馈 feedback, 确认 confirm, 验证 verify validate validation,
  校验 validate check checksum, 检查 check inspect, 检测 detect, 判断 determine check decide, 比较 compare, 对比 compare, 匹配 match, 相等 equal,
  一致 consistent same identical match, 不一致 inconsistent mismatch differ, 不同 different differ, 相同 same identical equal, 重复 duplicate repeat,
  多余 redundant extra, 冗余 redundant, 缺少 missing lack, 缺失 missing, 丢失 lost lose missing, 遗漏 miss omit forget, 为空 empty nil null, 空 empty null,
  状态 state status, 状态机 state machine, 阶段 phase stage, 步骤 step, 流程 flow process, 生命周期 lifecycle, 初始化 initialize init, 注册 register, 注册表 registry,
  实例 instance, 单例 singleton, 工厂 factory, 继承 inherit, 多态 polymorphism, 抽象 abstract, 封装 encapsulate wrap, 实现 implement implementation,
  定义 define definition, 声明 declare declaration, 导入 import, 导出 export, 输入 input, 输出 output, 打印 print, 显示 show display, 隐藏 hide hidden, 界面 ui interface,
  页面 page, 按钮 button, 菜单 menu, 样式 style, 组件 component, 前端 frontend, 后端 backend, 数据 data, 数据库 database, 表 table, 行 line row, 列 column, 主键 primary key,
  外键 foreign key, 元数据 metadata, 模式 mode schema pattern, 时间 time, 时间戳 timestamp, 日期 date, 时区 timezone, 天 day, 周 week, 定时 schedule timer cron,
  周期 period cycle, 频率 frequency rate, 限流 throttle rate, 负载 load, 均衡 balance, 集群 cluster, 容器 container, 镜像 image mirror, 虚拟机 vm, 沙箱 sandbox,
  密文 ciphertext, 加密 encrypt, 解密 decrypt, 哈希 hash, 散列 hash, 签名 signature sign, 摘要 summary digest, 总结 summary summarize, 隐私 privacy private,
  脱敏 redact redaction, 安全 safe security secure, 注入 inject injection, 转义 escape, 引号 quote, 换行 newline, 缩进 indent, 空格 space whitespace,
  分隔符 separator delimiter, 字段名 field name, 警报 alert, 通知 notification notify, 邮件 mail email, 浏览器 browser, 操作系统 os system, 系统 system, 平台 platform,
  设备 device, 硬件 hardware, 软件 software, 程序 program, 应用 application app, 源码 source code, 代码 code, 源 source, 目标 target goal, 入口 entry entrypoint, 主机 host,
  用户名 username, 组织 organization, 团队 team, 项目 project, 兼容 compatible compatibility, 向后兼容 backward compatible, 弃用 deprecate deprecated,
  废弃 deprecate obsolete, 过期 expire stale outdated, 陈旧 stale, 失效 invalid expire stale, 有效 valid, 无效 invalid, 合法 valid legal, 非法 illegal invalid,
  强制 force forced, 自动 auto automatic, 手动 manual, 交互 interactive, 批量 batch bulk, 全局 global, 局部 local, 本地 local, 公共 public common shared, 共享 share shared,
  私有 private, 内部 internal, 外部 external, 多次 multiple, 首次 first, 最初 initial first originally, 最后 last final finally, 最终 final finally eventually,
  之前 before previous earlier, 之后 after later, 以前 before previously, 当前 current, 真实 real actual, 真正 real actual, 内容 content, 文本 text, 标题 title, 正文 body,
  场景 scenario case, 情况 case situation, 方式 way approach method, 顺序 order sequence, 优先级 priority, 权重 weight, 评分 score, 排名 rank, 并入 merge, 拆分 split,
  分割 split, 切分 split chunk, 分块 chunk, 块 block chunk, 片段 snippet fragment chunk, 截断 truncate, 追加 append, 弹出 pop popup, 作者 author, 贡献 contribution,
  阅读 read, 丢弃 discard drop, 悬空 dangling, 孤立 orphan orphaned, 孤儿 orphan, 遍历 traverse walk iterate, 迭代 iterate iteration, 嵌套 nested, 占位 placeholder,
  语法 syntax grammar, 语义 semantic, 词 word, 单词 word, 语言 language, 翻译 translate, 渲染 render, 重定向 redirect, 转发 forward, 支持 support, 信息 information,
  操作 operation, 执行 execute run, 运行 run, 包含 contain include, 未知 unknown, 获取 get fetch, 位置 location position, 处理 process handle, 表达式 expression,
  标准 standard, 范围 range, 转换 convert, 标记 mark tag, 更改 change, 结束 end finish, 可用 available, 关系 relation, 识别 recognize, 命名 name, 提供 provide, 空间 space,
  图像 image, 列出 list, 用法 usage, 改变 change, 二进制 binary, 分隔 separator, 条目 entry item, 序列 sequence, 描述 description, 颜色 color, 超出 exceed, 超过 exceed,
  控制 control, 工具 tool, 结果 result, 缓冲区 buffer, 偏移 offset, 偏移量 offset, 开始 start begin, 区域 area region, 初始 initial, 终止 terminate abort, 帮助 help,
  触发器 trigger, 分区 partition, 取消 cancel, 切换 switch toggle, 完成 complete finish, 成员 member, 约束 constraint, 尝试 try attempt, 加载 load, 意外 unexpected,
  部分 part partial, 接受 accept, 损坏 corrupt broken, 报告 report, 预期 expected, 期望 expected, 分配 allocate, 操作符 operator, 保留 keep preserve reserve, 正确 correct,
  元素 element, 角色 role, 锁定 lock, 发现 find, 指令 instruction directive, 成功 success, 动作 action, 光标 cursor, 协议 protocol, 资源 resource, 算法 algorithm, 管道 pipe,
  标准输出 stdout, 标准输入 stdin, 完整 complete full, 额外 extra additional, 下载 download, 上传 upload, 对应 corresponding, 吊销 revoke, 主题 subject theme, 语句 statement,
  主机名 hostname, 关键字 keyword, 填充 padding fill, 对话框 dialog, 子模组 submodule, 二分查找 bisect, 尾注 trailer, 派生 fork derive, 快进 fast-forward, 贮藏 stash, 修补 amend,
  绕过 bypass, 挤压 squash, 工作目录 directory, 补全 completion`;

function read() {
  const english = new Map<string, readonly string[]>();
  const chinese = new Map<string, string[]>();
  for (const pair of pairs.split(",")) {
    const [word = "", ...said] = pair.trim().split(/\s+/);
    const stems = [...new Set(said.flatMap((one) => one.split("-")).map(stem))];
    english.set(word, stems);
    for (const one of stems) chinese.set(one, [...(chinese.get(one) ?? []), word]);
  }
  return { english, chinese };
}

const { english, chinese } = read();
const longestWord = [...english.keys()].reduce((most, { length }) => Math.max(most, length), 0);

interface Translation {
  /** The word of the question. */
  readonly word: string;
  /** Terms of the other language, the usual one first. */
  readonly terms: readonly string[];
}

/** The words of the trade in a run of Chinese, the longest at each place. */
export function englishFor(run: string): Translation[] {
  const found: Translation[] = [];
  for (let at = 0; at < run.length; ) {
    let length = Math.min(longestWord, run.length - at);
    while (length > 0 && !english.has(run.slice(at, at + length))) length -= 1;
    const word = run.slice(at, at + length);
    const terms = english.get(word);
    if (terms) found.push({ word, terms });
    at += Math.max(1, length);
  }
  return found;
}

/** The Chinese words for an English stem. */
export const chineseFor = (term: string): readonly string[] => chinese.get(term) ?? [];
