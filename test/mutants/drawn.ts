import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { Mutant } from './mutant.ts';
import { readIn } from './shares.ts';

export const root = fileURLToPath(new URL('../..', import.meta.url));
const path = 'test/mutants/drawn.json';

const drawnFile = z.strictObject({
  seed: z.number(),
  mutants: z.array(
    z.strictObject({
      number: z.number(),
      share: z.string(),
      kind: z.enum(['comparison', 'boolean', 'constant', 'branch', 'call', 'clause']),
      file: z.string(),
      line: z.number(),
      offset: z.number(),
      before: z.string(),
      after: z.string(),
      lead: z.string(),
      trail: z.string(),
    }),
  ),
});

/** The committed mutants. They stay the same when tests or sources change, so that two runs can be compared. */
export const readDrawn = (): { seed: number; mutants: Mutant[] } => drawnFile.parse(JSON.parse(readIn(root, path)));

export function writeDrawn(seed: number, mutants: readonly Mutant[]): void {
  writeFileSync(`${root}${path}`, `${JSON.stringify({ seed, mutants }, null, 2)}\n`);
}
