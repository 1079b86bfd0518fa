import { afterEach, beforeEach, expect } from 'vitest';
import { AuditLog } from '../../src/audit/audit-log.ts';
import { retireKey } from '../../src/audit/retire-key.ts';
import { Sealer } from '../../src/audit/sealer.ts';
import { type NotedPoint, verifyAuditLogs } from '../../src/audit/verify.ts';
import { createKeyring, type Keyring } from '../../src/secrets/keyring.ts';
import { registerKeyring } from '../../src/secrets/known-keys.ts';
import { randomKeyring } from '../support/keyring.ts';
import { openTestLog, type TestLog } from './log.ts';

export let log: TestLog;

/** Opens a log in its own database for each test of a file. */
export function logForEachTest(): void {
  beforeEach(async () => {
    log = await openTestLog(4);
  });
  afterEach(() => log.close());
}

export const [first, second, third] = [randomKeyring(), randomKeyring(), randomKeyring()];

export const both = (current: Keyring, previous: Keyring) =>
  createKeyring(current.current.bytes, previous.current.bytes);
export const entry = (n: number) => ({
  actor: 'a',
  action: 'account.read' as const,
  ipAddress: '192.0.2.1',
  details: { n },
});
const changed = { actor: 'gateway', action: 'secrets.reseal' as const, ipAddress: '127.0.0.1', details: {} };

export async function write(keyring: Keyring, from: number, to: number): Promise<void> {
  await registerKeyring(log.database, keyring);
  const audit = new AuditLog({ ...log.deps, keyring, noteMs: 0 });
  for (let n = from; n <= to; n += 1) await audit.append(entry(n));
}
export const seal = (keyring: Keyring) => new Sealer({ ...log.deps, keyring }).seal();
export const verify = (keyring: Keyring, head?: NotedPoint) =>
  verifyAuditLogs({ database: log.database, keyring }, { head });
export const retire = (current: Keyring, previous: Keyring) =>
  retireKey({ database: log.database, keyring: both(current, previous) }, previous.current, changed);

/** Five entries of the first key, its retirement, and five of the second one: places 1 to 5, 6 for the change, 7 to 11. */
export async function twoEpochs() {
  await write(first, 1, 5);
  await registerKeyring(log.database, both(second, first));
  expect(await retire(second, first)).toBe(true);
  await write(second, 6, 10);
  await seal(second);
}
