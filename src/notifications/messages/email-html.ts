import escapeHtml from 'escape-html';
import type { EmailContent } from './email-content.ts';

const sans = "font-family:-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
const mono = "font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'Liberation Mono',monospace";
/** Breaks long words, so that they never widen the layout. */
const wrap = 'overflow-wrap:anywhere;word-break:break-word';

const accents = { failure: '#b42318', sample: '#5b6573', resolved: '#067647' };
const blue = '#1d4ed8';

/**
 * Colours for mail programs in dark mode. Each element with one of these classes sets both text and background colour
 * itself. So programs that ignore style sheets or invert colours never show light text on a light background.
 */
const darkStyles = `
:root { color-scheme: light dark; supported-color-schemes: light dark; }
@media (prefers-color-scheme: dark) {
  .page { background-color: #111418 !important; color: #e6e8eb !important; }
  .card { background-color: #1c2127 !important; color: #e6e8eb !important; border-color: #333b45 !important; }
  .quiet { background-color: #1c2127 !important; color: #a9b2bd !important; }
  .rule { border-color: #333b45 !important; }
  .code { background-color: #12161b !important; color: #e6e8eb !important; border-color: #333b45 !important; }
  .link { color: #8ab4f8 !important; }
  .foot { background-color: #111418 !important; color: #a9b2bd !important; }
}
@media (max-width: 480px) {
  .page { padding: 0 !important; }
  .foot { padding: 16px !important; }
  .card { padding: 20px 16px !important; border-radius: 0 !important; border-left: 0 !important; border-right: 0 !important; }
}`;

/** The e-mail as HTML, without images, fonts or other external content. Every value is escaped. */
export function emailHtml(content: EmailContent): string {
  const accent = accents[content.tone];
  const body = [
    `<h1 style="margin:0 0 8px;font-size:22px;line-height:28px;font-weight:600">${escapeHtml(content.title)}</h1>`,
    `<p style="margin:0 0 20px;font-size:15px;line-height:22px;${wrap}">${escapeHtml(content.introduction)}</p>`,
    factsTable(content.facts),
    content.error === null ? '' : label(content.error.label) + block(content.error.text, 20),
    entriesTable(content.entries),
    button(content.link),
    payloadBlock(content.payload),
  ];
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(content.title)}</title>
<style>${darkStyles}
</style>
</head>
<body class="page" style="margin:0;padding:0;background-color:#f3f4f6;color:#1f2937">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" class="page" style="table-layout:fixed;background-color:#f3f4f6;color:#1f2937;${sans}">
<tr><td class="page" align="center" style="padding:24px 12px;background-color:#f3f4f6;color:#1f2937">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="table-layout:fixed;max-width:640px;margin:0 auto;text-align:left">
<tr><td style="height:4px;font-size:0;line-height:0;background-color:${accent}">&nbsp;</td></tr>
<tr><td class="card" style="padding:28px 32px;background-color:#ffffff;color:#1f2937;border:1px solid #e2e5ea;border-top:0">
${body.filter((part) => part !== '').join('\n')}
</td></tr>
<tr><td class="foot" style="padding:16px 32px 24px;background-color:#f3f4f6;color:#5b6573;font-size:12px;line-height:18px;${wrap}">${escapeHtml(content.footer)}</td></tr>
</table>
</td></tr>
</table>
</body>
</html>
`;
}

const table = (rows: string) =>
  `<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="table-layout:fixed;margin:0 0 20px">${rows}</table>`;

function factsTable(facts: EmailContent['facts']): string {
  if (facts.length === 0) return '';
  const cell = 'padding:7px 0;border-bottom:1px solid #e2e5ea;vertical-align:top;font-size:14px;line-height:20px';
  const rows = facts.map(
    ([name, value]) => `<tr>
<td class="quiet rule" width="104" style="${cell};width:104px;background-color:#ffffff;color:#5b6573">${escapeHtml(name)}</td>
<td class="rule" style="${cell};${wrap}">${escapeHtml(value)}</td>
</tr>`,
  );
  return table(rows.join('\n'));
}

function entriesTable(entries: EmailContent['entries']): string {
  if (entries.length === 0) return '';
  const rows = entries.map(
    ({ name, error, url }) => `<tr><td class="rule" style="padding:10px 0;border-bottom:1px solid #e2e5ea;${wrap}">
<a class="link" href="${escapeHtml(url)}" style="font-size:15px;line-height:22px;font-weight:600;color:${blue}">${escapeHtml(name)}</a>
<div class="quiet" style="font-size:13px;line-height:19px;background-color:#ffffff;color:#5b6573">${escapeHtml(error)}</div>
</td></tr>`,
  );
  return table(rows.join('\n'));
}

function button({ words, url }: EmailContent['link']): string {
  const href = escapeHtml(url);
  return `<p style="margin:0 0 8px"><a href="${href}" style="display:inline-block;padding:10px 18px;border-radius:6px;background-color:${blue};color:#ffffff;font-size:15px;line-height:20px;font-weight:600;text-decoration:none">${escapeHtml(words)}</a></p>
<p class="quiet" style="margin:0;font-size:12px;line-height:18px;background-color:#ffffff;color:#5b6573;${wrap}"><a class="link" href="${href}" style="color:${blue}">${href}</a></p>`;
}

function payloadBlock(payload: EmailContent['payload']): string {
  if (payload === null) return '';
  const note = `<p class="quiet" style="margin:0 0 8px;font-size:13px;line-height:19px;background-color:#ffffff;color:#5b6573;${wrap}">${escapeHtml(payload.note)}</p>`;
  return `<div style="height:24px;font-size:0;line-height:0">&nbsp;</div>
${label('Payload')}${note}${payload.shown === null ? '' : block(payload.shown, 0)}`;
}

const label = (words: string) =>
  `<h2 style="margin:0 0 6px;font-size:14px;line-height:20px;font-weight:600">${escapeHtml(words)}</h2>\n`;

/** Text with its line breaks. `pre` keeps them even in mail programs that do not support `white-space`. */
function block(text: string, marginPx: number): string {
  return `<pre class="code" style="margin:0 0 ${marginPx}px;padding:10px 12px;border:1px solid #e2e5ea;border-radius:6px;background-color:#f6f7f9;color:#1f2937;font-size:13px;line-height:19px;${mono};white-space:pre-wrap;${wrap}">${escapeHtml(text)}</pre>`;
}
