import fc from 'fast-check';
import { illegalCases } from './illegal-cases.ts';
import { incompleteCases } from './incomplete-cases.ts';
import { type Cut, type Judged, judgeHalfClosed, judgeIllegal, judgeIncomplete, judgeLegal, whole } from './judge.ts';
import { legalCases } from './legal-cases.ts';
import type { Target } from './message.ts';
import type { Step } from './talk.ts';

/** Connections at a time, each from an address of its own. */
const atOnce = 8;

/**
 * Sends every case of the tables to every target, once in one write and once cut at random places, among others.
 *
 * @returns what is wrong, and how many connections were made
 */
export async function runCases(gateway: Judged, targets: readonly Target[], seed: number): Promise<[string[], number]> {
  const random = fc.sample(fc.array(fc.nat(0xffff), { minLength: 3, maxLength: 3 }), { seed, numRuns: 500 });
  let used = 0;
  /** Cuts within the first 64 KiB, where the heads are. */
  const cut: Cut = (sent) => {
    const places = (random[used++ % random.length] ?? [])
      .map((place) => place % (sent.length + 1))
      .sort((a, b) => a - b);
    let from = 0;
    return [...places, sent.length].flatMap((to): Step[] => {
      const part = sent.subarray(from, to);
      from = to;
      return part.length > 0 ? [part, { pauseMs: 1 }] : [];
    });
  };
  const before = () => (random[used++ % random.length]?.[0] ?? 0) % 3;
  const jobs: { name: string; judge: (from: Judged) => Promise<string[]> }[] = [];
  const add = (name: string, target: Target, judge: (from: Judged) => Promise<string[]>) =>
    jobs.push({ name: `${name}, at ${target.name}`, judge });
  for (const target of targets) {
    for (const it of legalCases.filter(({ only }) => only?.includes(target.name) ?? true)) {
      for (const pieces of [whole, cut]) add(it.name, target, (from) => judgeLegal(from, it, target, pieces));
      add(`${it.name}, half-closed`, target, (from) => judgeHalfClosed(from, it, target, cut));
    }
    for (const it of illegalCases)
      for (const pieces of [whole, cut])
        add(it.name, target, (from) => judgeIllegal(from, it, target, { before: before(), cut: pieces }));
    for (const it of incompleteCases)
      for (const ending of ['half-close', 'reset'] as const)
        add(`${it.name}, ${ending}`, target, (from) => judgeIncomplete(from, it, target, ending, cut));
  }
  const wrong: string[] = [];
  const queue = jobs.values();
  const work = async (_: unknown, index: number) => {
    for (const { name, judge } of queue) {
      const found = await judge({ ...gateway, localAddress: `127.0.2.${index + 1}` });
      wrong.push(...found.map((what) => `${name}: ${what}`));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return [wrong, jobs.length];
}
