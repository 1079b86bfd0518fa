import { beforeEach, describe, expect, test } from 'vitest';
import { createKeyring, type Keyring } from '../../src/secrets/keyring.ts';
import { checkKeyring, readKnownKeys, registerKeyring } from '../../src/secrets/known-keys.ts';
import { StartError } from '../../src/shared/start-error.ts';
import { randomKeyring } from '../support/keyring.ts';
import { rows } from '../support/stored.ts';
import { useDatabasePerTest } from '../support/use-database.ts';

const database = useDatabasePerTest();

const [first, second, third] = [randomKeyring(), randomKeyring(), randomKeyring()];
const both = (current: Keyring, previous: Keyring) => createKeyring(current.current.bytes, previous.current.bytes);
const known = async () => (await readKnownKeys(database)).map(({ id }) => id);
const retire = (key: Keyring) =>
  rows(
    database,
    `update secrets_keys set retired_at = '2026-11-22T00:00:00Z', check_value = null, retired_audit = '' where id = $1`,
    [key.current.id],
  );

async function refusal(keyring: Keyring): Promise<string> {
  const error = await registerKeyring(database, keyring).then(
    () => null,
    (failure: unknown) => failure,
  );
  expect(error).toBeInstanceOf(StartError);
  return error instanceof Error ? error.message : '';
}

test('the first key is registered once; later a different key without it is refused', async () => {
  for (let n = 0; n < 3; n += 1) await registerKeyring(database, first);
  expect(await known()).toEqual([first.current.id]);
  const message = await refusal(second);
  expect(message).toContain(`they need key ${first.current.id}, and SECRETS_KEY (key ${second.current.id}) cannot`);
  expect(await known()).toEqual([first.current.id]);
});

test('of two keys that are registered concurrently in an empty database, one is refused', async () => {
  const ends = await Promise.allSettled([first, second, first, second].map((one) => registerKeyring(database, one)));
  expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
  expect(await known()).toHaveLength(1);
});

describe('during a change of the key', () => {
  beforeEach(async () => {
    await registerKeyring(database, first);
    // Step 1 of the change uses the new key only to decrypt, so it is not in use yet.
    await registerKeyring(database, both(first, second));
    expect(await known()).toEqual([first.current.id]);
    await registerKeyring(database, both(second, first));
  });

  test('both keys are in use, and a process needs both, in either order', async () => {
    expect(await known()).toEqual([first.current.id, second.current.id]);
    await registerKeyring(database, both(first, second));
    expect(await refusal(first)).toContain(
      `A part of the secrets in this database is encrypted with key ${second.current.id}`,
    );
    expect(await refusal(second)).toContain(`encrypted with key ${first.current.id}, which SECRETS_KEY`);
    expect(await refusal(third)).toContain(`they need key ${first.current.id} and ${second.current.id}`);
    expect(await refusal(both(third, first))).toContain(second.current.id);
  });

  test('once the old key is retired the new key suffices, and the old key is refused as the current key', async () => {
    await retire(first);
    await registerKeyring(database, second);
    await registerKeyring(database, both(second, first));
    for (const keyring of [first, both(first, second)])
      expect(await refusal(keyring)).toContain(`it (key ${first.current.id}) was replaced at 2026-11-22T00:00:00.000Z`);
  });
});

test('a different key with the id of a registered key is refused', async () => {
  await registerKeyring(database, first);
  const alike: Keyring = {
    current: { ...second.current, id: first.current.id },
    previous: null,
    find: (id) => (id === first.current.id ? { ...second.current, id } : null),
  };
  await expect(checkKeyring(database, alike)).rejects.toThrow(StartError);
});

test('no message contains a key', async () => {
  await registerKeyring(database, first);
  const message = (await refusal(second)) + (await refusal(both(second, third)));
  for (const { current } of [first, second, third])
    for (const encoding of ['hex', 'base64'] as const)
      expect(message).not.toContain(Buffer.from(current.bytes).toString(encoding));
});
