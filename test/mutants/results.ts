import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { idOf, type Mutant } from './mutant.ts';

const resultSchema = z.object({
  /** Of the change: a result is not taken for that of another draw. */
  id: z.string(),
  number: z.number(),
  status: z.enum(['killed', 'survived', 'gone', 'invalid']),
  by: z.string().optional(),
  step: z.string().optional(),
  seconds: z.number(),
});
export type Result = z.infer<typeof resultSchema>;

/** The results of a file of `--out`, by the ids of the mutants; none if the file does not exist. */
export function readResults(path: string): Map<string, Result> {
  if (!existsSync(path)) return new Map();
  const { results } = z.object({ results: z.array(resultSchema) }).parse(JSON.parse(readFileSync(path, 'utf8')));
  return new Map(results.map((result) => [result.id, result]));
}

/** Replaces the file as a whole, so that an interrupted write leaves the results before. */
export function writeResults(path: string, results: Iterable<Result>): void {
  const sorted = [...results].sort((a, b) => a.number - b.number);
  writeFileSync(`${path}.part`, `${JSON.stringify({ results: sorted }, null, 2)}\n`);
  renameSync(`${path}.part`, path);
}

/** A mutant with its result. */
export interface Judged {
  mutant: Mutant;
  result: Result;
}

export interface Comparison {
  mutant: Mutant;
  before: string;
  now: string;
}

/** The mutants that survive now or did before, of those that have both results. */
export const survivorsOfBoth = (judged: readonly Judged[], before: ReadonlyMap<string, Result>): Comparison[] =>
  judged.flatMap(({ mutant, result }) => {
    const earlier = before.get(idOf(mutant));
    if (earlier === undefined || ![earlier.status, result.status].includes('survived')) return [];
    return [{ mutant, before: earlier.status, now: result.status }];
  });

/** Whether tests have become weaker: a mutant that was killed survives. */
export const isWorse = ({ before, now }: Comparison): boolean => before === 'killed' && now === 'survived';
