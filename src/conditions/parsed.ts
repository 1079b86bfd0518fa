import { LRUCache } from 'lru-cache';
import { type ParsedCondition, parseCondition } from './parse.ts';

/** Cached, because parsing takes about 0.1 ms and thousands of events may fail together. */
const parsed = new LRUCache<string, ParsedCondition>({ max: 1_000, memoMethod: (text) => parseCondition(text) });

/** A stored condition, parsed. It has an error only if another version of the gateway stored it. */
export const parsedCondition = (text: string): ParsedCondition => parsed.memo(text);
