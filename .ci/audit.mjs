// Judges what `npm audit --json` says, from standard input: every advisory needs an exception that explains it, in
// .ci/audit-exceptions.json: [{ "advisory": "GHSA-…", "reason": "why it does no harm here" }].
// Where the registry answers no audit, it says so and passes: node .ci/audit.mjs [exceptions.json] < report.json
import { readFileSync } from 'node:fs';

const [, , exceptionsFile = new URL('audit-exceptions.json', import.meta.url)] = process.argv;
const text = readFileSync(0, 'utf8');
const report = parsed(text);

if (report?.auditReportVersion !== 2) {
  const reason = report?.message ?? report?.error?.summary ?? text.trim().slice(0, 200);
  console.log(`npm audit was skipped, because the registry did not answer it: ${reason || 'no answer'}`);
  process.exit(0);
}

const exceptions = new Map();
for (const { advisory, reason } of JSON.parse(readFileSync(exceptionsFile, 'utf8'))) {
  if (typeof reason !== 'string' || reason.trim().length < 20)
    throw new Error(`${advisory} in .ci/audit-exceptions.json needs a reason: why it does no harm here.`);
  exceptions.set(advisory, reason);
}

const found = new Map();
// A text is the name of another package, which is listed with its own advisories.
for (const { via } of Object.values(report.vulnerabilities))
  for (const advisory of via) if (typeof advisory === 'object') found.set(advisory.url.split('/').at(-1), advisory);

const unexplained = [...found].filter(([id]) => !exceptions.has(id));
for (const [id, { name, severity, title }] of unexplained) console.log(`${id} (${severity}) in ${name}: ${title}`);
for (const [id, reason] of exceptions)
  console.log(found.has(id) ? `${id} is excepted: ${reason}` : `${id} is excepted, and no longer found: remove it.`);
const stale = [...exceptions.keys()].filter((id) => !found.has(id));
console.log(`npm audit: ${found.size} advisories, ${unexplained.length} without an exception`);
process.exit(unexplained.length + stale.length > 0 ? 1 : 0);

function parsed(json) {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}
