import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { planFileSchema } from '../../src/cli/plan/schema.ts';
import { readProjectFile } from '../docker/files.ts';
import { usePlanFiles } from './plan-support.ts';

const { withFile } = usePlanFiles();

const schema = () => JSON.parse(readProjectFile('docs/gateway.schema.json'));
const valid = (file: string) => new Ajv2020({ strict: false, validateFormats: false }).compile(schema())(parse(file));

test('the schema for editors is that of the API (npm run cli-schema)', () => {
  expect(schema()).toEqual(JSON.parse(JSON.stringify(planFileSchema())));
});

test('the example is valid', () => {
  expect(valid(readProjectFile('examples/gateway-yaml/gateway.yaml'))).toBe(true);
});

test.each([
  ['an unknown field', 'enabeld: true'],
  ['a secret in clear text', 'delivery_secret: in-clear-text'],
  ['a wrong type', 'enabled: "yes"'],
  ['a consumer with a wrong name', 'consumers: { Billing: { url: https://billing.example/ } }'],
  ['a destination without its config', 'destinations: { mail: { destination_type: email } }'],
])('%s is shown as a mistake', (_what, field) => {
  expect(valid(`accounts: { generic/shop: { app_key: my-app } }`)).toBe(true);
  expect(valid(`accounts:\n  generic/shop:\n    app_key: my-app\n    ${field}\n`)).toBe(false);
});

test('150 accounts have their common settings from one anchor', async () => {
  const { write, plan } = withFile();
  const others = Array.from({ length: 149 }, (_, n) => `  generic/shop-${n}: { <<: *common, org_id: o-${n} }\n`);
  await write(`accounts:\n  generic/shop: &common { app_key: my-app }\n${others.join('')}`);
  expect(await plan()).toMatchObject({ code: 5, stdout: expect.stringContaining('Plan: 150 to create.') });
});

test.each([
  ['an alias without an anchor', 'delivery_url: *none'],
  ['a merge of what has no fields', '<<: 5'],
])('%s is a mistake', async (_, field) => {
  const { write, plan, file } = withFile();
  await write(`accounts:\n  generic/shop:\n    app_key: my-app\n    ${field}\n`);
  const { code, stdout, stderr } = await plan();
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(new RegExp(`^error: ${file}: .+\\nNothing was changed`));
});
