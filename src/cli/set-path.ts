import { isRecord } from '../shared/is-record.ts';

type Fields = Record<string, unknown>;

/** Sets the value at a path, and makes the objects on the way to it. */
export function setPath(fields: Fields, path: readonly string[], value: unknown): void {
  const names = [...path];
  const last = names.pop() ?? '';
  let inner = fields;
  for (const name of names) {
    const next = Object.hasOwn(inner, name) ? inner[name] : undefined;
    // A copy: it may belong to the caller.
    const made: Fields = isRecord(next) ? { ...next } : {};
    define(inner, name, made);
    inner = made;
  }
  define(inner, last, value);
}

/** Not assigned: `__proto__` would be the prototype. */
function define(fields: Fields, name: string, value: unknown): void {
  Object.defineProperty(fields, name, { value, enumerable: true, writable: true, configurable: true });
}
