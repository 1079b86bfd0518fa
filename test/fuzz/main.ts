import { parseArgs } from 'node:util';
import { fuzzApi } from './api.ts';
import { fuzzRaw } from './raw/fuzz-raw.ts';

/**
 * `npm run fuzz -- [--examples 100] [--seed N] [--only raw|api]`: sends bad requests to running gateways with new
 * databases. `raw` sends bytes over sockets (`raw/fuzz-raw.ts`), `api` sends what Schemathesis makes of the OpenAPI document
 * (`api.ts`). A run is repeated by its seed, which it prints.
 */
const { values } = parseArgs({
  options: { examples: { type: 'string', default: '100' }, seed: { type: 'string' }, only: { type: 'string' } },
});

const examples = wholeNumber('examples', values.examples);
const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : wholeNumber('seed', values.seed);
const parts = { raw: fuzzRaw, api: fuzzApi };

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));

const chosen = Object.entries(parts).filter(([name]) => values.only === undefined || values.only === name);
if (chosen.length === 0) throw new Error(`--only is raw or api, not ${values.only}`);
const codes: number[] = [];
for (const [, part] of chosen) codes.push(await part({ examples, seed }));
process.exitCode = Math.max(...codes);

function wholeNumber(name: string, text: string): number {
  if (!/^\d{1,10}$/.test(text)) throw new Error(`--${name} is a whole number, not ${text}`);
  return Number(text);
}
