import { z } from 'zod';

/** Raised when a program that knows only an older format would misread an archive. Format 1 had no signature. */
export const formatVersion = 2;

/** A name that needs no quotes. */
export const identifier = z.string().regex(/^[a-z_][a-z0-9_]{0,62}$/);
const count = z.number().int().nonnegative();

const table = z.object({
  name: identifier,
  /** In the order of the rows' fields. */
  columns: z.array(identifier).min(1),
  rows: count,
  /** Triggers of ours are off while the table is loaded: what they would write is in the archive. */
  triggers: z.boolean(),
  /** Days of a partitioned table, `20261121`; null for any other. */
  days: z.array(z.string().regex(/^\d{8}$/)).nullable(),
  /** Storage parameters of the partitions, `fillfactor=75`. */
  storage: z.array(z.string().regex(/^[a-z_.]+=[a-z0-9.]+$/)),
});

const sequence = z.object({
  table: identifier,
  column: identifier,
  value: z.string().regex(/^-?\d{1,19}$/),
  /** Whether `value` was handed out. */
  called: z.boolean(),
});

const manifest = z.object({
  format: z.literal(formatVersion),
  id: z.uuid(),
  created_at: z.iso.datetime(),
  gateway_version: z.string(),
  /** Of the key that signed the manifest and, where `encrypted`, opens the content: `SecretsKey.id`. */
  key_id: z.string().regex(/^[0-9a-f]{8}$/),
  encrypted: z.boolean(),
  /** Those that had been applied, oldest first. */
  migrations: z.array(z.string()).min(1),
  /** Of all bytes before the manifest's member of the file. */
  bytes: count,
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** Of all tables. */
  rows: count,
  /** In the order of the archive: a table comes after those that it refers to. */
  tables: z.array(table),
  sequences: z.array(sequence),
  /** Where the audit log's chain ended: what the restored one can be checked against. */
  audit_head: z.object({ seq: count, seal: z.string().regex(/^[0-9a-f]+$/) }).nullable(),
});

export type Manifest = z.infer<typeof manifest>;
export type ArchivedTable = Manifest['tables'][number];
export type ArchivedSequence = Manifest['sequences'][number];

const prefix = '-- manifest: ';

/** The manifest as a line of the archive: a comment in SQL. `signManifest` adds the line behind it. */
export const manifestLine = (content: Manifest) => `${prefix}${JSON.stringify(content)}\n`;

/**
 * Reads the manifest's line. What it says is worth nothing before the line's signature was checked.
 *
 * @returns `newer` for a format that this program does not know yet, `older` for one without signatures; null when it is no
 *   manifest.
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

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
