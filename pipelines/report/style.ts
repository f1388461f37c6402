/** The style sheet of a report, for light and dark screens and for print. */
export const STYLE = `
:root { --paper: #fff; --ink: #1c1e21; --quiet: #585e66; --rule: #d5d8dc; --tint: #f4f5f6; --link: #1a56a0; --shade: #0005; }
@media screen and (prefers-color-scheme: dark) {
  :root { --paper: #16181b; --ink: #e4e5e7; --quiet: #a2a8b0; --rule: #393d43; --tint: #202327; --link: #8ab6ee; --shade: #000c; }
}
* { box-sizing: border-box; }
html { background: var(--paper); color: var(--ink); -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { max-width: 68rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem; overflow-wrap: break-word;
  font: 1rem/1.55 Charter, "Bitstream Charter", "Iowan Old Style", Georgia, serif; }
h1, h2 { line-height: 1.2; text-wrap: balance; font-weight: 600; }
h1 { margin: 0 0 1rem; font-size: 1.9rem; }
h2 { margin: 0 0 .6rem; font-size: 1.3rem; }
p { max-width: 42rem; margin: 0 0 .8rem; }
a { color: var(--link); text-decoration-thickness: 1px; text-underline-offset: .15em; }
.lead { font-size: 1.1rem; }
pre, code, dl, table, figcaption, nav, .note, footer { font-family: system-ui, -apple-system, "Segoe UI", sans-serif; }
pre { margin: 1.2rem 0; padding: .7rem .9rem; overflow-x: auto; background: var(--tint); border: 1px solid var(--rule); border-radius: 3px; }
pre code { font: .85rem/1.5 ui-monospace, Menlo, Consolas, monospace; user-select: all; -webkit-user-select: all; }
dl { margin: 1rem 0 0; columns: 19rem; column-gap: 2.5rem; font-size: .85rem; line-height: 1.4; }
dl div { display: flex; gap: 1rem; justify-content: space-between; padding: .25rem 0; border-bottom: 1px solid var(--rule); break-inside: avoid; }
dt { flex: none; max-width: 60%; color: var(--quiet); }
dd { margin: 0; min-width: 0; text-align: right; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
nav { margin: 2rem 0 0; font-size: .95rem; }
nav h2 { font-size: 1rem; }
nav ol { margin: 0; padding-left: 1.4rem; }
section { margin-top: 2.6rem; padding-top: 1.6rem; border-top: 1px solid var(--rule); }
.figures { display: grid; gap: 2rem 2.5rem; margin-top: 1.4rem; align-items: start;
  grid-template-columns: repeat(auto-fill, minmax(min(100%, 26rem), 1fr)); }
figure { margin: 0; min-width: 0; scroll-margin-top: 1rem; }
.table, .picture { grid-column: 1 / -1; }
figcaption { max-width: 42rem; font-size: .88rem; line-height: 1.45; color: var(--quiet); }
figcaption a { color: var(--ink); font-weight: 600; text-decoration: none; }
figcaption a:hover { text-decoration: underline; }
figcaption a.file { margin-right: .3rem; font-weight: 400; font-size: .8rem; color: var(--link); }
.table figcaption { margin-bottom: .6rem; }
.picture figcaption { margin-top: .6rem; }
/* What is cut off at a side casts a shadow there, until it is scrolled to: the paper above the shadow scrolls, the shadow does not. */
.scroll { overflow-x: auto; max-width: 100%;
  background: linear-gradient(to right, var(--paper) 40%, transparent) 0 0 / 3rem 100% no-repeat local,
    linear-gradient(to left, var(--paper) 40%, transparent) 100% 0 / 3rem 100% no-repeat local,
    linear-gradient(to right, var(--shade), transparent) 0 0 / 1rem 100% no-repeat scroll,
    linear-gradient(to left, var(--shade), transparent) 100% 0 / 1rem 100% no-repeat scroll; }
/* Charts side by side stand on one line, whatever the height of their legends. */
.chart { display: grid; grid-row: span 2; grid-template-rows: subgrid; row-gap: .6rem; }
.drawing { align-self: end; }
.drawing svg { display: block; width: 100%; max-width: 34rem; height: auto; }
img { display: block; border: 1px solid var(--rule); }
/* On a phone a picture of many images is scrolled inside its box: narrowed, nothing could be seen on it. */
@media (min-width: 60rem) { img { max-width: 100%; height: auto; } }
.pixelated { image-rendering: pixelated; }
table { border-collapse: collapse; font-size: .88rem; line-height: 1.4; border-top: 1.5px solid var(--ink); border-bottom: 1.5px solid var(--ink); }
th, td { padding: .32rem .9rem; text-align: left; vertical-align: baseline; font-weight: 400; }
th:first-child { padding-left: .2rem; }
td.prose { min-width: 15rem; }
thead th { border-bottom: 1px solid var(--ink); font-weight: 600; vertical-align: bottom; }
tbody tr + tr > * { border-top: 1px solid var(--rule); }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
thead .number { white-space: normal; }
/* Tables of many columns fit a screen of 1280 pixels. */
.dense table { font-size: .8rem; }
.dense th, .dense td { padding-left: .4rem; padding-right: .4rem; }
td small { white-space: nowrap; }
td small.prose { min-width: 12rem; max-width: 16rem; white-space: normal; margin-left: auto; }
td small, tbody th small { display: block; color: var(--quiet); font-size: .8rem; font-style: normal; }
.note, footer { color: var(--quiet); font-size: .82rem; line-height: 1.45; }
.note { margin: .5rem 0 0; }
footer { margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--rule); }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
@media (max-width: 30rem) {
  body { padding: 1.5rem 1rem 3rem; }
  h1 { font-size: 1.5rem; }
  th, td { padding-left: .6rem; padding-right: .6rem; }
}
@media print {
  @page { margin: 16mm; }
  body { max-width: none; padding: 0; font-size: 10.5pt; }
  h2, .table figcaption { break-after: avoid; }
  figure, tr { break-inside: avoid; }
  .table { break-inside: auto; }
  .scroll { overflow: visible; }
  .figures { grid-template-columns: 1fr 1fr; }
  img { max-width: 100%; height: auto; }
  pre { white-space: pre-wrap; }
  table { font-size: 7.5pt; }
  th, td { padding-left: .35rem; padding-right: .35rem; }
  a { color: inherit; text-decoration: none; }
}
`;
