/** What the pages need beyond the style of a report, in the same colours. */

export const LOOK = `
.ui-home{font-weight:650;letter-spacing:-.01em;color:var(--ink);text-decoration:none;white-space:nowrap}
.ui-home span{color:var(--soft);font-weight:400}
.ui-where{color:var(--soft);font-size:.83rem;white-space:nowrap;overflow:hidden;text-overflow:ellipsis;max-width:16rem}
.ui-link{font-size:.8rem;color:var(--soft);white-space:nowrap;display:inline-flex;align-items:center;gap:.4em}
.ui-link:not(:empty)::before{content:"";width:.5rem;height:.5rem;border-radius:50%;background:var(--stopped)}
.ui-link[data-state=on]::before{background:var(--done)}
.ui-link[data-state=off]{color:var(--stopped)}
.ui-title{display:flex;align-items:baseline;gap:1rem;flex-wrap:wrap}
.ui-title .ui-button{margin-left:auto;font-weight:500;letter-spacing:0}
.ui-small{font-size:.83rem;color:var(--soft);font-weight:400}
.ui-button{display:inline-block;font-size:.9rem;text-decoration:none;border:1px solid var(--line);border-radius:7px;padding:.32rem .85rem;background:var(--card);color:var(--ink)}
.ui-button:hover{border-color:var(--soft)}
select,textarea{font:inherit;color:inherit;background:var(--card);border:1px solid var(--line);border-radius:7px;padding:.28rem .6rem}
input,select,textarea{border-color:color-mix(in srgb,var(--ink) 38%,var(--card))}
button:disabled{opacity:.55;cursor:progress}
.ui-primary{background:var(--link);border-color:var(--link);color:var(--card);font-weight:600}
.ui-primary:hover{border-color:var(--ink)}
.ui-danger{color:var(--failed);border-color:color-mix(in srgb,var(--failed) 45%,var(--card))}

.ui-filter{display:flex;flex-wrap:wrap;gap:.6rem .9rem;align-items:end;margin:1.2rem 0 .9rem}
.ui-filter label{display:grid;gap:.2rem;font-size:.8rem;color:var(--soft)}
.ui-filter label>*,.ui-filter button{font-size:.92rem;color:var(--ink);height:2.3rem}
.ui-filter label:first-of-type{flex:1 1 14rem}
.ui-filter select{min-width:8rem}
.ui-count{font-size:.86rem;color:var(--soft);margin:0 0 .4rem}
.ui-runs{font-size:.9rem}
.ui-runs td,.ui-runs th{padding:.62rem .9rem .62rem 0;border-top:1px solid var(--line);vertical-align:top}
.ui-runs thead th{border-top:0;padding-bottom:.3rem;white-space:nowrap}
.ui-runs td{white-space:nowrap;font-variant-numeric:tabular-nums;color:var(--soft)}
.ui-runs td:empty::before{content:"–";opacity:.6}
.ui-runs th[scope=row]{width:99%;font-weight:400}
.ui-runs th a{font-weight:600;color:var(--ink);text-decoration:none}
.ui-runs th a:hover{text-decoration:underline}
.ui-runs tbody tr:hover{background:color-mix(in srgb,var(--ink) 3%,transparent)}
.ui-query,.ui-project{display:block;color:var(--soft);font-size:.86rem;overflow:hidden;display:-webkit-box;-webkit-line-clamp:2;-webkit-box-orient:vertical}
.chip{background:color-mix(in srgb,var(--c) 7%,transparent)}
.ui-run .chip{display:inline-flex;align-items:center;gap:.4em}
.ui-run[data-status=running] .chip::before{content:"";width:.5rem;height:.5rem;border-radius:50%;background:var(--running)}
.ui-empty{text-align:center;padding:3.5rem 1rem;color:var(--soft);border:1px dashed var(--line);border-radius:10px}
.ui-pages{display:flex;gap:1.2rem;justify-content:center;padding:1.2rem 0;font-size:.9rem;color:var(--soft)}

.ui-skills{list-style:none;margin:0;padding:0;display:grid;grid-template-columns:repeat(auto-fill,minmax(min(21rem,100%),1fr));gap:.8rem}
.ui-skills li{position:relative;background:var(--card);border:1px solid var(--line);border-radius:10px;padding:.85rem 1.1rem}
.ui-skills li:hover{border-color:var(--soft)}
.ui-skills a{font-weight:600;color:var(--ink);text-decoration:none}
.ui-skills a::after{content:"";position:absolute;inset:0;border-radius:10px}
.ui-skills p{font-size:.88rem;color:var(--soft);margin:.25rem 0 0}

.ui-form{max-width:44rem}
.ui-field{margin:1.15rem 0}
.ui-field>label,.ui-gate label{display:block;font-weight:600;font-size:.92rem}
.ui-needed{font-weight:400;font-size:.8rem;color:var(--stopped);margin-left:.5em}
.ui-hint{margin:.05rem 0 .3rem;font-size:.85rem;color:var(--soft)}
.ui-field input[type=text],.ui-field textarea,.ui-field select,.ui-gate input[type=text]{width:100%;margin-top:.2rem;padding:.42rem .7rem}
.ui-field input[type=checkbox]{width:1.15rem;height:1.15rem;accent-color:var(--link)}
.ui-code{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.86rem}
.ui-wrong{color:var(--failed);font-size:.88rem;font-weight:500;margin:.3rem 0 0}
.ui-field [aria-invalid]{border-color:var(--failed)}
.ui-problems{max-width:44rem;border:1px solid color-mix(in srgb,var(--failed) 40%,var(--card));border-left:4px solid var(--failed);border-radius:10px;background:var(--card);padding:.8rem 1.2rem;margin:1rem 0}
.ui-problems h2{color:var(--failed);font-size:.98rem;margin:0 0 .4rem}
.ui-problems ul{margin:0;padding-left:1.1rem}
.ui-more{border-top:1px solid var(--line);padding:.7rem 0}
.ui-more>summary{cursor:pointer;font-size:.92rem;color:var(--soft)}
.ui-may{font-size:.86rem;padding-left:1.1rem}
.ui-may li{padding:.12rem 0}
.ui-buttons{display:flex;flex-wrap:wrap;gap:.6rem;margin:1rem 0}
.ui-buttons button{padding:.4rem 1rem;font-size:.92rem}

.ui-actions{margin-bottom:1.8rem}
.ui-row{display:flex;flex-wrap:wrap;gap:.6rem 1.4rem;align-items:baseline}
.ui-row .ui-buttons{margin:0}
.ui-said:not(:empty){border-left:3px solid var(--done);padding:.35rem .9rem;font-size:.9rem;background:color-mix(in srgb,var(--done) 8%,transparent);border-radius:0 6px 6px 0;margin:0 0 1rem}
.ui-said:empty{margin:0}
.ui-gate{background:var(--card);border:1px solid var(--line);border-left:4px solid var(--waiting);border-radius:10px;padding:1rem 1.3rem;margin:0 0 1.2rem}
.ui-gate .ui-ask{margin-bottom:.8rem}.ui-gate>:last-child{margin-bottom:0}
.ui-gate h2{color:var(--waiting);font-size:1.05rem;margin:0}
.ui-ask{font-family:inherit;font-size:.95rem;max-height:22rem}
.ui-gate .ui-buttons{margin:.9rem 0 .3rem}
main:has(.ui-gate) .asks{display:none}
.ui-files{font-size:.88rem}.ui-files[open]{flex:1 1 100%}
.ui-files summary{cursor:pointer;color:var(--soft)}
.ui-files ul{list-style:none;margin:.3rem 0 0;padding:0;columns:18rem}

@media(max-width:40rem){
.ui-where,.bar-top .ui-home:has(+nav[aria-label=Pages]){display:none}
.ui-filter label{flex:1 1 8rem}.ui-filter select{min-width:0;width:100%}.ui-filter button{flex:1 1 100%}
.ui-runs thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.ui-runs,.ui-runs tbody,.ui-runs tr{display:block}
.ui-runs tr{border-top:1px solid var(--line);padding:.7rem 0;display:flex;flex-wrap:wrap;gap:.15rem .9rem;align-items:baseline}
.ui-runs td,.ui-runs th{border:0;padding:0}
.ui-runs th[scope=row]{order:2;flex:1 1 100%;width:auto}
.ui-runs td:first-child{order:1}.ui-runs td{order:3;font-size:.82rem}
.ui-runs td:empty{display:none}
.ui-runs td[data-label]::before{content:attr(data-label) " "}
.ui-runs td[data-label=when]{order:1;margin-left:auto}.ui-runs td[data-label=when]::before{content:""}.ui-runs td[data-label=when]::after{content:" UTC"}
}
@media(prefers-reduced-motion:no-preference){
.ui-run[data-status=running] .chip::before{animation:ui-live 1.6s ease-in-out infinite}
@keyframes ui-live{50%{opacity:.25}}
}
@media print{.ui-actions,.ui-home,.ui-link{display:none!important}}
`.trim();
