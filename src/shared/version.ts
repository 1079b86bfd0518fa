import { createRequire } from 'node:module';
import { z } from 'zod';

/** The gateway's version, from package.json. */
export const { version } = z
  .object({ version: z.string() })
  .parse(createRequire(import.meta.url)('../../package.json'));
