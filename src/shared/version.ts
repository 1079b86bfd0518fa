import { createRequire } from 'node:module';
import { z } from 'zod';

/** The gateway's version, as package.json has it. */
export const { version } = z
  .object({ version: z.string() })
  .parse(createRequire(import.meta.url)('../../package.json'));
