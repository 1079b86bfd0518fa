import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import type { Denied } from '../../support/denied.ts';

/** Wrong tokens, each from a network of its own: far more than the audit log has entries for in a minute. */
const guesses = 2_000;
const atOnce = 8;
/** How often a right token is sent meanwhile. */
const everyMs = 100;
/** Entries of wrong tokens in a minute, as docs/admin-api.md promises. */
const mostInMinute = 60;

/**
 * Sends wrong tokens of any bytes to any admin address, from many networks behind a proxy, while another client uses a
 * right token.
 *
 * @param denied counts the refused calls that the audit log has
 * @returns what is wrong; empty when nothing is
 */
export async function wrongTokens(options: {
  baseUrl: string;
  adminToken: string;
  seed: number;
  denied: () => Promise<Denied>;
}): Promise<string[]> {
  const { baseUrl, adminToken, seed, denied } = options;
  const ask = async (token: string, path: string, address: string): Promise<number> => {
    const headers = { 'x-admin-token': token, 'x-forwarded-for': address };
    const answer = await fetch(`${baseUrl}${path}`, { headers });
    await answer.arrayBuffer();
    return answer.status;
  };
  // All characters that a header may hold, except spaces, which fetch removes at both ends.
  const token = fc.string({
    unit: fc
      .integer({ min: 0x21, max: 0xff })
      .filter((code) => code !== 0x7f)
      .map(toText),
  });
  const path = fc.constantFrom('/admin/accounts', '/admin/events?limit=1', '/admin/no/such/thing', '/admin');
  const made = fc.sample(fc.tuple(token, path), { seed, numRuns: guesses }).entries();
  const wrong = new Set<string>();
  let over = false;
  const guess = async () => {
    for (const [n, [text, target]] of made) {
      const status = await ask(text, target, `2001:db8:${n.toString(16)}::1`);
      if (status !== 401) wrong.add(`a wrong token was answered by ${status}`);
    }
  };
  const use = async () => {
    while (!over) {
      const status = await ask(adminToken, '/admin/providers', '192.0.2.1');
      if (status !== 200) wrong.add(`the right token was answered by ${status} while there were wrong ones`);
      await sleep(everyMs);
    }
  };
  const using = use();
  await Promise.all(Array.from({ length: atOnce }, guess)).finally(() => {
    over = true;
  });
  await using;
  const found = await denied();
  if (found.entries === 0) wrong.add('the audit log has no entry of a wrong token');
  if (found.mostInMinute > mostInMinute)
    wrong.add(`the audit log has ${found.mostInMinute} entries of wrong tokens in a minute`);
  return [...wrong];
}

const toText = (code: number) => String.fromCharCode(code);
