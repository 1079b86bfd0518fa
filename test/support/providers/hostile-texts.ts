import fc from 'fast-check';

/** Names that objects inherit, and bytes and texts that are difficult for parsers. */
export const hostileTexts = [
  '',
  ' ',
  '\0',
  '\ud800',
  '\ufeff',
  'é'.repeat(300),
  '🎁'.repeat(300),
  'x'.repeat(5000),
  '__proto__',
  'constructor',
  'toString',
  'null',
  '-1',
  '1e999',
  '9'.repeat(400),
  '%',
  '%ff',
  '==',
  'Bearer ',
  'v1,',
  't=,v1=',
  'sha256=',
  'eyJhbGciOiJub25lIn0.e30.',
  '{"a":1}',
];

export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(null, true, 0, -0, 1e300, Number.MAX_SAFE_INTEGER + 2, [], {}, [[]], [null], { id: {} }),
  fc.constantFrom(...hostileTexts),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.jsonValue({ maxDepth: 3 }),
);

/** Node decodes header values as latin1, one character for each byte. */
export const headerValue = fc
  .oneof(
    fc.constantFrom(...hostileTexts),
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.base64String({ maxLength: 100 }),
    fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), maxLength: 140 }),
    fc.stringMatching(/^(v1a?,[A-Za-z0-9+/]{43}= ?){1,3}$/),
    fc.stringMatching(/^t=\d{1,12}(,v[01]=[0-9a-f]{64}){1,3}$/),
  )
  .map((text) => Buffer.from(text, 'utf8').toString('latin1'));
