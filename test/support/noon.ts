import { dayMs } from '../../src/database/uuid-time.ts';

/** Noon of this day (UTC), in milliseconds since 1970, from which a minute later is still the same day. */
export const noon = () => (Math.floor(Date.now() / dayMs) + 0.5) * dayMs;
