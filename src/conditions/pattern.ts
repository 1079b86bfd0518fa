import { LRUCache } from 'lru-cache';
import { RE2JS, RE2JSSyntaxException } from 're2js';

/**
 * The most instructions of a compiled pattern. RE2 takes time in proportion to instructions times characters: with
 * these and all characters of one event (work.ts), at most some 0.1 s (measured). Readable patterns have less than 100.
 */
export const maxProgramSize = 1_000;

/**
 * The most steps that the text of a pattern may ask for. Far more than `maxProgramSize`, because they are counted roughly: a
 * group counts as two, and `a|b` as three, of which RE2 makes one. 1,000 characters can ask for a million steps, which take
 * seconds and up to a GB to compile.
 */
const maxWrittenSteps = 10 * maxProgramSize;

/** Quoted text, an escape, a class, flags, the beginning of a group, a count, or one character. */
const parts =
  /\\Q(.*?)(?:\\E|$)|\\(?:[pPx]\{[^}]*\}|[pP]?.)|\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]|(\(\?[imsU-]*\))|\((?:\?(?:[imsU-]*:|P?<\w*>))?|\{(\d+)(?:,(\d*))?\}|./gsu;

/** Whether the text of a pattern asks for so many steps that it must not be compiled. */
function isTooLong(pattern: string): boolean {
  const outer: number[] = [];
  /** The steps of this group before its last part, and those of the last part, which a count after it repeats. */
  let [before, last] = [0, 0];
  for (const [part, quoted, flags, least, most] of pattern.matchAll(parts)) {
    // Flags alone, and an empty quote, stand between a part and its count.
    if (flags !== undefined || quoted === '') continue;
    if (least !== undefined) last *= Math.max(1, Number(least), Number(most ?? 0));
    else if (part === '*' || part === '+' || part === '?') last += 1;
    else if (part === ')') [before, last] = [outer.pop() ?? 0, before + last + 2];
    else {
      before += last + (quoted?.length ?? 1) - 1;
      last = 1;
      if (!part.startsWith('(')) continue;
      outer.push(before);
      [before, last] = [0, 0];
    }
  }
  return before + last > maxWrittenSteps;
}

/**
 * What is wrong with a pattern: it would take long to compile, RE2 does not accept it, or it has more than `maxProgramSize`
 * steps. Null: nothing.
 */
export function mistakeOf(pattern: string): 'too long' | 'no pattern' | 'too large' | null {
  if (isTooLong(pattern)) return 'too long';
  try {
    return RE2JS.compile(pattern).programSize() > maxProgramSize ? 'too large' : null;
  } catch (error) {
    if (error instanceof RE2JSSyntaxException) return 'no pattern';
    throw error;
  }
}

/**
 * 32 of the longest patterns that are accepted, or 256 of those that people write. There is a bound because a compiled
 * pattern keeps states that it has met, up to 8 MiB. Compiling one takes about 0.3 ms, so a process whose conditions use
 * more patterns than are kept compiles most of them for each webhook.
 */
const compiled = new LRUCache<string, RE2JS>({
  max: 256,
  maxSize: 32 * maxProgramSize,
  sizeCalculation: (pattern) => Math.max(1, pattern.programSize()),
  memoMethod: (pattern) => RE2JS.compile(pattern),
});

/** Whether a pattern without a mistake is found anywhere in a text. */
export const isFound = (pattern: string, text: string): boolean => compiled.memo(pattern).test(text);
