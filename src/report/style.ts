/** The look of a report: one style sheet for light and dark, screens and paper. */

/** Pairs of colours are for light and dark. On each ground every text has a contrast of 4.5 at least. */
export const STYLE = `
:root{color-scheme:light dark;--bg:light-dark(#fafaf8,#121416);--card:light-dark(#fff,#191c1f);--sunk:light-dark(#f3f3f0,#0e1012);--ink:light-dark(#1d2024,#e4e6e8);--soft:light-dark(#5c636b,#9ea5ad);--line:light-dark(#e2e2de,#2b2f34);--link:light-dark(#2f4fc4,#93a9ff);
--done:light-dark(#1b7a3d,#56c47f);--reused:light-dark(#0a6e84,#4fbfd6);--failed:light-dark(#c0281f,#ff8078);--running:light-dark(#1c5fd0,#7fb0ff);--waiting:light-dark(#8632ab,#d59cf2);--stopped:light-dark(#a84a06,#f0a561);--ended:light-dark(#7d5b00,#dcb850);--quiet:light-dark(#626971,#949ba3)}
:root[data-theme=light]{color-scheme:light}:root[data-theme=dark]{color-scheme:dark}
*{box-sizing:border-box}
html{scroll-padding-top:4rem;-webkit-text-size-adjust:100%}
body{margin:0;background:var(--bg);color:var(--ink);font:15px/1.55 ui-sans-serif,system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","Noto Sans CJK SC",sans-serif;overflow-wrap:anywhere}
code,pre,.name,.tree,.time th[scope=row],.usage th[scope=row],.mark.file,.fault .code{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
code{font-size:.86em}
a{color:var(--link);text-underline-offset:2px;text-decoration-thickness:1px}
:focus-visible{outline:2px solid var(--link);outline-offset:2px;border-radius:3px}
[hidden]{display:none!important}
.sr,.skip:not(:focus){position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.skip:focus{position:fixed;z-index:9;top:.5rem;left:.5rem;padding:.5rem 1rem;background:var(--card);border:1px solid var(--line)}
.bar-top{position:sticky;top:0;z-index:5;background:color-mix(in srgb,var(--bg) 92%,transparent);backdrop-filter:blur(8px);border-bottom:1px solid var(--line)}
.bar-top>div{display:flex;align-items:center;gap:1.25rem;max-width:70rem;margin:auto;padding:.55rem 1.5rem}
.bar-top nav{display:flex;gap:1.1rem;overflow-x:auto;flex:1;scrollbar-width:none}
.bar-top nav a{color:var(--soft);text-decoration:none;white-space:nowrap;font-size:.9rem;padding:.15rem 0}
.bar-top nav a:hover,.bar-top nav a[aria-current]{color:var(--ink)}
main{max-width:70rem;margin:auto;padding:2.25rem 1.5rem 5rem}
section{margin-bottom:3.25rem}
h1{font-size:clamp(1.45rem,3.6vw,2.1rem);line-height:1.25;font-weight:650;letter-spacing:-.015em;margin:.35rem 0 1.1rem;display:-webkit-box;-webkit-line-clamp:5;-webkit-box-orient:vertical;overflow:hidden}
h2{font-size:1.15rem;font-weight:650;letter-spacing:-.005em;margin:0 0 .9rem}
.part h3{font-size:.78rem;font-weight:600;color:var(--soft);margin:0}
p{margin:.4rem 0}small,.small,.foot,caption,.legend{font-size:.83rem;color:var(--soft)}small{margin-left:.35em}
button,input{font:inherit;color:inherit;background:var(--card);border:1px solid var(--line);border-radius:7px;padding:.28rem .7rem}
button{cursor:pointer;font-size:.86rem}button:hover{border-color:var(--soft)}
button[aria-pressed=true]{background:var(--ink);color:var(--bg);border-color:var(--ink)}
.over{display:flex;align-items:center;gap:.6rem;color:var(--soft);font-size:.92rem;margin:0}
.chip{font-weight:600;font-size:.82rem;padding:.1rem .6rem;border-radius:99px;color:var(--c);background:color-mix(in srgb,var(--c) 7%,transparent);border:1px solid color-mix(in srgb,var(--c) 35%,transparent)}
.outcome{color:var(--ink);font-weight:500}.lead{font-size:1.05rem;margin:-.4rem 0 1.1rem}
.banner{border-left:3px solid var(--ended);padding:.45rem .9rem;background:color-mix(in srgb,var(--ended) 8%,transparent);border-radius:0 6px 6px 0;font-size:.9rem;margin:0 0 1.2rem}
.done{--c:var(--done)}.reused{--c:var(--reused)}.failed,.interrupted{--c:var(--failed)}.running{--c:var(--running)}.waiting,.asked{--c:var(--waiting)}.stopped,.limit,.cancelled,.partial,.backoff{--c:var(--stopped)}.ended,.refused{--c:var(--ended)}.skipped,.open,.held{--c:var(--quiet)}
.census svg{display:block;border-radius:4px;background:var(--line)}.census rect{fill:var(--c)}.census rect.skipped{opacity:.45}.census p{font-size:.88rem;color:var(--soft);margin:.45rem 0 0}.census .c{white-space:nowrap}
.swatch{display:inline-block;width:.62rem;height:.62rem;border-radius:2px;background:var(--c);margin-right:.4em;vertical-align:-.02em}.swatch.skipped{opacity:.45}.swatch.held{height:2px;vertical-align:.25em}.swatch.backoff{opacity:.45}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(10.5rem,1fr));gap:1px;background:var(--line);border:1px solid var(--line);border-radius:10px;overflow:hidden;margin:1.3rem 0}
.tiles>div{background:var(--card);padding:.75rem 1rem}.tiles dt{font-size:.8rem;color:var(--soft)}.tiles dd{margin:.1rem 0 0;font-size:1.15rem;font-weight:600;font-variant-numeric:tabular-nums}.tiles small{display:block;margin:0;font-weight:400;font-size:.8rem}
.card{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:1rem 1.2rem;margin:1rem 0}.card h2{font-size:.95rem;margin:0 0 .5rem}
.wrong{border-left:4px solid var(--failed)}.wrong h2{color:var(--failed)}.halted{border-left:4px solid var(--stopped)}.halted h2{color:var(--stopped)}.asks{border-left:4px solid var(--waiting)}.asks h2{color:var(--waiting)}
.fault{border-left:3px solid var(--failed);padding:.15rem 0 .15rem .9rem;margin:.5rem 0}.fault .code{font-size:.82rem;color:var(--failed);font-weight:600;margin:0}.hint{font-size:.92rem}.hint b{font-weight:600;margin-right:.4em}.hint code{background:var(--sunk);border:1px solid var(--line);border-radius:5px;padding:.1rem .4rem;user-select:all}
.command{display:flex;align-items:center;gap:.7rem;margin:.45rem 0;flex-wrap:wrap}.command span{font-size:.83rem;color:var(--soft);min-width:6.2rem}.command code{background:var(--sunk);border:1px solid var(--line);border-radius:6px;padding:.25rem .6rem;user-select:all}.copy{padding:.1rem .55rem;font-size:.8rem}
ul.plain,ol.plain{list-style:none;margin:0;padding:0}ul.plain li{padding:.1rem 0}.files{columns:20rem}
pre{margin:.35rem 0;padding:.7rem .9rem;background:var(--sunk);border:1px solid var(--line);border-radius:7px;font-size:.79rem;line-height:1.5;white-space:pre-wrap;max-height:28rem;overflow:auto;tab-size:2}
pre.bare{background:none;border:0;padding:0;max-height:none;overflow:visible}pre.said,.why+pre.bare{font-size:.85rem}
pre.said{font-family:inherit;font-size:.93rem}
.wide{overflow-x:auto;max-width:100%}
.cut,.nil{color:var(--soft);font-size:.85rem;font-style:italic}
.mark{display:inline-flex;align-items:center;justify-content:center;flex:none;width:1.25rem;height:1.25rem;border-radius:50%;font-size:.72rem;font-weight:700;line-height:1;color:var(--c);background:color-mix(in srgb,var(--c) 13%,transparent)}
.mark.file{color:var(--soft);background:none}
svg.graph{display:block}.graph .box{fill:var(--card);stroke:color-mix(in srgb,var(--c) 75%,var(--card));stroke-width:1.4}.graph .box.leaf,.graph .box.round{fill:color-mix(in srgb,var(--c) 7%,var(--card))}.graph .box.group{fill:color-mix(in srgb,var(--ink) 2.5%,var(--bg));stroke-width:1}.graph .skipped,.graph .open{stroke-dasharray:4 3}.graph .box.skipped,.graph .box.open{stroke:var(--line)}
.graph text{text-anchor:middle;fill:var(--ink);font-size:13px}.graph .id{font-weight:600}.graph .note{fill:var(--soft);font-size:11.5px}.graph .sign{fill:var(--c)}.graph .line{fill:none;stroke-linejoin:round;stroke:var(--soft);stroke-width:1.1;opacity:.6}.graph .maybe{stroke-dasharray:3 3}.graph marker path{fill:none;stroke:var(--soft);stroke-width:1.2}.graph a:hover .box,.graph a:focus-visible .box{stroke-width:2.6}.graph a{text-decoration:none}
table{border-collapse:collapse;width:100%;font-size:.88rem}caption{text-align:left;padding-bottom:.5rem}th{font-weight:500;text-align:left}td,th{padding:.2rem .7rem .2rem 0;vertical-align:middle}thead th{color:var(--soft);font-size:.8rem}.n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums;padding-right:0;padding-left:.7rem}
.time{min-width:30rem}.time th[scope=row]{width:1%;white-space:nowrap;max-width:18rem;overflow:hidden;text-overflow:ellipsis;font-size:.8rem}.time th a{color:var(--ink);text-decoration:none}.time th a:hover{text-decoration:underline}.time td,.time th{padding-top:.08rem;padding-bottom:.08rem}.time tbody tr:hover{background:color-mix(in srgb,var(--ink) 4%,transparent)}
.d1{padding-left:1rem}.d2{padding-left:2rem}.d3{padding-left:3rem}.d4{padding-left:4rem}.d5{padding-left:5rem}.d6{padding-left:6rem}
.bars,.axis{display:block;overflow:visible}.bar{fill:var(--c)}.bar.backoff{opacity:.4}.bar.held{opacity:.55}.axis text{font-size:11px;fill:var(--soft)}.axis line{stroke:var(--line)}
.legend{display:flex;flex-wrap:wrap;gap:.3rem 1.2rem;margin-top:.8rem}
.columns{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(26rem,100%),1fr));gap:2rem;align-items:start}.usage th[scope=row]{font-size:.8rem;width:34%}.use{display:block;border-radius:3px;background:color-mix(in srgb,var(--ink) 5%,transparent)}
.use-in{fill:var(--running);--c:var(--running)}.use-cached{fill:color-mix(in srgb,var(--running) 40%,var(--card));--c:color-mix(in srgb,var(--running) 40%,var(--card))}.use-out{fill:var(--waiting);--c:var(--waiting)}
.tools{display:flex;flex-wrap:wrap;gap:.45rem;align-items:center;margin-bottom:.8rem}.tools input{flex:1 1 15rem;min-width:0}.tools output{font-size:.85rem;color:var(--soft)}.filter{display:inline-flex;gap:.4em;align-items:baseline;border-radius:99px}.filter b{color:var(--c);font-variant-numeric:tabular-nums}.filter[aria-pressed=true] b{color:inherit}
.steps .step{border:1px solid var(--line);border-radius:8px;margin:.3rem 0;background:var(--card);content-visibility:auto;contain-intrinsic-size:auto 2.6rem}
.step>summary,.step.open{display:flex;align-items:center;gap:.6rem;padding:.42rem .8rem;cursor:pointer;min-width:0;list-style:none}.step>summary::-webkit-details-marker{display:none}.step>summary:hover{background:color-mix(in srgb,var(--ink) 3%,transparent)}.step.open{cursor:default;border-style:dashed;color:var(--soft)}
.step>summary:focus-visible{outline-offset:-2px}.step[open]>summary{border-bottom:1px solid var(--line)}
.name{font-size:.82rem;font-weight:600;white-space:nowrap;overflow:hidden;text-overflow:ellipsis;flex:none;max-width:60%}.title{color:var(--soft);white-space:nowrap;overflow:hidden;text-overflow:ellipsis;flex:0 1 auto;min-width:0}.kind{font-size:.76rem;color:var(--soft);border:1px solid var(--line);border-radius:5px;padding:0 .35rem;flex:none}.note,.counts{color:var(--soft);font-size:.85rem;white-space:nowrap;overflow:hidden;text-overflow:ellipsis;flex:0 1 auto;min-width:0}[data-status=failed]>summary .note{color:var(--failed)}.figures{margin-left:auto;color:var(--soft);font-size:.82rem;white-space:nowrap;flex:none;font-variant-numeric:tabular-nums}
.in{padding:.5rem 1rem .9rem;scroll-margin-top:7rem}.in:focus{outline:none}.in:target,.in.here{box-shadow:inset 3px 0 var(--link)}
.part{display:grid;grid-template-columns:7.5rem minmax(0,1fr);gap:.3rem 1rem;padding:.5rem 0}.part+.part{border-top:1px solid color-mix(in srgb,var(--line) 60%,transparent)}.part h3{padding-top:.2rem}.part>div>:first-child{margin-top:0}.why{margin:0}.part summary{cursor:pointer}.part summary i,.tree i{color:var(--soft);font-style:normal;font-size:.82rem;margin-left:.4em}
.quiet>summary{color:var(--soft);font-size:.85rem}
.rounds{margin:0;padding-left:1.7rem}.rounds>li{margin-bottom:.8rem;padding-left:.2rem}.rounds>li::marker{color:var(--soft);font-size:.82rem;font-variant-numeric:tabular-nums}
.call{border-left:2px solid color-mix(in srgb,var(--running) 55%,transparent);padding-left:.8rem;margin:.5rem 0}.call.bad{border-color:var(--failed)}.call p{margin:0;font-size:.86rem}.call i{color:var(--failed);font-style:normal}.told{border-left:2px solid var(--ended);padding-left:.8rem;margin:.4rem 0;font-size:.86rem}.told b{color:var(--ended)}
.tree{font-size:.8rem}.tree ul{list-style:none;margin:0;padding-left:1.1rem}.tree>ul{padding-left:0}.tree li{padding:.06rem 0}.tree b{font-weight:600;color:var(--soft)}.tree summary{cursor:pointer}.tree .str{white-space:pre-wrap}.tree .num{color:var(--running)}
.result .tree{font:inherit;margin-bottom:.6rem}.result .tree b{font-size:.9rem}
.foot{display:flex;flex-wrap:wrap;gap:.2rem 1.4rem;margin:.7rem 0 0}
dl{margin:0}#facts dl>div{display:grid;grid-template-columns:9rem minmax(0,1fr);gap:.3rem 1rem;padding:.45rem 0;border-top:1px solid var(--line)}#facts dt{color:var(--soft);font-size:.88rem}#facts dd{margin:0}
.md{max-width:46rem}.md img,.in>img{max-width:100%;height:auto;border-radius:6px;background:#fff}.md h3,.md h4,.md h5,.md h6{margin:1.2em 0 .4em;line-height:1.3}.md .h1{font-size:1.3rem}.md .h2{font-size:1.12rem}.md .h3{font-size:1rem}.md .h4,.md .h5,.md .h6{font-size:.95rem;color:var(--soft)}.md blockquote{margin:.6rem 0;padding-left:1rem;border-left:3px solid var(--line);color:var(--soft)}.md table{width:auto}.md td,.md th{border:1px solid var(--line);padding:.25rem .6rem}.md hr{border:0;border-top:1px solid var(--line)}
footer{max-width:70rem;margin:auto;padding:0 1.5rem 2rem;color:var(--soft);font-size:.83rem}
#theme{flex:none}#theme b{font-weight:500}
@media(max-width:40rem){#theme span{display:none}main{padding:1.25rem 1rem 3rem}.bar-top>div{padding:.5rem 1rem}.part,#facts dl>div{grid-template-columns:minmax(0,1fr)}.title,.kind{display:none}.step>summary,.step.open{gap:.45rem;padding:.45rem .6rem;flex-wrap:wrap}.note,.counts{flex:1 1 100%;order:9}.in{padding:.4rem .7rem .8rem}.command code{flex:1 1 100%;order:3}.files{columns:auto}.usage th[scope=row]{width:38%}.steps .steps{margin:0 -.3rem}}
@media(prefers-reduced-motion:no-preference){html{scroll-behavior:smooth}}
@media print{:root{color-scheme:light}body{background:#fff;font-size:11px}.bar-top,.tools,.copy,.skip{display:none!important}main{max-width:none;padding:0}section{margin-bottom:1.6rem}.steps .step{content-visibility:visible;break-inside:auto}.card,.tiles,tr,.part{break-inside:avoid}h2,summary{break-after:avoid}pre{max-height:none;overflow:visible}.wide{overflow:visible}svg.graph{max-width:100%;height:auto}a{color:inherit;text-decoration:none}.step>summary{-webkit-print-color-adjust:exact;print-color-adjust:exact}svg,.swatch,.chip,.mark{-webkit-print-color-adjust:exact;print-color-adjust:exact}}
`.trim();
