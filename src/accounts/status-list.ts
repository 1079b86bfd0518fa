import { LRUCache } from 'lru-cache';

/** The most entries of a list. */
export const maxStatuses = 10;

/** `2xx`, `204`, `200-204`; with `!` before it, an exception. */
const entryPattern = /^!?(?:([2-5])xx|([2-5]\d\d)(?:-([2-5]\d\d))?)$/;

interface Range {
  from: number;
  to: number;
  isException: boolean;
}

function rangeOf(entry: string): Range | null {
  const [matched, hundreds, from, to = from] = entryPattern.exec(entry) ?? [];
  if (matched === undefined) return null;
  const isException = entry.startsWith('!');
  if (hundreds !== undefined) return { from: Number(hundreds) * 100, to: Number(hundreds) * 100 + 99, isException };
  return Number(from) <= Number(to) ? { from: Number(from), to: Number(to), isException } : null;
}

/** The mistake in an entry of a list of statuses, as the end of a sentence; null when it is valid. */
export const statusMistake = (entry: string): string | null =>
  rangeOf(entry) === null ? 'must be a status such as 410, 2xx or 200-204, or an exception such as !202' : null;

/** Whether a list of statuses names at least one that is no exception. */
export const namesAStatus = (entries: readonly string[]) => entries.some((entry) => !entry.startsWith('!'));

/** Compiled lists. A gateway has few different ones. */
const keptLists = 1_000;
const lists = new LRUCache<string, (status: number) => boolean>({ max: keptLists, memoMethod: compiled });

/** The test whether a list of valid entries names a status. Exceptions come first. */
export const statusTest = (entries: readonly string[]): ((status: number) => boolean) => lists.memo(entries.join());

function compiled(joined: string): (status: number) => boolean {
  const ranges = joined.split(',').flatMap((entry) => rangeOf(entry) ?? []);
  const among = (status: number, some: readonly Range[]) => some.some(({ from, to }) => from <= status && status <= to);
  const [named, exceptions] = [
    ranges.filter((range) => !range.isException),
    ranges.filter((range) => range.isException),
  ];
  return (status) => among(status, named) && !among(status, exceptions);
}
