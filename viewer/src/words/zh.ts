// Simplified Chinese.
import type { Words } from "./index.ts";

export const zh: Words = {
  title: "Throughline",
  loading: "正在加载",
  close: "关闭",
  nav: {
    label: "页面",
    skip: "跳到正文",
    find: "搜索全部内容",
    help: "快捷键与帮助",
    live: "实时",
    timeline: "时间线",
    search: "搜索",
    sessions: "会话",
    memory: "记忆",
    stats: "统计",
    settings: "设置",
  },
  look: {
    language: "切换到英文",
    theme: (now) => `主题：${now}`,
    themes: { auto: "跟随系统", light: "浅色", dark: "深色" },
  },
  signIn: {
    title: "此浏览器尚未登录",
    refused: "该链接已被使用，或已超过两分钟。",
    how: "这里的内容只属于你，因此页面要从终端打开。运行以下命令，页面会自动登录：",
    why: "它会给浏览器一个只能使用一次的链接。任何数据都不会离开这台机器。",
  },
  away: { text: "后台进程没有响应。它恢复后页面会自动继续；要立即启动，请运行：" },
  problems: { fix: "解决办法", retry: "重试" },
  projects: { label: "项目", all: "全部项目" },
  help: {
    title: "快捷键",
    search: "搜索",
    move: "下一行和上一行",
    open: "打开所选行",
    close: "关闭已打开的内容",
    help: "显示此列表",
  },
  live: {
    connected: "已连接",
    waiting: "正在连接…",
    captureOff: "已暂停记录",
  },
};
