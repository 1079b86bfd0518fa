import { headerText, list, notVisible } from '../../shared/setting-types.ts';
import type { AdminToken } from './auth.ts';
import { roleOf, tokenRoles } from './roles.ts';

/**
 * Shorter tokens may be words or dates, which can be guessed. The command in the error message prints 32 characters.
 */
const fewestCharacters = 16;
const fewestDifferent = 8;
const hardToGuess = (token: string) => token.length >= fewestCharacters && new Set(token).size >= fewestDifferent;
const tooWeak = `a token must have ${fewestCharacters} characters or more, ${fewestDifferent} of them different; make one with: openssl rand -base64 24`;

const form = `must be name:token or name:token:role between commas; the roles are ${tokenRoles.join(', ')}`;
/** A colon in a token and a misspelt role look the same, so neither is guessed. */
const unknownRole = `${form}; the text after the last colon is none of these (after a token that contains a colon, the role is required)`;

/** The name, the token and the role of `name:token` or `name:token:role`; a mistake that repeats no part of it. */
function parsePart(part: string): AdminToken | { mistake: string } {
  const [name = '', ...rest] = part.split(':');
  const role = rest.length > 1 ? roleOf(rest.pop()?.trim() ?? '') : 'admin';
  const token = rest.join(':').trim();
  if (!/^[\w.@-]{1,100}$/.test(name.trim()) || token === '') return { mistake: form };
  if (role === null) return { mistake: unknownRole };
  if (!headerText.safeParse(token).success) return { mistake: notVisible };
  return hardToGuess(token) ? { name: name.trim(), token, role } : { mistake: tooWeak };
}

/** `name:token` or `name:token:role` between commas. No name and no token may be there twice. */
export const adminTokens = list.transform((parts, context) => {
  if (parts.length === 0) context.addIssue({ code: 'custom', message: 'holds no name:token pair' });
  const tokens: AdminToken[] = [];
  for (const part of parts) {
    const parsed = parsePart(part);
    if ('mistake' in parsed) context.addIssue({ code: 'custom', message: parsed.mistake });
    else tokens.push(parsed);
  }
  // Names identify operators in the audit log, so they must be unique.
  for (const field of ['name', 'token'] as const)
    if (new Set(tokens.map((given) => given[field])).size < tokens.length)
      context.addIssue({ code: 'custom', message: `has the same ${field} twice` });
  return tokens;
});

/** A single admin token. */
export const adminToken = headerText.refine(hardToGuess, tooWeak);
