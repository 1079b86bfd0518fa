import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Database } from '../database/database.ts';
import { checkSchema } from '../database/schema-check.ts';
import { type DataDir, existingSecrets, openDataDir } from '../embedded/data-dir.ts';
import type { Keyring } from '../secrets/keyring.ts';
import { checkKeyring, readKnownKeys } from '../secrets/known-keys.ts';
import { countByKey } from '../secrets/reseal.ts';
import { StartError } from '../shared/start-error.ts';
import { changeKey } from './change-key.ts';
import { keyringOf } from './keyring.ts';
import { withDatabase } from './open-database.ts';
import { beginKeyChange, endKeyChange, ownKeyring } from './own-keys.ts';
import { withOwnPostgres } from './own-postgres.ts';
import { changeText, stateText, whatIsLeft } from './reseal-report.ts';
import type { RoleContext } from './role-context.ts';
import { sealedColumns } from './sealed-columns.ts';

const usage = `npm run reseal [-- --new-key | --check | --back]

Seals all secrets again with SECRETS_KEY, so that SECRETS_KEY_PREVIOUS is not needed any more. See docs/changing-secrets-key.md.

  --new-key  npm start: make a new key in the data folder first
  --check    change nothing, show which keys are in use
  --back     go back to a key that was in use before SECRETS_KEY_PREVIOUS was`;

interface Options {
  newKey: boolean;
  check: boolean;
  back: boolean;
}

/** The role `reseal`: encrypts all secrets again with the current key, prints the result, and ends. */
export async function runReseal(context: RoleContext): Promise<void> {
  const { config } = context;
  const options = given(context.arguments);
  if (config.databaseUrl !== null && config.secretsKey !== null) {
    if (options.newKey)
      throw new StartError(
        '--new-key changes the key in the data folder of `npm start`, but SECRETS_KEY is set. Make a key with ' +
          '`openssl rand -base64 32` and set it as docs/changing-secrets-key.md says.',
      );
    return run(context, options, config.databaseUrl, keyringOf(config));
  }
  await inDataDir(context, options);
}

function given(args: string[]): Options {
  const flag = { type: 'boolean', default: false } as const;
  try {
    const { values } = parseArgs({ args, options: { 'new-key': flag, check: flag, back: flag } });
    const options = { newKey: values['new-key'], check: values.check, back: values.back };
    if (Object.values(options).filter(Boolean).length <= 1) return options;
  } catch (error) {
    throw new StartError(`${error instanceof Error ? error.message : ''}\n\n${usage}`);
  }
  throw new StartError(usage);
}

/** Runs on the data folder of `npm start`, which must not run at the same time: with its key, and with its database. */
async function inDataDir(context: RoleContext, options: Options): Promise<void> {
  const { config, log } = context;
  const keyFile = existingSecrets(config.dataDir).pathOf('secrets-key');
  if (config.secretsKey === null && !existsSync(keyFile))
    throw new StartError(
      `SECRETS_KEY is not set, and there is no ${keyFile}: there is no key to seal with.\n\n${usage}`,
    );
  if (config.secretsKey !== null && options.newKey)
    throw new StartError('--new-key changes the key in the data folder, but SECRETS_KEY is set.');
  const dataDir = openDataDir(config.dataDir);
  try {
    if (options.newKey) beginKeyChange(dataDir);
    const keyring = ownKeyring(dataDir, config);
    const work = async (url: string) => {
      await run(context, options, url, keyring);
      if (!options.check && config.secretsKey === null) tellOfOldKey(dataDir, endKeyChange(dataDir));
    };
    if (config.databaseUrl !== null) return await work(config.databaseUrl);
    await withOwnPostgres(dataDir, log, work);
  } finally {
    dataDir.release();
  }
}

function tellOfOldKey(dataDir: DataDir, name: string | null): void {
  if (name === null) return;
  console.log(
    `The key from before is now ${dataDir.secrets.pathOf(name)}. Backups that were made with it need it: delete it ` +
      'when none of them is left.',
  );
}

/** Reseals or checks. @throws StartError when a value still needs another key than SECRETS_KEY. */
const run = (context: RoleContext, options: Options, url: string, keyring: Keyring): Promise<void> =>
  withDatabase({ url, log: context.log, wholeTables: true }, async (database) => {
    await checkSchema(database);
    await runOn(database, context, options, keyring);
  });

async function runOn(database: Database, context: RoleContext, options: Options, keyring: Keyring): Promise<void> {
  const { current, previous } = keyring;
  const state = async () => ({
    known: await readKnownKeys(database),
    counts: await countByKey(database, sealedColumns),
  });
  if (options.check) {
    const now = await state();
    console.log(stateText(keyring, now));
    await checkKeyring(database, keyring);
    return conclude(keyring, whatIsLeft(keyring, now));
  }
  console.log(
    `Sealing with key ${current.id} (SECRETS_KEY)${previous ? `, opening also what key ${previous.id} has sealed (SECRETS_KEY_PREVIOUS)` : ''} …`,
  );
  const change = await changeKey({
    ...{ database, keyring, back: options.back, onProgress: console.log },
    signal: context.stopped,
  }).catch((error: unknown) => {
    if (!context.stopped.aborted) throw error;
    throw new StartError('Interrupted. What was sealed again stays so; run it again to go on.');
  });
  console.log(changeText(keyring, change));
  conclude(keyring, whatIsLeft(keyring, await state()));
}

function conclude({ current, previous }: Keyring, left: string[]): void {
  if (left.length > 0)
    throw new StartError(
      [
        `Not everything is sealed with key ${current.id} alone:`,
        ...left.map((line) => `  ${line}`),
        ...(previous ? ['Keep SECRETS_KEY_PREVIOUS, and see docs/changing-secrets-key.md.'] : []),
      ].join('\n'),
    );
  console.log(
    `Everything is sealed with key ${current.id}.${previous ? ' SECRETS_KEY_PREVIOUS can now be removed.' : ''}`,
  );
}
