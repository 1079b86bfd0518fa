import { isRecord } from '../shared/is-record.ts';
import type { InboundRequest } from './inbound-request.ts';
import { numberAsSent } from './number-as-sent.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** A JSON value's fields; null unless it is an object. */
export function asFields(value: unknown): Fields | null {
  return isRecord(value) ? value : null;
}

/** The payload's fields; null unless the body is a JSON object. */
export function topLevelFields(request: InboundRequest): Fields | null {
  return asFields(request.json());
}

/** The value of an own property; undefined for inherited ones such as `constructor`. */
export function ownField(fields: Fields, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

/** The object in the field `name`, or null. */
export function objectField(fields: Fields, name: string): Fields | null {
  return asFields(ownField(fields, name));
}

/** The items of the list in the field `name`; empty when there is no list. */
export function listField(fields: Fields, name: string): readonly unknown[] {
  const value = ownField(fields, name);
  return Array.isArray(value) ? value : [];
}

/** The string in the field `name`, which may be empty; null when there is no string. */
export function stringField(fields: Fields, name: string): string | null {
  const value = ownField(fields, name);
  return typeof value === 'string' ? value : null;
}

/** The string in the payload's top-level field `name`, or null. */
export function topLevelText(request: InboundRequest, name: string): string | null {
  return stringField(topLevelFields(request) ?? {}, name);
}

/**
 * The identifier at `path` of the payload: a non-empty string, or a number as a string; null otherwise. A number beyond
 * JavaScript's safe integers keeps its digits as sent, so that rounding never makes two ids equal. If reading these
 * digits would cost too much, the result is null.
 */
export function identifierAt(request: InboundRequest, ...path: [string, ...string[]]): string | null {
  let value = request.json();
  for (const name of path) {
    if (!isRecord(value)) return null;
    value = ownField(value, name);
  }
  if (typeof value === 'string') return value === '' ? null : value;
  if (typeof value !== 'number') return null;
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return String(value);
  return numberAsSent(request, path);
}
