import { BackupError } from './backup-error.ts';

/** What BACKUP_URL says. */
export interface S3Address {
  bucket: string;
  /** Empty, or ends with a slash. */
  prefix: string;
  region: string;
  /** Null for AWS itself. */
  endpoint: string | null;
}

const form = 's3://bucket/prefix?region=eu-central-1&endpoint=https://…';
const parameters = new Set(['region', 'endpoint']);

/**
 * Reads an address of the form `s3://bucket/prefix?region=…&endpoint=…`; prefix, region and endpoint may be left out.
 *
 * @throws BackupError
 */
export function parseS3Address(text: string): S3Address {
  const refused = (why: string) => new BackupError(`BACKUP_URL ${why}; it has the form ${form}.`);
  const url = URL.parse(text);
  if (url?.protocol !== 's3:' || url.hostname === '') throw refused('is no s3:// URL with a bucket');
  // Shown in logs and lists, where no credential may be.
  if (url.username !== '' || url.password !== '')
    throw refused('must hold no credentials: they come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY');
  for (const name of url.searchParams.keys())
    if (!parameters.has(name)) throw refused(`has the parameter '${name}', which is unknown`);
  const endpoint = url.searchParams.get('endpoint');
  const parsed = endpoint === null ? null : URL.parse(endpoint);
  if (endpoint !== null && !(parsed && /^https?:$/.test(parsed.protocol) && parsed.username === ''))
    throw refused('has an endpoint that is no http: or https: URL');
  const path = decodeURIComponent(url.pathname).replaceAll(/^\/+|\/+$/g, '');
  return {
    bucket: url.hostname,
    prefix: path === '' ? '' : `${path}/`,
    region: url.searchParams.get('region') ?? 'us-east-1',
    endpoint,
  };
}
