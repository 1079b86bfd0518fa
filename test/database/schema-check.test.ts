import { expect, test } from 'vitest';
import { migrate } from '../../src/database/migrate.ts';
import { migrations } from '../../src/database/migrations.ts';
import { checkSchema } from '../../src/database/schema-check.ts';
import { createLog } from '../../src/shared/log.ts';
import { StartError } from '../../src/shared/start-error.ts';
import { freshDatabase } from '../support/database.ts';
import { useDatabase } from '../support/use-database.ts';

const log = createLog('silent');
const database = useDatabase(freshDatabase);

test('the program starts on its own schema, and refuses an older one with an explanation', async () => {
  await migrate(database, log);
  await expect(checkSchema(database)).resolves.toBeUndefined();
  await database.pool.query('delete from mikro_orm_migrations where name = $1', [migrations.at(-1)?.name]);
  const refusal = await checkSchema(database).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(StartError);
  expect(refusal).toHaveProperty('message', expect.stringContaining('npm run migrate'));
});
