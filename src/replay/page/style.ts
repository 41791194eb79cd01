// The page's style: light and dark, narrow and wide, on screen and on paper.

export const style = `
:root{color-scheme:light dark;--ground:#fbfaf7;--panel:#fff;--ink:#1d2126;--soft:#5c6570;--line:#e2dfd8;--faint:#f1eee8;
--ours:#0f766e;--base:#475569;--peer:#5b7fb4;--thumb:#a8a29e;--read:#7ba7c7;--write:#d08c4a;--rest:#8d6cab;--good:15,118,110;--bad:194,92,20}
@media (prefers-color-scheme:dark){:root{--ground:#131519;--panel:#1a1d23;--ink:#e7e5e0;--soft:#9aa3ae;--line:#2c313a;--faint:#20242b;
--ours:#2dd4bf;--base:#94a3b8;--peer:#7da2d8;--thumb:#78716c;--read:#5f93b8;--write:#d9975a;--rest:#a98bc9;--good:45,212,191;--bad:240,140,70}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
main{max-width:1080px;margin:0 auto;padding:40px 24px 64px}
h1{font-size:clamp(1.6rem,4.6vw,2.4rem);line-height:1.15;margin:.2em 0 .3em;letter-spacing:-.02em;text-wrap:balance}
h2{font-size:1.3rem;margin:2.6em 0 .25em;letter-spacing:-.01em}
h3{font-size:1rem;margin:0}
p{margin:.4em 0;max-width:70ch}
.soft,figcaption,.note{color:var(--soft);font-size:.9rem}
.mark{font-weight:600;color:var(--ours);font-size:.95rem;margin:0}
code,.name{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:.92em}
.name,bdi{overflow-wrap:anywhere}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(210px,1fr));gap:14px;margin:1.6em 0 0}
.tile{background:var(--panel);border:1px solid var(--line);border-radius:12px;padding:16px 18px}
.tile b{display:block;font-size:1.75rem;line-height:1.15;letter-spacing:-.02em;font-variant-numeric:tabular-nums}
.tile.first b{color:var(--ours)}
.tile span{color:var(--soft);font-size:.88rem;display:block;margin-top:4px}
figure,.panel{margin:1em 0 0;background:var(--panel);border:1px solid var(--line);border-radius:12px;padding:18px}
figcaption,.note{margin-top:12px;max-width:96ch}
.legend{display:flex;flex-wrap:wrap;gap:4px 18px;font-size:.85rem;color:var(--soft);margin-bottom:12px}
.legend i{display:inline-block;width:.75em;height:.75em;border-radius:3px;margin-right:.45em}
.bar{display:grid;grid-template-columns:9.5em 1fr 4.6em;gap:12px;align-items:center;padding:3px 0}
.bar .track{position:relative;height:20px}
.bar .fill{position:absolute;inset:0 auto 0 0;border-radius:4px;display:flex;overflow:hidden}
.bar .at{position:absolute;top:-3px;bottom:-3px;border-left:1.5px dashed var(--soft)}
.bar .value{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums;font-size:.92rem}
.bar.ours .name,.bar.ours .value{font-weight:650;color:var(--ours)}
.c-ours{background:var(--ours)}.c-base{background:var(--base)}.c-peer{background:var(--peer)}.c-thumb{background:var(--thumb)}
.c-read{background:var(--read)}.c-write{background:var(--write)}.c-rest{background:var(--rest)}
.plane{position:relative;height:340px;margin:8px 8px 26px 46px;border-left:1px solid var(--line);border-bottom:1px solid var(--line)}
.plane .grid{position:absolute;font-size:.75rem;color:var(--soft);font-variant-numeric:tabular-nums}
.plane .grid.x{top:100%;white-space:nowrap;transform:translateX(-50%);padding-top:4px}
.plane .grid.y{right:100%;transform:translateY(-50%);padding-right:6px;white-space:nowrap}
.plane .rule{position:absolute;background:var(--line)}
.plane .dot{position:absolute;width:12px;height:12px;margin:-6px;border-radius:50%;border:2px solid var(--panel)}
.plane .dot.big{width:18px;height:18px;margin:-9px}
.plane .tag{position:absolute;font-size:.78rem;white-space:nowrap;transform:translateY(-50%);padding:0 11px;color:var(--soft);text-shadow:0 0 2px var(--panel),0 0 2px var(--panel),0 0 3px var(--panel);z-index:1}
.plane .tag.left{transform:translate(-100%,-50%)}.plane .tag.middle{transform:translate(-50%,-50%)}
.plane .rule{opacity:.55}.plane .rule.strong{background:var(--soft);opacity:.6}
.plane .tag.ours{color:var(--ours);font-weight:650}.plane .tag.base{color:var(--ink);font-weight:600}
.axes{display:flex;justify-content:space-between;gap:1em;font-size:.8rem;color:var(--soft)}
.scroll{overflow-x:auto;margin:0 -18px;padding:0 18px}
table{border-collapse:collapse;font-size:.9rem;width:100%}
th,td{text-align:right;padding:6px 8px;border-bottom:1px solid var(--line);white-space:nowrap;font-variant-numeric:tabular-nums}
th{font-weight:600;color:var(--soft);font-size:.8rem;vertical-align:bottom}thead th{white-space:normal;line-height:1.25}
th:first-child,td:first-child{text-align:left}
tbody tr:last-child>*{border-bottom:0}
tr.ours>*{font-weight:650}tr.ours>:first-child{color:var(--ours)}
dl.rules{display:grid;grid-template-columns:10em 1fr;gap:12px 14px;margin:0}.rules dd{margin:0;max-width:80ch}.rules .soft{display:block}.rules dt.ours{color:var(--ours);font-weight:650}
tbody th{font-weight:400;color:var(--ink);font-size:.9rem}
.heat th:first-child{position:sticky;left:0;background:var(--panel);max-width:13em;overflow:hidden;text-overflow:ellipsis}
.heat td,.heat thead th+th{text-align:center;padding:5px 6px}.heat thead th{font-size:.74rem}
details{border-top:1px solid var(--line)}
details:last-of-type{border-bottom:1px solid var(--line)}
summary{cursor:pointer;display:grid;grid-template-columns:1fr auto auto;gap:4px 18px;padding:10px 2px;align-items:baseline}
summary::-webkit-details-marker{display:none}
summary h3::before{content:"›";display:inline-block;width:1.1em;color:var(--soft)}details[open] h3::before{transform:rotate(90deg) translate(.1em,.25em)}
summary .chip{font-variant-numeric:tabular-nums;font-weight:650;min-width:4.4em;text-align:right}
summary:focus-visible,.scroll:focus-visible{outline:2px solid var(--ours);outline-offset:2px}
.inside{padding:2px 0 20px}
svg.course{display:block;width:100%;height:120px;overflow:visible}
svg.course path{fill:none;vector-effect:non-scaling-stroke;stroke-width:2}
svg.course line{vector-effect:non-scaling-stroke;stroke-width:1.5;stroke-dasharray:3 3}
.s-base{stroke:var(--base)}.s-ours{stroke:var(--ours)}.s-other{stroke:var(--peer)}
ol,ul{padding-left:1.2em}li{margin:.3em 0;max-width:80ch}
footer{margin-top:3.2em;border-top:1px solid var(--line);padding-top:1em}
@media (max-width:640px){main{padding:24px 14px 48px}figure,.panel{padding:14px 12px}.scroll{margin:0 -12px;padding:0 12px}
.bar{grid-template-columns:1fr auto;gap:0 10px;padding:5px 0}.bar .track{grid-column:1/-1;grid-row:2;height:14px}
.plane{height:300px;margin-left:40px;margin-right:2px}.plane .tag.minor{display:none}
dl.rules{grid-template-columns:1fr;gap:2px}.rules dd{margin-bottom:12px}
summary{grid-template-columns:1fr auto}summary .about{grid-column:1/-1;grid-row:2}
th,td{padding:5px 7px}.heat th:first-child{max-width:8em}}
@media print{:root{color-scheme:light;--ground:#fff;--panel:#fff;--ink:#111;--soft:#444;--line:#ccc;--ours:#0f766e}
body{font-size:10pt}main{max-width:none;padding:0}h2{margin-top:1.5em;break-after:avoid}figure,.panel{margin-top:.5em;padding:10px 12px}
figure,.panel,.tile,.bar,tr,summary{break-inside:avoid}.tiles{grid-template-columns:repeat(4,1fr);gap:8px;margin-top:.8em}.tile{padding:8px 10px}
.tile b{font-size:1.2rem}.bar{grid-template-columns:8.5em 1fr 5em;padding:0}.bar .track{height:13px}.plane{height:250px}.plane .tag{font-size:.66rem}
.scroll{overflow:visible}table{font-size:7.5pt}th,td{padding:2px 4px}tbody th.name{font-size:7.5pt}.heat th:first-child{position:static;max-width:9em}
details:not([open]){display:none}*{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
`.trim();
