import { headerText, list, notVisible } from '../../shared/setting-types.ts';

/**
 * Shorter tokens may be words or dates, which can be guessed. The command in the error message prints 32 characters.
 */
const fewestCharacters = 16;
const fewestDifferent = 8;
const hardToGuess = (token: string) => token.length >= fewestCharacters && new Set(token).size >= fewestDifferent;
const tooWeak = `a token must have ${fewestCharacters} characters or more, ${fewestDifferent} of them different; make one with: openssl rand -base64 24`;

/** `name:token` pairs between commas. No name and no token may be there twice. */
export const adminTokens = list.transform((parts, context) => {
  if (parts.length === 0) context.addIssue({ code: 'custom', message: 'holds no name:token pair' });
  const tokens = parts.map((part) => {
    const separator = part.indexOf(':');
    const name = part.slice(0, separator).trim();
    const token = part.slice(separator + 1).trim();
    // The error does not contain the part, because it includes a token.
    if (separator < 1 || !/^[\w.@-]{1,100}$/.test(name) || token === '')
      context.addIssue({ code: 'custom', message: 'must be name:token pairs separated by commas' });
    else if (!hardToGuess(token)) context.addIssue({ code: 'custom', message: tooWeak });
    if (!headerText.safeParse(token).success) context.addIssue({ code: 'custom', message: notVisible });
    return { name, token };
  });
  // Names identify operators in the audit log, so they must be unique.
  for (const field of ['name', 'token'] as const)
    if (new Set(tokens.map((given) => given[field])).size < tokens.length)
      context.addIssue({ code: 'custom', message: `has the same ${field} twice` });
  return tokens;
});

/** A single admin token. */
export const adminToken = headerText.refine(hardToGuess, tooWeak);
