import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { rememberedPort, rememberPort } from '../../src/embedded/ports.ts';
import { folderForTest } from '../support/folder-for-test.ts';
import { collectLines, log } from '../support/runtime.ts';

test('a port is recorded', () => {
  const folder = folderForTest();
  rememberPort(folder, 'postgres', 20_001, log);
  expect(rememberedPort(folder, 'postgres')).toBe(20_001);
});

test('a port that cannot be recorded is logged, and is no error', () => {
  const folder = folderForTest();
  const file = join(folder, 'worker-metrics.port');
  mkdirSync(file);
  const warnings = collectLines('port not recorded');
  rememberPort(folder, 'worker-metrics', 20_002, log);
  expect(warnings).toMatchObject([{ level: 40, file, port: 20_002, err: { code: 'EISDIR' } }]);
  expect(rememberedPort(folder, 'worker-metrics')).toBeNull();
});
