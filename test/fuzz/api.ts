import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { adminToken, startGatewayProcess, temporaryFolder, temporaryPostgres } from '../bench/processes.ts';
import { run, schemathesis } from './schemathesis.ts';
import { seed } from './seed.ts';

/** Settings for rules that the document cannot express. */
const settings = `
[[operations]]
# Their 502 tells of a consumer or a service.
include-path = [
  "/admin/accounts/{account_id}/test-delivery",
  "/admin/accounts/{account_id}/destinations/{destination_id}/test",
]
checks.not_a_server_error.expected-statuses = ["2xx", "4xx", 502]

[[operations]]
# What a config and a secret may hold depends on the account's provider or the destination that is there, and a condition
# is more than a text. A name of a consumer may be taken, and the consumer default has the address of its account. An
# order of a bulk job has either ids or a filter that is not empty. A backfill and a series reach back from now. A token has
# one scope, and none with the role admin.
include-path = [
  "/admin/accounts",
  "/admin/accounts/{account_id}",
  "/admin/accounts/{account_id}/consumers",
  "/admin/accounts/{account_id}/consumers/{consumer}",
  "/admin/accounts/{account_id}/consumers/{consumer}/backfill",
  "/admin/accounts/{account_id}/destinations",
  "/admin/accounts/{account_id}/destinations/{destination_id}",
  "/admin/conditions/check",
  "/admin/events/bulk",
  "/admin/delivery/series",
  "/admin/tokens",
]
checks.positive_data_acceptance.expected-statuses = ["2xx", "401", "404", "409", "422"]

[[operations]]
# An account may not exist, and a made-up cursor has expired.
include-path = "/admin/feed"
checks.positive_data_acceptance.expected-statuses = ["2xx", "401", "404", "410"]

[[operations]]
# A token may compare ten times a minute.
include-path = "/admin/accounts/{account_id}/secrets/compare"
checks.positive_data_acceptance.expected-statuses = ["2xx", "401", "404", "429"]

[[operations]]
# Not every provider looks at its address first; at the addresses of others GET is not allowed.
include-path = "/{provider}/{slug}"
checks.positive_data_acceptance.expected-statuses = ["2xx", "401", "403", "404", "405"]
`;

/**
 * Schemathesis generates requests from the OpenAPI document and sends them to a running gateway with a new database. It
 * fails on a 5xx, on a status, content type or body that is not in the document, and on invalid requests that are accepted.
 *
 * @returns the exit code
 */
export async function fuzzApi(options: { examples: number; seed: number }): Promise<number> {
  const program = await schemathesis();
  const postgres = await temporaryPostgres();
  const folder = await temporaryFolder();
  try {
    const gateway = await startGatewayProcess('all', {
      DATABASE_URL: postgres.url,
      DATA_DIR: join(folder.path, 'data'),
      TEMPORAL_UI_PORT: '29233',
      DELIVERY_SCHEDULE: '1s,1s,1s,1s,1s,1s,1s,1s,1s',
      LOG_LEVEL: 'error',
    });
    try {
      const ids = await seed(gateway.baseUrl, adminToken);
      await writeFile(join(folder.path, 'schemathesis.toml'), settings);
      const args = ['run', `${gateway.baseUrl}/openapi/json`, '-H', `X-Admin-Token: ${adminToken}`];
      // After ten wrong tokens the answer is 429, which these checks take for a fault. It is tested elsewhere. `Allow`
      // depends on the provider in the path, which the document cannot express.
      args.push('--exclude-checks', 'missing_required_header,ignored_auth,allow_header_conformance');
      args.push(
        '--checks',
        'all',
        '--max-examples',
        String(options.examples),
        '--request-timeout',
        '30',
        '--continue-on-failure',
      );
      // This answer ends only when the client goes. test/events/stream/ has its tests.
      args.push('--exclude-path', '/admin/events/stream');
      args.push('--seed', String(options.seed));
      return await run(program, args, {
        cwd: folder.path,
        env: {
          SCHEMATHESIS_HOOKS: 'hooks',
          PYTHONPATH: fileURLToPath(new URL('.', import.meta.url)),
          PYTHONDONTWRITEBYTECODE: '1',
          KNOWN_PARAMETERS: JSON.stringify(ids),
        },
      });
    } finally {
      await gateway.stop();
    }
  } finally {
    await postgres.stop();
    await folder.remove();
  }
}
