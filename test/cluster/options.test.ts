import { expect, test } from 'vitest';
import { parts, readOptions, usage } from './options.ts';

test('without arguments, the parts run that prove the cluster works', () => {
  expect(readOptions([])).toMatchObject({
    ...{ up: false, parts: ['e2e', 'faults', 'kill', 'bench'], apis: 2, workers: 2 },
    ...{ seeds: [1, 2, 3], tests: ['test/e2e'] },
  });
});

test('--scale measures, and --only chooses parts', () => {
  expect(readOptions(['--scale']).parts).toEqual(['scale']);
  expect(readOptions(['--only', 'kill,disk', '--events', '500'])).toMatchObject({
    parts: ['kill', 'disk'],
    events: 500,
  });
});

test('several numbers of apis are compared', () => {
  expect(readOptions(['--apis', '1,2,4'])).toMatchObject({ parts: ['cost'], apis: 1, apiCounts: [1, 2, 4] });
  expect(readOptions(['--scale', '--apis', '2,8']).parts).toEqual(['scale', 'cost']);
  expect(readOptions(['--only', 'cost']).apiCounts).toEqual([1, 2, 4]);
  // One number is that of the cluster.
  expect(readOptions(['--apis', '4'])).toMatchObject({ parts: ['e2e', 'faults', 'kill', 'bench'], apis: 4 });
});

test.each([
  [['--apis', '1,x'], '--apis'],
  [['--apis', '1,2', '--up'], '--apis'],
  [['--apis', '1,2', '--only', 'bench'], '--apis'],
  [['--only', 'kil'], '--only'],
  [['--seeds', '1,x'], '--seeds'],
  [['--workers', '0'], '--workers'],
  [['--rate', '1.5'], '--rate'],
  [['--measure', 'all'], '--measure'],
  [['--unknown'], '--unknown'],
])('%j is refused by its name', (args, name) => {
  expect(() => readOptions(args)).toThrow(name);
});

test('the usage names every part', () => {
  expect(parts.filter((part) => !usage.includes(part))).toEqual([]);
});
