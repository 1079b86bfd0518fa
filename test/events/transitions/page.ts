import { readProjectFile } from '../../docker/files.ts';
import { projectFiles } from '../../docs/pages.ts';

/** A state in the notation of the page: `status / delivery_status`. */
export type State = string;

/** The content of docs/concepts.md about all changes of an event. */
export interface Changes {
  /** All states, in the order of the page. */
  states: State[];
  /** The states in which an event begins. */
  beginnings: State[];
  /** By change and by state: the state after the change, or the refusal, such as `409 event_dead`. */
  after: Map<string, Map<State, string>>;
}

/** Reads the section "All changes" of docs/concepts.md: its two tables, and the list of changes without a new state. */
export function changesOfPage(): Changes {
  const [, rest = ''] = readProjectFile('docs/concepts.md').split('\n### All changes\n');
  const [section = ''] = rest.split('\n### ');
  const tables = section.split('\n\n').filter((part) => part.trim().startsWith('| state |'));
  const after = new Map<string, Map<State, string>>();
  for (const table of tables) {
    const [head = [], , ...rows] = table.trim().split('\n').map(cellsOf);
    for (const [column, what] of head.entries()) {
      if (column === 0) continue;
      after.set(what, new Map(rows.map((cells) => [cells[0] ?? '', meant(cells[column], cells[0] ?? '')])));
    }
  }
  const states =
    tables[0]
      ?.trim()
      .split('\n')
      .slice(2)
      .map((row) => cellsOf(row)[0] ?? '') ?? [];
  const [, list = ''] = section.split('None of these changes a state:\n\n');
  for (const [, what = ''] of list.split('\n\n')[0]?.matchAll(/^- (.*)$/gm) ?? [])
    after.set(what, new Map(states.map((state) => [state, state])));
  const beginnings = [...(section.match(/An event\s+begins as .*\./)?.[0] ?? '').matchAll(/`([^`]+)`/g)];
  return { states, beginnings: beginnings.map(([, state = '']) => state), after };
}

/** The section "The word for a state" of docs/concepts.md: what each word is shown as, and the words of each state. */
export function wordsOfPage(): { shown: Map<string, string[]>; of: Map<State, string[]> } {
  const [, rest = ''] = readProjectFile('docs/concepts.md').split('\n### The word for a state\n');
  const [section = ''] = rest.split('\n### ');
  const rowsAfter = (heading: string) => {
    const table = section.split('\n\n').find((part) => part.trim().startsWith(heading)) ?? '';
    return table.trim().split('\n').slice(2).map(cellsOf);
  };
  const shown = new Map<string, string[]>();
  for (const [word = '', texts = ''] of rowsAfter('| `state` |'))
    shown.set(word, [...(shown.get(word) ?? []), ...texts.split(/, (?=waiting)/)]);
  const of = rowsAfter('| `status / delivery_status` |').map(
    ([state = '', words = '']) => [state, words.split(', ')] as const,
  );
  return { shown, of: new Map(of) };
}

/** The rows of the state tables in the docstrings of `src/events/transitions/`: the changes by file. */
export function rowsOfFiles(): Map<string, string[]> {
  const files = projectFiles.filter((path) => path.startsWith('src/events/transitions/'));
  return new Map(
    files.map((file) => {
      const rows = [...readProjectFile(file).matchAll(/^ \* (\|.*\|)$/gm)].map(([, row = '']) => cellsOf(row)[0] ?? '');
      return [file, rows.filter((what) => what !== 'what happens' && what !== '---')];
    }),
  );
}

const cellsOf = (row: string) =>
  row
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim().replaceAll('`', ''));

const meant = (cell: string | undefined, state: State) => (cell === '=' ? state : (cell ?? ''));

/** For each state, a shortest path from a state in which an event begins: the changes, in order. */
export function waysTo({ beginnings, after }: Changes): Map<State, { from: State; through: string[] }> {
  const ways = new Map(beginnings.map((state) => [state, { from: state, through: [] as string[] }]));
  for (const [state, way] of ways) {
    for (const [what, results] of after) {
      const next = results.get(state) ?? '';
      // Refusals are not states. The loop also visits the entries that it adds.
      if (next.startsWith('409') || ways.has(next)) continue;
      ways.set(next, { from: way.from, through: [...way.through, what] });
    }
  }
  return ways;
}
