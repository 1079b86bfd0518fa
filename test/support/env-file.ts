import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';

/**
 * Throws if the checkout has an `.env` file with other values than `.env.example`. Every role that a test starts reads this
 * file: with the DATABASE_URL of a real gateway in it, the tests would migrate that database and attempt its events.
 *
 * @param checkout the folder of package.json
 */
export function refuseEnvFile(checkout: string): void {
  const file = join(checkout, '.env');
  if (!existsSync(file)) return;
  const valuesIn = (path: string) => parseEnv(readFileSync(path, 'utf8'));
  const usual = valuesIn(join(checkout, '.env.example'));
  const changed = Object.entries(valuesIn(file)).filter(([name, value]) => value !== '' && value !== usual[name]);
  if (changed.length === 0) return;
  const names = changed.map(([name]) => name).join(', ');
  throw new Error(`The gateways of the tests would use ${file}, which sets ${names}. Move it away for the tests.`);
}
