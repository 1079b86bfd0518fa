import { LRUCache } from 'lru-cache';
import { RE2JS, RE2JSSyntaxException } from 're2js';

/**
 * The most instructions of a compiled pattern. RE2 takes time in proportion to instructions times characters: with
 * these and all characters of one event (work.ts), at most some 0.1 s (measured). Readable patterns have less than 100.
 */
export const maxProgramSize = 1_000;

/** Compiles a pattern; null when RE2 does not accept it. */
export function compilePattern(pattern: string): RE2JS | null {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    if (error instanceof RE2JSSyntaxException) return null;
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

/** Whether a pattern that compiles is found anywhere in a text. */
export const isFound = (pattern: string, text: string): boolean => compiled.memo(pattern).test(text);
