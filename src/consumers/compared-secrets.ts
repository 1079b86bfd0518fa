import type { SecretsByPath } from '../accounts/compared-secrets.ts';
import { openOptions } from '../accounts/sealed-options.ts';
import { joinUrl } from '../accounts/url-credentials.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import type { ConsumerRow } from './consumer-entity.ts';
import { consumerPlace } from './consumer-secrets.ts';

/** The values of consumers that a comparison may name, as `consumers.billing.secret`. */
export const secretsOfConsumers = (box: SecretBox, rows: readonly ConsumerRow[]): SecretsByPath =>
  new Map(rows.flatMap((row) => secretsOf(box, row).map(([name, value]) => [`consumers.${row.name}.${name}`, value])));

function secretsOf(box: SecretBox, row: ConsumerRow): [name: string, value: string][] {
  const { authentication } = openOptions(box, row.id, row.sealed_options) ?? {};
  const secret = row.secret ? box.open(row.secret, consumerPlace(row.id, 'secret')) : null;
  const url = urlOf(box, row);
  // The other texts of an authentication are shown, so that comparing them tells nothing.
  const { type: _, ...texts } = authentication ?? { type: null };
  return [
    ...Object.entries(texts).filter((one): one is [string, string] => typeof one[1] === 'string'),
    ...(secret === null ? [] : [['secret', secret] satisfies [string, string]]),
    ...(url === null ? [] : [['url', url] satisfies [string, string]]),
  ];
}

function urlOf(box: SecretBox, row: ConsumerRow): string | null {
  if (!row.url || !row.url_credentials) return row.url ?? null;
  const credentials = box.open(row.url_credentials, consumerPlace(row.id, 'url_credentials'));
  return credentials === null ? null : joinUrl({ url: row.url, credentials });
}
