import { Migration } from '@mikro-orm/migrations';

/**
 * One row for each process. Unlogged: after a crash of PostgreSQL the table is empty, and every process that lives writes
 * its row again within two seconds. With fillfactor 50, an update stays in its page. The release before has created it
 * without a migration.
 */
export class Migration20261126000000_expand_processes extends Migration {
  override up(): void {
    this.addSql(`
      create unlogged table if not exists processes (
        token uuid primary key,
        role text not null,
        host text not null,
        pid integer not null,
        version text not null,
        makes_first_attempts boolean not null,
        started_at timestamptz not null,
        alive_until timestamptz not null,
        first_attempts_per_s real not null
      ) with (fillfactor = 50);
      comment on table processes is 'which processes run, and whose claims are in force';
      comment on column processes.token is 'the claim_token of its claims';`);
  }
}
