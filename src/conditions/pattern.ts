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

/** Few, because a compiled pattern keeps up to 8 MiB of states that it has met. Compiling one takes about 0.3 ms. */
const compiled = new LRUCache<string, RE2JS>({ max: 32, memoMethod: (pattern) => RE2JS.compile(pattern) });

/** Whether a pattern that compiles is found anywhere in a text. */
export const isFound = (pattern: string, text: string): boolean => compiled.memo(pattern).test(text);
