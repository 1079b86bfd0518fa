import type { Sql } from '../database/sql.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import type { Log } from '../shared/log.ts';
import { configWarnings, openConfig, type ProviderRules } from './provider-settings.ts';

/** Accounts whose addresses the warning names. More would make a line of the log that nothing shows whole. */
const maxNamed = 50;

interface ConfigRow {
  id: string;
  provider: string;
  account_slug: string;
  provider_config: Buffer | null;
}

const readConfigs = {
  name: 'configs_of_providers',
  text: `select id, provider, account_slug, provider_config from accounts
         where provider = any($1) and deleted_at is null order by id`,
};

/**
 * Logs one warning for accounts whose stored `provider_config` would be refused in a new account. They stay in force.
 *
 * @throws the database's error.
 */
export async function warnOfConfigs(deps: {
  sql: Sql;
  box: SecretBox;
  providers: ReadonlyMap<string, ProviderRules>;
  log: Log;
}): Promise<void> {
  const { sql, box, providers, log } = deps;
  const checked = [...providers].filter(([, rules]) => rules.configProblem).map(([name]) => name);
  const found = (await sql.query<ConfigRow>(readConfigs, [checked])).flatMap((row) => {
    const [warning] = configWarnings(providers.get(row.provider), openConfig(box, row));
    return warning ? [{ address: `${row.provider}/${row.account_slug}`, ...warning }] : [];
  });
  if (found.length === 0) return;
  const accounts = found.slice(0, maxNamed);
  log.warn({ count: found.length, accounts }, 'unsafe settings of accounts remain in force');
}
