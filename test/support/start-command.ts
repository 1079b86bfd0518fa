import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const thisCheckout = fileURLToPath(new URL('../..', import.meta.url));

/**
 * The arguments of Node with which `npm run` starts a role, with Node's options from package.json.
 *
 * @param checkout the folder of package.json, by default that of this repository
 */
export function startArguments(role: string, checkout = thisCheckout): string[] {
  const { scripts } = z
    .object({ scripts: z.record(z.string(), z.string()) })
    .parse(JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')));
  const [, options = ''] = /^exec node (.*)src\/main\.ts /.exec(scripts[role === 'all' ? 'start' : role] ?? '') ?? [];
  return [...options.split(' ').filter((option) => option !== ''), join(checkout, 'src/main.ts'), role];
}
