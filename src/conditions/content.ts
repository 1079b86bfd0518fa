import { isWithinBounds, type JsonBounds, parsedJson } from '../shared/bounded-json.ts';
import { utf8Text } from '../shared/text.ts';
import type { Segment } from './tree.ts';

/** The headers and the body of an event, as conditions read them. Nothing is parsed before a condition needs it. */
export interface Content {
  /** The value at a path of the JSON body; undefined when there is none. A JSON null is null. */
  payload(path: readonly Segment[]): unknown;
  /** The values of a header, joined; undefined when there is none. `name` is in lower case. */
  header(name: string): string | undefined;
  /** Whether the body is too large an object or array to be parsed. Then a condition that reads it counts as met. */
  isTooLarge(): boolean;
}

/** Headers as stored, with secrets masked, and the whole body; null: there is none, or not all of it. */
export interface StoredContent {
  headers: readonly (readonly [name: string, value: string])[];
  body: Uint8Array | null;
}

/**
 * 100,000 values take some 50 ms to parse, and some 120 ms with the digits of their numbers (measured). The recursion
 * of that second parse is what limits the levels.
 */
const payloadBounds: JsonBounds = { levels: 500, values: 100_000 };

/** The content of an event without headers and body. */
export const noContent: Content = { payload: () => undefined, header: () => undefined, isTooLarge: () => false };

/** The content of a stored event. The body is JSON if it parses as such, for any content type. */
export function storedContent({ headers, body }: StoredContent): Content {
  const isWithin = lazy(() => body !== null && isWithinBounds(body, payloadBounds));
  const text = lazy(() => (body && isWithin() ? utf8Text(body) : null));
  const root = lazy(() => parsedJson(text() ?? ''));
  const exactRoot = lazy(() => JSON.parse(text() ?? 'null', withDigits));
  return {
    payload(path) {
      const value = valueAt(root(), path);
      // Such a number may have lost digits.
      return typeof value === 'number' && !isExact(value) ? valueAt(exactRoot(), path) : value;
    },
    header: headerReader(headers),
    isTooLarge: lazy(() => body !== null && !isWithin() && beginsStructure(body)),
  };
}

const spaces: ReadonlySet<number | undefined> = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf]);

/** Whether a body begins as an object or an array of JSON does, after white space and a byte order mark. */
function beginsStructure(body: Uint8Array): boolean {
  let at = 0;
  while (spaces.has(body[at])) at++;
  return body[at] === 0x7b || body[at] === 0x5b;
}

/** Content that a caller of the API gives. A payload that is undefined is none. */
export function givenContent(given: { payload?: unknown; headers?: Readonly<Record<string, string>> }): Content {
  return {
    payload: (path) => valueAt(given.payload, path),
    header: headerReader(Object.entries(given.headers ?? {})),
    isTooLarge: () => false,
  };
}

function lazy<Value>(compute: () => Value): () => Value {
  let known: { value: Value } | undefined;
  return () => {
    known ??= { value: compute() };
    return known.value;
  };
}

/** Whether a parsed number can have no other digits than those that were sent. Fractions count as exact. */
const isExact = (value: number) => Math.abs(value) <= Number.MAX_SAFE_INTEGER;

/** Digits of a whole number that is kept exactly: as many as a literal can have. */
const wholeNumber = /^-?\d{1,1000}$/;

/**
 * Keeps the digits of whole numbers beyond the safe integers. TypeScript's library does not declare the last argument
 * yet (https://tc39.es/proposal-json-parse-with-source/), so it is optional here.
 */
function withDigits(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number' || isExact(value)) return value;
  return context?.source !== undefined && wholeNumber.test(context.source) ? BigInt(context.source) : value;
}

/** Follows a path through own properties and elements only, so that `__proto__` and `length` are keys like others. */
function valueAt(root: unknown, path: readonly Segment[]): unknown {
  let value = root;
  for (const segment of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    if (Array.isArray(value) !== (typeof segment === 'number') || !Object.hasOwn(value, segment)) return undefined;
    value = Reflect.get(value, segment);
  }
  return value;
}

function headerReader(headers: StoredContent['headers']): Content['header'] {
  const byName = lazy(() => {
    const joined = new Map<string, string>();
    for (const [written, value] of headers) {
      const name = written.toLowerCase();
      const before = joined.get(name);
      joined.set(name, before === undefined ? value : `${before}, ${value}`);
    }
    return joined;
  });
  return (name) => byName().get(name);
}
