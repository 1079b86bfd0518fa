import Table from 'cli-table3';
import type pc from 'picocolors';
import type { Cell, Column } from './column.ts';
import { printable } from './printable.ts';

/** Where a table is shown: its width in characters, and its colours. */
interface Screen {
  columns: number;
  colors: ReturnType<typeof pc.createColors>;
}

/** Spaces between columns. */
const gap = 2;
// Tables without lines can be copied and searched.
const noLines = Object.fromEntries(
  [
    ...['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right'],
    ...['left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid'],
  ].map((part) => [part, '']),
);

/** The text of a cell. Control characters are made visible, so that a payload cannot command the terminal. */
function cellText(value: Cell): string {
  if (value === null || value === undefined || value === '') return '-';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return printable(String(value));
}

/** A table that fits the screen: optional columns are left out, then each row becomes a record. */
export function tableText<Row>(columns: readonly Column<Row>[], rows: readonly Row[], screen: Screen): string {
  const cells = rows.map((row) => columns.map(({ value }) => cellText(value(row))));
  const widths = columns.map(({ title }, at) => Math.max(title.length, ...cells.map((row) => row[at]?.length ?? 0)));
  const shown = columnsThatFit(columns, widths, screen.columns);
  if (shown === null)
    return rows
      .map((row) =>
        recordText(
          columns.map(({ title, value }) => [title, value(row)] as const),
          screen,
        ),
      )
      .join('\n\n');
  const table = new Table({
    head: shown.map((at) => screen.colors.bold(columns[at]?.title ?? '')),
    colAligns: shown.map((at) => (columns[at]?.right ? 'right' : 'left')),
    chars: { ...noLines, middle: ' '.repeat(gap) },
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  for (const row of cells) table.push(shown.map((at) => row[at] ?? ''));
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

/** The positions of the columns that are shown; null if even those that are not optional do not fit. */
function columnsThatFit<Row>(columns: readonly Column<Row>[], widths: readonly number[], width: number) {
  let shown = columns.map((_, at) => at);
  const needed = () => shown.reduce((sum, at) => sum + (widths[at] ?? 0), gap * (shown.length - 1));
  while (needed() > width) {
    const dropped = shown.findLast((at) => columns[at]?.optional);
    if (dropped === undefined) return null;
    shown = shown.filter((at) => at !== dropped);
  }
  return shown;
}

/** Lines of a name and its value. Long values go on in the next line, under their beginning. */
export function recordText(pairs: readonly (readonly [string, Cell])[], screen: Screen): string {
  const names = Math.max(...pairs.map(([name]) => name.length)) + gap;
  return pairs
    .flatMap(([name, value]) => {
      const text = cellText(value);
      // What has no spaces, such as an id or a URL, is not cut if a line of its own has room for it.
      const longest = Math.max(...text.split(/\s/).map((word) => word.length));
      const indent = screen.columns - names < Math.max(20, longest) ? gap : names;
      const lines = text.split('\n').flatMap((line) => pieces(line, screen.columns - indent));
      const title = pieces(name, screen.columns).map((piece) => screen.colors.bold(piece));
      if (indent !== names) return [...title, ...lines.map((line) => `${' '.repeat(indent)}${line}`)];
      const [first = '', ...more] = lines;
      return [
        `${title[0]}${' '.repeat(names - name.length)}${first}`,
        ...more.map((line) => `${' '.repeat(indent)}${line}`),
      ];
    })
    .join('\n');
}

/** A text in pieces of at most `width` characters, cut at spaces where there are some. */
function pieces(text: string, width: number): string[] {
  const found: string[] = [];
  let rest = text;
  while (rest.length > width) {
    const space = rest.lastIndexOf(' ', width);
    const end = space > width / 2 ? space : width;
    found.push(rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
  return [...found, rest];
}
