import { BackupError } from './backup-error.ts';

/** The parts of BACKUP_URL. */
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
 * Parses an address of the form `s3://bucket/prefix?region=…&endpoint=…`. Prefix, region and endpoint are optional.
 *
 * @throws BackupError
 */
export function parseS3Address(text: string): S3Address {
  const address = readAddress(text);
  if (typeof address === 'string') throw new BackupError(`BACKUP_URL ${address}.`);
  return address;
}

/** The mistake in an address, to follow the name of the setting; null for a valid one. */
export function s3AddressMistake(text: string): string | null {
  const address = readAddress(text);
  return typeof address === 'string' ? address : null;
}

function readAddress(text: string): S3Address | string {
  const url = URL.parse(text);
  if (url?.protocol !== 's3:' || url.hostname === '') return `must be an s3:// URL such as ${form}`;
  // The address is shown in logs and lists, which must not contain credentials.
  if (hasCredentials(url))
    return 'must hold no credentials: they come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY';
  for (const name of url.searchParams.keys())
    if (!parameters.has(name)) return `has the parameter '${name}', which is unknown: it has the form ${form}`;
  const endpoint = url.searchParams.get('endpoint');
  const parsed = endpoint === null ? null : URL.parse(endpoint);
  if (endpoint !== null && !(parsed && /^https?:$/.test(parsed.protocol)))
    return 'has an endpoint that is not an http: or https: URL';
  if (parsed && hasCredentials(parsed)) return 'must hold no credentials in its endpoint';
  const path = decoded(url.pathname)?.replaceAll(/^\/+|\/+$/g, '');
  if (path === undefined) return "has an invalid percent-encoding in its prefix: write a literal '%' as %25";
  return {
    bucket: url.hostname,
    prefix: path === '' ? '' : `${path}/`,
    region: url.searchParams.get('region') ?? 'us-east-1',
    endpoint,
  };
}

const hasCredentials = ({ username, password }: URL) => username !== '' || password !== '';

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}
