import { z } from 'zod';

export const id = z.uuid().meta({ description: 'A UUIDv7', example: '01a1fb5c-32dd-7658-a59f-f1f2e11f4782' });
/** A time as all responses show it: ISO 8601 in UTC. */
export const timestamp = z.iso.datetime().meta({ example: '2026-11-20T10:00:00.000Z' });
export const text = z.string();
export const flag = z.boolean();
export const count = z.int();
/** Of a consumer or a destination. */
export const warnings = z.array(z.object({ path: text, message: text })).meta({
  description: 'URLs whose host now resolves only to addresses that are not allowed; empty otherwise',
  example: [],
});
/** The empty response to a DELETE. */
export const empty = z.void();
