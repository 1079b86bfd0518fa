import type { Cell } from './column.ts';
import type { Output } from './output.ts';

/**
 * The fields of an answer as they are shown, with the names of the API: lists are separated by commas, and what is inside
 * of an object has its path as its name.
 */
export function fieldsOf(value: unknown, path = ''): [name: string, value: Cell][] {
  if (Array.isArray(value)) {
    if (value.every((item) => typeof item !== 'object')) return [[path, value.join(', ')]];
    return value.flatMap((item, at) => fieldsOf(item, `${path}.${at}`));
  }
  if (typeof value === 'object' && value !== null) {
    const inner = Object.entries(value);
    if (inner.length === 0 && path !== '') return [[path, null]];
    return inner.flatMap(([name, item]) => fieldsOf(item, path === '' ? name : `${path}.${name}`));
  }
  return [[path, typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null]];
}

/** Shows an answer as the record of its fields; with `--json` as it is. */
export const showAnswer = (out: Output, answer: unknown): void => out.record(fieldsOf(answer), answer);
