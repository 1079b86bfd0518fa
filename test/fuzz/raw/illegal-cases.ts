import { chunking, framing } from './illegal-bodies.ts';
import type { IllegalCase } from './illegal-case.ts';
import { lines, requestLines } from './illegal-heads.ts';

/**
 * None of these may be stored or answered by other than 4xx, and no byte after them may be taken for a request. Those
 * that RFC 9112 lets a server accept (such as a dot segment) are refused because proxies read them in other ways.
 */
export const illegalCases: IllegalCase[] = [...framing, ...chunking, ...lines, ...requestLines];
