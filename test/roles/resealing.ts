import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createKeyring } from '../../src/secrets/keyring.ts';
import type { AdminClient } from '../support/admin-client.ts';
import { spawnGateway } from '../support/gateway-process.ts';

export const newKey = () => randomBytes(32).toString('base64');
export const idOf = (key: string) => createKeyring(new Uint8Array(Buffer.from(key, 'base64'))).current.id;

export const page = readFileSync(fileURLToPath(new URL('../../docs/changing-secrets-key.md', import.meta.url)), 'utf8');

/** The settings of a step of docs/changing-secrets-key.md, with these keys. */
export function settingsOfStep(step: number, keys: { old: string; new: string }): Record<string, string> {
  const line = page.split('\n').find((text) => text.startsWith(`| ${step} | \`SECRETS_KEY`)) ?? '';
  const given = [...line.matchAll(/`(SECRETS_KEY\w*)=<(old|new)>`/g)];
  return Object.fromEntries(given.map(([, name = '', which]) => [name, which === 'old' ? keys.old : keys.new]));
}

/** Runs `npm run reseal` until it ends. */
export async function reseal(variables: Record<string, string | undefined>, args: string[] = []) {
  const process = spawnGateway('reseal', variables, args);
  const { code } = await process.exited;
  return { code, stdout: process.stdout(), stderr: process.stderr() };
}

/** The verification of the audit log. */
export const verify = async (admin: AdminClient) => (await admin.request('GET', '/admin/audit-logs/verify')).body;
