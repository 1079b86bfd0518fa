import type { Mutant } from './mutant.ts';

/** How much text around a mutant finds its place again: about a line before and after it. */
export const aroundChars = 60;

/**
 * Finds the place of a mutant in the present text of its file: where it was drawn, or else where the same text with the
 * same surroundings is. Half of the surroundings suffice if a neighbouring line has changed.
 *
 * @returns null if the text is gone, or if several places have it.
 */
export function placeOf(mutant: Mutant, source: string): number | null {
  for (const chars of [aroundChars, aroundChars / 2]) {
    const lead = mutant.lead.slice(-chars);
    const trail = mutant.trail.slice(0, chars);
    const wanted = lead + mutant.before + trail;
    if (source.startsWith(wanted, mutant.offset - lead.length)) return mutant.offset;
    const found = source.indexOf(wanted);
    if (found !== -1) return source.indexOf(wanted, found + 1) === -1 ? found + lead.length : null;
  }
  return null;
}

/** The text of the file with the mutant; null if its place is gone. */
export function mutated(mutant: Mutant, source: string): string | null {
  const at = placeOf(mutant, source);
  return at === null ? null : source.slice(0, at) + mutant.after + source.slice(at + mutant.before.length);
}
