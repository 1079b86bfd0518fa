import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Role, readConfig } from '../../src/config/config.ts';
import { StartError } from '../../src/shared/start-error.ts';
import { folderForTest } from '../support/folder-for-test.ts';

export type Env = Record<string, string>;

const shared: Env = {
  DATABASE_URL: 'postgres://h/d',
  SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
  ADMIN_TOKEN: 'token-of-the-admin',
};
export const temporal = (env: Env, role: Role = 'worker') => readConfig(role, { ...shared, ...env }).temporal;
export const at: Env = { TEMPORAL_ADDRESS: 't:7233' };

/** The errors that a start would report. */
export function mistakes(env: Env, role: Role = 'worker'): string[] {
  try {
    readConfig(role, { ...shared, ...env });
  } catch (error) {
    if (error instanceof StartError)
      return error.message
        .split('\n')
        .slice(1)
        .map((line) => line.slice(4));
    throw error;
  }
  return [];
}

/** Writes a configuration file of Temporal into a home folder. */
export function tomlFile(text: string) {
  const home = folderForTest();
  const folder = join(home, '.config', 'temporalio');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'temporal.toml');
  writeFileSync(file, text);
  // On macOS the default place differs, so the variable names the file.
  const variables: Env = process.platform === 'linux' ? { HOME: home } : { TEMPORAL_CONFIG_FILE: file };
  return { file, home: variables };
}
