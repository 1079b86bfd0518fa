import type { Sql } from '../database/sql.ts';
import type { Keyring } from './keyring.ts';
import { nameOf, type SealedColumn } from './sealed-column.ts';
import { boxPrefix, createSecretBox, keyIdOf, type SecretBox } from './secret-box.ts';

/** Encrypted values in one statement. It locks rows that requests may need for a few milliseconds. */
const boxesPerBatch = 200;
/**
 * The function ends after a pass without changes. More passes are needed only while another process uses the old key.
 */
const mostPasses = 10;

/** An encrypted value (box) that cannot be encrypted again, and the reason. */
interface UnreadableBox {
  /** The column, such as `accounts.delivery_secret`. */
  column: string;
  /** The row's primary key. */
  row: string;
  why: 'unknown key' | 'does not decrypt' | 'no box';
  /** The key that the box names; null for `no box`. */
  keyId: string | null;
}

export interface Resealed {
  /** The numbers of boxes that were encrypted again, by column. */
  byColumn: Record<string, number>;
  unreadable: UnreadableBox[];
}

/**
 * Encrypts all values again with the current key. A box is replaced only if it is unchanged since it was read, so
 * concurrent changes are not overwritten. Values that were encrypted again stay so if the function is interrupted; the
 * next call continues with the others.
 *
 * @param options.signal ends the function after the current batch; its reason is thrown
 * @throws the database's error
 */
export async function resealAll(
  sql: Sql,
  keyring: Keyring,
  columns: readonly SealedColumn[],
  options: { signal: AbortSignal; onProgress(line: string): void },
): Promise<Resealed> {
  const box = createSecretBox(keyring);
  const byColumn: Record<string, number> = {};
  let unreadable: UnreadableBox[] = [];
  for (let pass = 1; pass <= mostPasses; pass += 1) {
    unreadable = [];
    let found = 0;
    for (const column of columns) {
      const name = nameOf(column);
      const done = await resealColumn(sql, { box, keyring }, column, options.signal);
      found += done.resealed + done.missed;
      byColumn[name] = (byColumn[name] ?? 0) + done.resealed;
      unreadable.push(...done.unreadable);
      if (done.resealed > 0) options.onProgress(`  ${name}: ${done.resealed} sealed again`);
    }
    if (found === 0) break;
  }
  return { byColumn, unreadable };
}

type Row = Record<string, string> & { box: Buffer };

interface ColumnDone {
  resealed: number;
  /** Boxes that changed before they could be replaced. */
  missed: number;
  unreadable: UnreadableBox[];
}

async function resealColumn(
  sql: Sql,
  { box, keyring }: { box: SecretBox; keyring: Keyring },
  column: SealedColumn,
  signal: AbortSignal,
): Promise<ColumnDone> {
  const done: ColumnDone = { resealed: 0, missed: 0, unreadable: [] };
  const { readNext, exchange } = statementsOf(column);
  const keys = Object.keys(column.key);
  let after: string[] | null = null;
  for (;;) {
    signal.throwIfAborted();
    const rows: Row[] = await sql.query<Row>(after === null ? readNext.first : readNext.following, [
      boxPrefix(keyring.current.id),
      ...(after ?? []),
    ]);
    const opened = rows.flatMap((row) => {
      const place = column.placeOf(row);
      const secret = box.open(row.box, place);
      if (secret === null) {
        done.unreadable.push(unreadableBox(column, keys, row, keyring));
        return [];
      }
      return [{ row, resealed: box.seal(secret, place) }];
    });
    if (opened.length > 0) {
      const changed = await sql.query(exchange, [
        ...keys.map((key) => opened.map(({ row }) => row[key])),
        opened.map(({ row }) => row.box),
        opened.map(({ resealed }) => resealed),
      ]);
      done.resealed += changed.length;
      done.missed += opened.length - changed.length;
    }
    const last: Row | undefined = rows.at(-1);
    if (!last || rows.length < boxesPerBatch) return done;
    after = keys.map((key) => last[key] ?? '');
  }
}

function unreadableBox(column: SealedColumn, keys: string[], row: Row, keyring: Keyring): UnreadableBox {
  const keyId = keyIdOf(row.box);
  const why = keyId === null ? 'no box' : keyring.find(keyId) ? 'does not decrypt' : 'unknown key';
  return { column: nameOf(column), row: keys.map((key) => row[key]).join(' '), why, keyId };
}

/** The SQL statements for a column. All names are constants of this program, so they need no quoting. */
function statementsOf({ table, column, key, placeColumns }: SealedColumn) {
  const keys = Object.keys(key);
  const types = Object.values(key);
  const texts = [...new Set([...keys, ...placeColumns])].map((name) => `${name}::text as ${name}`).join(', ');
  const read = (bound: string) => ({
    name: '',
    text: `
      select ${texts}, ${column} as box from ${table} t
      where ${column} is not null and substring(${column} from 1 for 5) <> $1 ${bound}
      order by ${keys.map((name) => `t.${name}`).join(', ')} limit ${boxesPerBatch}`,
  });
  const bounds = types.map((type, at) => `$${at + 2}::${type}`).join(', ');
  const arrays = [...types, 'bytea', 'bytea'].map((type, at) => `$${at + 1}::${type}[]`).join(', ');
  return {
    readNext: {
      first: read(''),
      following: read(`and (${keys.map((name) => `t.${name}`).join(', ')}) > (${bounds})`),
    },
    exchange: {
      name: '',
      // In the order of the keys, so that two concurrent runs lock rows in the same order.
      text: `
        update ${table} t set ${column} = n.given
        from (select * from unnest(${arrays}) as u (${keys.join(', ')}, stored, given) order by ${keys.join(', ')}) n
        where ${keys.map((name) => `t.${name} = n.${name}`).join(' and ')} and t.${column} = n.stored
        returning 1`,
    },
  };
}

/** Counts boxes by column and key id; null for values that are not boxes. Reads whole tables. */
export async function countByKey(
  sql: Sql,
  columns: readonly SealedColumn[],
): Promise<{ column: string; keyId: string | null; boxes: number }[]> {
  const counts = [];
  for (const column of columns) {
    const rows = await sql.query<{ head: Buffer; boxes: number }>(
      {
        name: '',
        text: `
          select substring(${column.column} from 1 for 5) as head, count(*)::integer as boxes from ${column.table}
          where ${column.column} is not null group by 1 order by 2 desc`,
      },
      [],
    );
    for (const { head, boxes } of rows) counts.push({ column: nameOf(column), keyId: keyIdOfHead(head), boxes });
  }
  return counts;
}

function keyIdOfHead(head: Buffer): string | null {
  const id = head.subarray(1).toString('hex');
  return id.length === 8 && boxPrefix(id).equals(head) ? id : null;
}
