import { AuditLog } from '../../src/audit/audit-log.ts';
import { purgeAuditLogs } from '../../src/audit/purge.ts';
import { Sealer } from '../../src/audit/sealer.ts';
import { type NotedPoint, type Verification, verifyAuditLogs } from '../../src/audit/verify.ts';
import type { AuditAction } from '../../src/http/admin/actions.ts';
import { openDatabase } from '../../src/roles/open-database.ts';
import { createLog } from '../../src/shared/log.ts';
import { migratedDatabase } from '../support/database.ts';
import { randomKeyring } from '../support/keyring.ts';
import { rows } from '../support/stored.ts';
import { useForAll } from '../support/use.ts';

const log = createLog(process.env.TEST_LOG_LEVEL ?? 'silent');

/** Opens an audit log in its own database, with operations for tests. */
export async function openTestLog(entriesPerTransaction = 20_000) {
  const databaseUrl = await migratedDatabase();
  const database = await openDatabase({ url: databaseUrl, log });
  const deps = { database, keyring: randomKeyring(), log };
  // Each entry notes the head that the previous entry has found.
  const startAudit = () => new AuditLog({ ...deps, noteMs: 0 });
  const sealer = new Sealer(deps);
  return {
    ...{ database, databaseUrl, deps, sealer },
    audit: startAudit(),
    /** Writes one entry for each number `n` of the range, in order, with `n` in its details. */
    async write(from: number, to: number, action: AuditAction = 'account.read') {
      for (let n = from; n <= to; n++)
        await this.audit.append({ actor: 'alice', action, ipAddress: '192.0.2.1', details: { n } });
    },
    async sealed(from: number, to: number) {
      await this.write(from, to);
      await sealer.seal();
    },
    verify: (head?: NotedPoint): Promise<Verification> => verifyAuditLogs(deps, { head }),
    /** By the clock of the test. */
    purge: (olderThanDays = 7) =>
      purgeAuditLogs(
        { ...deps, entriesPerTransaction },
        { olderThanDays, now: new Date(), actor: 'bob', ipAddress: '192.0.2.9' },
      ),
    sql: (text: string, values: unknown[] = []) => rows(database, text, values),
    /** Saves both tables for `putBack`. */
    async keep() {
      for (const table of ['audit_logs', 'audit_chain'])
        await database.pool.query(`drop table if exists kept_${table}; create table kept_${table} as table ${table}`);
    },
    /** Restores the saved tables, as an attacker in the database could. With `restart`, no gateway runs during that. */
    async putBack({ restart = true } = {}) {
      if (restart) this.audit = startAudit();
      await database.pool.query('delete from audit_logs; delete from audit_chain');
      await database.pool.query(
        'insert into audit_logs select * from kept_audit_logs; insert into audit_chain select * from kept_audit_chain',
      );
    },
    /** Empties the log. */
    async clear() {
      this.audit = startAudit();
      await database.pool.query('delete from audit_logs; delete from audit_chain');
    },
    close: () => database.close(),
  };
}
export type TestLog = Awaited<ReturnType<typeof openTestLog>>;

/** One audit log for all tests of a file. */
export const useTestLog = (entriesPerTransaction?: number): TestLog =>
  useForAll(
    () => openTestLog(entriesPerTransaction),
    (log) => log.close(),
  );
