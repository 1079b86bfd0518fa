import { createHash, randomBytes } from 'node:crypto';

/** Its beginning shows what it is, also to scanners that look for secrets in source code. */
const prefix = 'wg_';
/** 256 bits cannot be guessed, so a plain hash of it is enough. */
const secretBytes = 32;

/** A new token: `wg_` and 43 characters of base64url. */
export const newToken = () => `${prefix}${randomBytes(secretBytes).toString('base64url')}`;

/** Whether a text has the form of a stored token. */
export const isStoredForm = (given: string) => /^wg_[\w-]{43}$/.test(given);

/** What is stored of a token. */
export const hashOf = (token: string) => createHash('sha256').update(token).digest('hex');
