import { type Random, randomFor } from '../faults/random.ts';
import type { Edit, Mutant } from './mutant.ts';
import { aroundChars } from './place.ts';
import { editsOf, filesOf, readIn, shares } from './shares.ts';

/** The seed of the committed mutants. Another one draws others. */
export const seed = 1;
export const perShare = 20;

/** Whether a file can still be loaded with a change: `validity.ts`. */
export type IsValid = (file: string, edit: Edit, changed: string) => Promise<boolean>;

/**
 * Draws mutants: equally many of each share, and within it each possible change with the same probability. Only the
 * seed and the files decide. No two of them change the same text.
 */
export async function draw(root: string, drawnWith: number, isValid: IsValid): Promise<Mutant[]> {
  const drawn: Omit<Mutant, 'number'>[] = [];
  for (const share of shares) {
    const sources = new Map(filesOf(root, share).map((file) => [file, readIn(root, file)]));
    const all = [...sources].flatMap(([file, source]) => editsOf(file, source).map((edit) => ({ file, source, edit })));
    const chosen: typeof all = [];
    for (const one of shuffled(all, randomFor(drawnWith, share.name))) {
      if (chosen.length === perShare) break;
      const { file, source, edit } = one;
      if (chosen.some((other) => other.file === file && overlap(other.edit, edit))) continue;
      if (await isValid(file, edit, source.slice(0, edit.start) + edit.after + source.slice(edit.end)))
        chosen.push(one);
    }
    if (chosen.length < perShare) throw new Error(`${share.name} has only ${chosen.length} possible mutants`);
    chosen.sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : a.edit.start - b.edit.start));
    drawn.push(...chosen.map(({ file, source, edit }) => mutantOf(share.name, file, source, edit)));
  }
  return drawn.map((mutant, index) => ({ number: index + 1, ...mutant }));
}

const overlap = (a: Edit, b: Edit) => a.start <= b.end && b.start <= a.end;

/** Fisher–Yates. */
function shuffled<T>(items: readonly T[], random: Random): T[] {
  const left = [...items];
  const order: T[] = [];
  while (left.length > 0) order.push(...left.splice(Math.floor(random.next() * left.length), 1));
  return order;
}

function mutantOf(share: string, file: string, source: string, edit: Edit): Omit<Mutant, 'number'> {
  const { kind, start, end, after } = edit;
  return {
    ...{ share, kind, file, line: source.slice(0, start).split('\n').length, offset: start },
    ...{ before: source.slice(start, end), after },
    lead: source.slice(Math.max(0, start - aroundChars), start),
    trail: source.slice(end, end + aroundChars),
  };
}
