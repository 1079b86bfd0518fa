import { Migration } from '@mikro-orm/migrations';
import type { SchemaChange } from '../../src/database/migrations.ts';
import { type Release, thisRelease } from '../../src/database/schema-check.ts';

/** A migration of a test. */
export function change(
  name: string,
  statements: readonly string[],
  more: { kind?: SchemaChange['kind']; oldestRelease?: string; outsideTransaction?: boolean } = {},
) {
  return {
    name,
    class: class extends Migration {
      static readonly kind = more.kind ?? 'expand';
      static readonly oldestRelease = more.oldestRelease ?? '0.2.0';

      override up(): void {
        for (const statement of statements) this.addSql(statement);
      }

      override isTransactional(): boolean {
        return !more.outsideTransaction;
      }
    },
  };
}

/** A release with further migrations after those of today. */
export const laterRelease = (version: string, changes: ReturnType<typeof change>[]): Release => ({
  version,
  later: [...thisRelease.later, ...changes],
});
