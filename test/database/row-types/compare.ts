import type { DeclaredRows, Kind } from './declared.ts';
import type { Column } from './described.ts';

/** Describes how rows differ from their declared type. Additional columns are not a difference. */
export function differences({ columns, others }: DeclaredRows, described: readonly Column[]): string[] {
  const names = new Set(described.map(({ name }) => name));
  const missing = [...columns.keys()].filter((name) => !names.has(name)).map((name) => `${name} is no column`);
  const different = described.flatMap(({ name, kind, type }) => {
    const declared = columns.get(name) ?? others;
    return fits(declared, kind) ? [] : [`${name} is ${type} (${kind}), declared as ${[...declared].join(' | ')}`];
  });
  return [...missing, ...different];
}

/** JSON may be declared as any type that JSON is parsed to. A column that is always null has no kind. */
function fits(declared: ReadonlySet<Kind>, kind: Kind): boolean {
  const may = kind === 'json' ? (one: Kind) => !/^(Date|Buffer)/.test(one) : (one: Kind) => one === kind;
  return [...declared].every(may);
}
