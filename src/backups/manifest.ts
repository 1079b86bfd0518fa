import { z } from 'zod';
import { parsedJson } from '../shared/bounded-json.ts';

/** Increased when a program that knows only an older format would misread an archive. Format 1 had no signature. */
export const formatVersion = 2;

/** A name that needs no quotes. */
export const identifier = z.string().regex(/^[a-z_][a-z0-9_]{0,62}$/);
const count = z.number().int().nonnegative();

const table = z.object({
  name: identifier,
  /** In the order of the fields in the rows. */
  columns: z.array(identifier).min(1),
  rows: count,
  /** Whether the table has triggers. They are disabled during loading, because the archive contains what they write. */
  triggers: z.boolean(),
  /** The days of a partitioned table, such as `20261121`; null for other tables. */
  days: z.array(z.string().regex(/^\d{8}$/)).nullable(),
  /** Storage parameters of the partitions, such as `fillfactor=75`. */
  storage: z.array(z.string().regex(/^[a-z_.]+=[a-z0-9.]+$/)),
});

const sequence = z.object({
  table: identifier,
  column: identifier,
  value: z.string().regex(/^-?\d{1,19}$/),
  /** Whether `value` was already used (`is_called`). */
  called: z.boolean(),
});

const manifest = z.object({
  format: z.literal(formatVersion),
  id: z.uuid(),
  created_at: z.iso.datetime(),
  gateway_version: z.string(),
  /** The id of the key that signed the manifest and, if `encrypted`, decrypts the content: `SecretsKey.id`. */
  key_id: z.string().regex(/^[0-9a-f]{8}$/),
  encrypted: z.boolean(),
  /** The applied migrations, oldest first. */
  migrations: z.array(z.string()).min(1),
  /** The number of bytes before the manifest's gzip member; `sha256` is their hash. */
  bytes: count,
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** The total of all tables. */
  rows: count,
  /** In the order of the archive: each table comes after the tables that it references. */
  tables: z.array(table),
  sequences: z.array(sequence),
  /** The end of the audit log's chain, against which the restored chain can be verified. */
  audit_head: z.object({ seq: count, seal: z.string().regex(/^[0-9a-f]+$/) }).nullable(),
});

export type Manifest = z.infer<typeof manifest>;
export type ArchivedTable = Manifest['tables'][number];
export type ArchivedSequence = Manifest['sequences'][number];

const prefix = '-- manifest: ';

/** The manifest as a line of the archive: an SQL comment. `signManifest` adds the line after it. */
export const manifestLine = (content: Manifest) => `${prefix}${JSON.stringify(content)}\n`;

/**
 * Parses the manifest's line. Its content must not be trusted before the line's signature is checked.
 *
 * @returns `newer` for a format of a later version, `older` for one without signatures; null when it is not a manifest.
 */
export function parseManifestLine(line: string): Manifest | 'newer' | 'older' | null {
  if (!line.startsWith(prefix) || line.indexOf('\n') !== line.length - 1) return null;
  const json = parsedJson(line.slice(prefix.length));
  const parsed = manifest.safeParse(json);
  if (parsed.success) return parsed.data;
  const other = z.object({ format: count }).safeParse(json);
  if (!other.success || other.data.format === formatVersion) return null;
  return other.data.format > formatVersion ? 'newer' : 'older';
}
