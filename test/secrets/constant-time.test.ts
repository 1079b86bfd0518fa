import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { constantTimeEqual, constantTimeMatcher } from '../../src/secrets/constant-time.ts';

// 'binary' includes lone surrogates: different strings that have the same UTF-8 bytes.
const anyString = fc.string({ unit: 'binary', maxLength: 80 });

test('the comparison never throws and equals ===', () => {
  fc.assert(
    fc.property(anyString, anyString, (left, right) => constantTimeEqual(left, right) === (left === right)),
    {
      examples: [
        ['\ud800', '\ufffd'],
        ['', ''],
        ['', '\0'],
        ['a', 'aa'],
        ['é', 'e\u0301'],
      ],
    },
  );
  fc.assert(fc.property(anyString, (text) => constantTimeEqual(text, `${text}`)));
});

test('a prefix, an extension and a huge value do not match', () => {
  const matches = constantTimeMatcher('secret');
  expect(['secre', 'secret ', 'Secret', '', 's'.repeat(1_000_000)].filter(matches)).toEqual([]);
  expect(matches('secret')).toBe(true);
});

const root = fileURLToPath(new URL('../../', import.meta.url));
const sources = globSync('src/**/*.ts', { cwd: root, exclude: ['src/console/web/**'] })
  .sort()
  .map((file) => ({ file, text: readFileSync(`${root}${file}`, 'utf8') }));

// No test can measure these times, so the two below are over the source.

test('the functions that compare secrets and signatures use timingSafeEqual', () => {
  const comparing = sources.filter(({ text }) => /\btimingSafeEqual\(/.test(text)).map(({ file }) => file);
  expect(comparing).toEqual([
    'src/backups/manifest-signature.ts',
    'src/providers/signature.ts',
    'src/secrets/constant-time.ts',
  ]);
});

// The comparisons that end at the first difference, in the folders that get secrets, tokens or signatures from callers.
const secret = '(?:secret|signature|token|hmac|digest|password)';
const plain = [
  `[\\w.?]*${secret}(?:\\([^()]*\\))? *[!=]==?(?![= ]*(?:null|undefined|'|\\d))`,
  `[!=]==? *[\\w.?]*${secret}\\b(?!\\.length)`,
  `\\.(?:includes|indexOf|startsWith)\\([\\w.]*${secret}\\)`,
  '\\.(?:equals|compare|localeCompare)\\(',
].map((pattern) => new RegExp(pattern, 'gi'));
const folders = /^src\/(accounts|http|ingest|providers|secrets|tokens)\//;

test('no secret, token or signature is compared in another way', () => {
  const found = sources
    .filter(({ file }) => folders.test(file))
    .flatMap(({ file, text }) =>
      plain.flatMap((pattern) => (text.match(pattern) ?? []).map((match) => `${file}: ${match}`)),
    );
  expect(found).toEqual([
    // The id of a key, which the stored value begins with.
    'src/secrets/reseal.ts: .equals(',
  ]);
});
