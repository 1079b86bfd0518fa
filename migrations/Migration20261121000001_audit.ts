import { Migration } from '@mikro-orm/migrations';

/** The audit log and its chain of seals: src/audit/. Each index's comment names the query that needs it. */
export class Migration20261121000001_audit extends Migration {
  override up(): void {
    // `json`, not `jsonb`: it keeps the text byte for byte, and the entry's MAC is over that text.
    this.addSql(`
      create table audit_logs (
        id uuid primary key,
        actor text not null,
        action text not null,
        ip_address text not null,
        created_at timestamptz not null,
        details json not null,
        noted_seq bigint,
        noted_seal bytea,
        mac bytea not null,
        seq bigint,
        seal bytea,
        foreign_at timestamptz
      )`);
    this.addSql(`comment on column audit_logs.mac is 'HMAC over the content, written with it'`);
    this.addSql(
      `comment on column audit_logs.noted_seq is 'the head of the chain that the writer knew of, with noted_seal: a chain that is made anew does not hold it'`,
    );
    this.addSql(`comment on column audit_logs.seq is 'place in the chain, from 1 without gaps; null: not sealed yet'`);
    this.addSql(`comment on column audit_logs.seal is 'HMAC over the previous seal, the place, the id and the MAC'`);
    this.addSql(
      `comment on column audit_logs.foreign_at is 'when the sealer found that the gateway did not write this row'`,
    );
    this.addSql('create unique index audit_logs_chain on audit_logs (seq) where seq is not null');
    this.addSql(`comment on index audit_logs_chain is 'verification and purge: the chain in its order'`);
    // Small at all times, so that a sealer with nothing to do costs next to nothing.
    this.addSql('create index audit_logs_unsealed on audit_logs (id) where seq is null and foreign_at is null');
    this.addSql(`comment on index audit_logs_unsealed is 'sealer: what it has to seal'`);
    this.addSql('create index audit_logs_foreign on audit_logs (foreign_at) where foreign_at is not null');
    this.addSql(`comment on index audit_logs_foreign is 'verification and purge: rows that are not ours'`);
    for (const column of ['actor', 'action', 'ip_address']) {
      this.addSql(`create index audit_logs_${column} on audit_logs (${column}, id)`);
      this.addSql(`comment on index audit_logs_${column} is 'list of entries by ${column}, newest first'`);
    }

    this.addSql(`
      create table audit_chain (
        part text primary key check (part in ('head', 'anchor')),
        seq bigint not null,
        seal bytea not null,
        purged_before timestamptz,
        mac bytea not null
      )`);
    this.addSql(
      `comment on table audit_chain is 'where the chain of audit_logs ends (head), and where a purge has cut it (anchor)'`,
    );
  }

  override down(): void {
    this.addSql('drop table audit_chain, audit_logs');
  }
}
