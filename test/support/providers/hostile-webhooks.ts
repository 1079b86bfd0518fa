import fc from 'fast-check';
import type { Header } from '../../../src/providers/inbound-request.ts';
import { headerValue, hostileTexts, hostileValue } from './hostile-texts.ts';
import { received } from './request.ts';
import type { Sample, Signed } from './sample.ts';

/** A webhook and its content type: everything that an outsider can choose. */
export type Offer = { signed: Signed; contentType: string };

const bodies: fc.Arbitrary<Uint8Array> = fc.oneof(
  fc.uint8Array({ maxLength: 200 }),
  fc.json({ maxDepth: 4 }).map((text) => Buffer.from(text)),
  fc.webQueryParameters().map((text) => Buffer.from(text)),
  fc
    .constantFrom('[', '{"a":', '[{"a":[')
    .chain((open) => fc.constantFrom(10, 20_000).map((depth) => Buffer.from(open.repeat(depth)))),
  fc.constantFrom(...hostileTexts).map((text) => Buffer.from(text)),
);

/** The position of a value in parsed JSON: its parent and its name there. */
type Place = { holder: Record<string, unknown>; name: string };

function placesIn(value: unknown): Place[] {
  if (typeof value !== 'object' || value === null) return [];
  const holder = value as Record<string, unknown>;
  return Object.keys(holder).flatMap((name) => [{ holder, name }, ...placesIn(holder[name])]);
}

type JsonEdit = { place: number; edit: 'replace' | 'remove' | 'repeat' | 'rename'; value: unknown };

/** The body with the edits applied one after another; unchanged if it is not JSON. */
function editedJson(body: Uint8Array, edits: readonly JsonEdit[]): Uint8Array {
  let text = Buffer.from(body).toString('utf8');
  for (const edit of edits) {
    try {
      text = JSON.stringify(withEdit(JSON.parse(text), edit));
    } catch {
      return body;
    }
  }
  return Buffer.from(text);
}

function withEdit(root: unknown, { place, edit, value }: JsonEdit): unknown {
  const places = placesIn(root);
  const at = places[place % Math.max(1, places.length)];
  if (!at) return value;
  const { holder, name } = at;
  const before = holder[name];
  if (edit === 'replace') holder[name] = value;
  else if (edit === 'repeat') holder[name] = [before, value, before];
  else delete holder[name];
  // Assigning to `__proto__` would set the prototype.
  if (edit === 'rename') Object.defineProperty(holder, String(value), { value: before, enumerable: true });
  return root;
}

type ByteEdit = { at: number; remove: number; insert: Uint8Array };

function editedBytes(body: Uint8Array, { at, remove, insert }: ByteEdit): Uint8Array {
  const start = at % (body.length + 1);
  return Buffer.concat([body.slice(0, start), insert, body.slice(start + remove)]);
}

const bodyChange: fc.Arbitrary<(body: Uint8Array) => Uint8Array> = fc.oneof(
  { weight: 2, arbitrary: fc.constant((body: Uint8Array) => body) },
  {
    weight: 4,
    arbitrary: fc
      .array(
        fc.record({
          place: fc.nat(1000),
          edit: fc.constantFrom('replace', 'remove', 'repeat', 'rename'),
          value: hostileValue,
        }),
        { minLength: 1, maxLength: 3 },
      )
      .map((edits) => (body: Uint8Array) => editedJson(body, edits)),
  },
  {
    weight: 2,
    arbitrary: fc
      .record({ at: fc.nat(5000), remove: fc.nat(20), insert: fc.uint8Array({ maxLength: 8 }) })
      .map((edit) => (body: Uint8Array) => editedBytes(body, edit)),
  },
  { weight: 2, arbitrary: bodies.map((other) => () => other) },
);

type HeaderEdit = { at: number; edit: 'remove' | 'replace' | 'repeat' | 'cut' | 'case'; value: string };

function editedHeaders(headers: readonly Header[], edits: readonly HeaderEdit[]): Header[] {
  const changed = headers.map(([name, value]): Header => [name, value]);
  for (const { at, edit, value } of edits) {
    const index = at % Math.max(1, changed.length);
    const [name, before] = changed[index] ?? ['', ''];
    if (edit === 'remove') changed.splice(index, 1);
    else if (edit === 'replace') changed[index] = [name, value];
    else if (edit === 'repeat') changed.splice(at % 2 === 0 ? index : changed.length, 0, [name, value]);
    else if (edit === 'cut') changed[index] = [name, before.slice(0, at % (before.length + 1))];
    else changed[index] = [name.toUpperCase(), before];
  }
  return changed;
}

const headersChange = (names: readonly string[]): fc.Arbitrary<(headers: readonly Header[]) => Header[]> =>
  fc
    .record({
      edits: fc.array(
        fc.record({
          at: fc.nat(1000),
          edit: fc.constantFrom('remove', 'replace', 'repeat', 'cut', 'case'),
          value: headerValue,
        }),
        { maxLength: 3 },
      ),
      more: fc.array(
        fc.tuple(fc.oneof(fc.constantFrom(...names), fc.constantFrom(...hostileTexts), fc.string()), headerValue),
        { maxLength: 3 },
      ),
    })
    .map(({ edits, more }) => (headers) => [...editedHeaders(headers, edits), ...more]);

const queryChange: fc.Arbitrary<(query: string | undefined) => string | undefined> = fc.oneof(
  fc.constant((query: string | undefined) => query),
  fc
    .oneof(fc.webQueryParameters(), fc.constantFrom('key=', 'key=%', 'key=a&key=b+c', '?', '%=%', 'key'))
    .map((query) => () => `?${query}`),
);

const contentTypes = [
  'application/json',
  'application/x-www-form-urlencoded',
  'text/plain',
  '',
  'multipart/form-data',
  'x;y=\0',
];

/**
 * Variants of `genuine` webhooks: one of them with body, headers, query or content type edited or replaced. `names` are
 * the headers that providers read.
 */
export function offersNear(genuine: readonly Offer[], names: readonly string[]): fc.Arbitrary<Offer> {
  return fc
    .record({
      from: fc.constantFrom(...genuine),
      body: bodyChange,
      headers: headersChange(names),
      query: queryChange,
      contentType: fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, fc.constantFrom(...contentTypes)),
    })
    .map(({ from, body, headers, query, contentType }) => {
      const { signed } = from;
      const changed = query(signed.query);
      return {
        contentType: contentType ?? from.contentType,
        signed: {
          headers: headers(signed.headers),
          body: body(signed.body),
          ...(changed === undefined ? {} : { query: changed }),
        },
      };
    });
}

/** The offer as the gateway receives it. */
export function requestOfOffer(sample: Sample, { signed, contentType }: Offer) {
  return received(sample, signed, contentType);
}
