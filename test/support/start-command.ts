import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const { scripts } = z
  .object({ scripts: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')));
const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

/** The arguments of Node with which `npm run` starts a role, with Node's options from package.json. */
export function startArguments(role: string): string[] {
  const [, options = ''] = /^exec node (.*)src\/main\.ts /.exec(scripts[role === 'all' ? 'start' : role] ?? '') ?? [];
  return [...options.split(' ').filter((option) => option !== ''), main, role];
}
