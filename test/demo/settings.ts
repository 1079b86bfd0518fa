import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { DemoError } from './demo-error.ts';

export interface Settings {
  /** The URL of the gateway, without a trailing slash. */
  gatewayUrl: string;
  token: string;
  /** The source of the token, for messages. */
  tokenSource: string;
}

/**
 * Finds the gateway and an admin token, from the variables and files that the gateway itself uses.
 *
 * @throws DemoError if the address is invalid or there is no token
 */
export async function readSettings(env: Record<string, string | undefined>): Promise<Settings> {
  const gatewayUrl = (env.GATEWAY_URL || `http://127.0.0.1:${env.PORT || '8080'}`).replace(/\/+$/, '');
  if (!/^https?:\/\//.test(gatewayUrl) || !URL.canParse(gatewayUrl))
    throw new DemoError(`GATEWAY_URL must be an address like http://127.0.0.1:8080, not '${gatewayUrl}'.`);
  return { gatewayUrl, ...(await findToken(env)) };
}

async function findToken(env: Record<string, string | undefined>): Promise<Omit<Settings, 'gatewayUrl'>> {
  if (env.ADMIN_TOKEN) return { token: env.ADMIN_TOKEN, tokenSource: 'ADMIN_TOKEN' };
  const named = /^[^:,]+:([^,]+)/.exec(env.ADMIN_TOKENS ?? '')?.[1]?.trim();
  if (named) return { token: named, tokenSource: 'ADMIN_TOKENS' };
  const file = join(resolve(env.DATA_DIR || '.data'), 'secrets', 'admin-token');
  try {
    return { token: (await readFile(file, 'utf8')).trim(), tokenSource: file };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    const why = code === 'EACCES' ? 'may not be read by this user' : 'is not there';
    throw new DemoError(
      `There is no admin token: ADMIN_TOKEN is not set, and ${file} ${why}.\n` +
        'Start the gateway with npm start, or set ADMIN_TOKEN to a token of the one that runs.',
    );
  }
}
