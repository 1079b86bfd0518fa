import { Migration } from '@mikro-orm/migrations';
import { type Release, thisRelease } from '../../src/database/schema-check.ts';

/** A migration of a test. */
export function change(name: string, statements: readonly string[], more: { outsideTransaction?: boolean } = {}) {
  return {
    name,
    class: class extends Migration {
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
  migrations: [...thisRelease.migrations, ...changes],
});
