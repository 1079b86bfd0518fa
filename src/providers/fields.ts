import type { InboundRequest } from './inbound-request.ts';
import { numberAsSent } from './number-as-sent.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** Whether a value of the payload is an object. */
export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A JSON value's fields; null unless it is an object. */
export function asFields(value: unknown): Fields | null {
  return isObject(value) ? value : null;
}

/** The payload's fields; none unless the body is a JSON object. */
export function topLevelFields(request: InboundRequest): Fields | null {
  return asFields(request.json());
}

/** The value of a field that the payload itself has, not one that every object inherits. */
export function ownField(fields: Fields, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

/** The object in the field `name`, or null. */
export function objectField(fields: Fields, name: string): Fields | null {
  return asFields(ownField(fields, name));
}

/** The items of the list in the field `name`; none when there is no list. */
export function listField(fields: Fields, name: string): readonly unknown[] {
  const value = ownField(fields, name);
  return Array.isArray(value) ? value : [];
}

/** The string in the field `name`, empty ones too, or null. */
export function stringField(fields: Fields, name: string): string | null {
  const value = ownField(fields, name);
  return typeof value === 'string' ? value : null;
}

/** The string in the payload's own field `name`, or null. */
export function topLevelText(request: InboundRequest, name: string): string | null {
  return stringField(topLevelFields(request) ?? {}, name);
}

/**
 * What can identify something at `path` of the payload: a non-empty string, or a number as a string; else null.
 * Numbers that JavaScript cannot hold keep the digits that were sent, and are none where that costs too much: two ids
 * must not become one by rounding.
 */
export function identifierAt(request: InboundRequest, ...path: [string, ...string[]]): string | null {
  let value = request.json();
  for (const name of path) {
    if (!isObject(value)) return null;
    value = ownField(value, name);
  }
  if (typeof value === 'string') return value === '' ? null : value;
  if (typeof value !== 'number') return null;
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return String(value);
  return numberAsSent(request, path);
}
