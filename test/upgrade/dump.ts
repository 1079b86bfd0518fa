import { queryOnce } from '../support/one-connection.ts';

/**
 * What `pg_dump --schema-only` writes, as lines that can be compared: PostgreSQL for npm start comes without pg_dump. Daily
 * partitions are left out, because their days may differ.
 */
const dump = `
  with ours as (
    select c.oid as relation, c.relname, c.relkind, c.reloptions, c.relacl, c.relreplident, c.relrowsecurity from pg_class c
    where c.relnamespace = current_schema()::regnamespace and not c.relispartition
  ), lines as (
    select format('%s %s: options %s, privileges %s, replica identity %s, row security %s, partitions by %s, comment %L',
      case relkind when 'p' then 'table' when 'r' then 'table' when 'S' then 'sequence' when 'v' then 'view' else relkind::text end,
      relname, reloptions, relacl, relreplident, relrowsecurity, pg_get_partkeydef(relation), obj_description(relation, 'pg_class')) as line
    from ours where relkind not in ('i', 'I')
    union all
    select format('column %s.%s %s: %s, not null %s, default %s, generated %L, identity %L, storage %s, compression %L, collation %s, comment %L',
      relname, attnum, attname, format_type(atttypid, atttypmod), attnotnull, pg_get_expr(adbin, adrelid), attgenerated,
      attidentity, attstorage, attcompression, nullif(attcollation, 0)::regcollation, col_description(relation, attnum))
    from ours join pg_attribute on attrelid = relation and attnum > 0 and not attisdropped
      left join pg_attrdef on adrelid = oid and adnum = attnum
    where relkind in ('r', 'p', 'v')
    union all
    select format('constraint %s.%s: %s, validated %s, comment %L', relname, conname, pg_get_constraintdef(k.oid), convalidated,
      obj_description(k.oid, 'pg_constraint'))
    from ours join pg_constraint k on conrelid = relation
    union all
    select format('index %s: valid %s, options %s, comment %L', pg_get_indexdef(relation), indisvalid, reloptions, obj_description(relation, 'pg_class'))
    from ours join pg_index on indexrelid = relation
    union all
    select format('trigger %s: enabled %s, comment %L', pg_get_triggerdef(t.oid), tgenabled, obj_description(t.oid, 'pg_trigger'))
    from ours join pg_trigger t on tgrelid = relation and not tgisinternal
    union all
    select format('sequence %s: %s from %s by %s, %s to %s, cache %s, cycle %s', relname, seqtypid::regtype, seqstart, seqincrement,
      seqmin, seqmax, seqcache, seqcycle)
    from ours join pg_sequence on seqrelid = relation
    union all
    select format('function %s: privileges %s, comment %L', pg_get_functiondef(oid), proacl, obj_description(oid, 'pg_proc'))
    from pg_proc where pronamespace = current_schema()::regnamespace
    union all
    select format('type %s', typname) from pg_type
    where typnamespace = current_schema()::regnamespace and typtype in ('e', 'd', 'r', 'm')
  )
  select line from lines order by line`;

/** The schema of a database: tables, columns, constraints, indexes, triggers, sequences and functions, with comments. */
export async function schemaDump(url: string): Promise<string[]> {
  return (await queryOnce<{ line: string }>(url, dump)).map(({ line }) => line);
}
