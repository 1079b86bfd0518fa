import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { planFileSchema } from '../../src/cli/plan/schema.ts';
import { readProjectFile } from '../docker/files.ts';

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
