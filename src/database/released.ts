import { readFileSync } from 'node:fs';
import { z } from 'zod';

/**
 * The files of `migrations/` that each release added, with their SHA-256: `npm run release` adds an entry. A released
 * file never changes, because databases have what it has made. Functions may change, and each release that changed one
 * has it again.
 */
export const released: Readonly<Record<string, Readonly<Record<string, string>>>> = z
  .record(z.string(), z.record(z.string(), z.string()))
  .parse(JSON.parse(readFileSync(new URL('../../migrations/released.json', import.meta.url), { encoding: 'utf8' })));
