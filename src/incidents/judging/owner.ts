/** Stands for the gateway itself. */
const nilId = '00000000-0000-0000-0000-000000000000';

/** An SQL expression: whose failures a row of a table of incidents or of their counts has, never null. */
export const ownerOf = (alias: string) => `coalesce(${alias}.consumer_id, ${alias}.account_id, '${nilId}'::uuid)`;

const hexMs = (time: string) => `lpad(to_hex(trunc(extract(epoch from ${time}) * 1000)::bigint), 12, '0')`;

/** An SQL expression: a new UUIDv7 for each row. PostgreSQL before 18 has no function for it. */
export const newId = `(${hexMs('now()')} || '7' || substr(replace(gen_random_uuid()::text, '-', ''), 14))::uuid`;

/** An SQL expression: the lowest UUIDv7 of a time, as `uuidFloor`. */
export const lowestId = (time: string) => `(${hexMs(time)} || '00000000000000000000')::uuid`;
