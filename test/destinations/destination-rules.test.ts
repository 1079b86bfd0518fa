import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { destinationSchemas, type NewDestination } from '../../src/notifications/destinations/destination-rules.ts';
import type { Destination } from '../../src/notifications/destinations/destination-store.ts';
import { destinationView } from '../../src/notifications/destinations/destination-view.ts';
import { fieldErrors, plainWords } from '../../src/shared/plain-words.ts';

const x = (length: number) => 'x'.repeat(length);
const url = (length: number) => 'https://a.test/'.padEnd(length, 'x');
const urlRule = 'must be an absolute http: or https: URL';
const textRule = 'must not contain NUL characters or lone surrogates';
const blankRule = 'must not be blank; a condition is, for example, delivery_failed';
const typeRule = 'must be one of: webhook, email, chat_one, chat_two';
const address = 'someone@a.example';
/** An address with the longest local part; `last` = 53 makes it 254 characters long. */
const longAddress = (last: number) => `${x(64)}@${x(63)}.${x(63)}.${x(last)}.example`;

/** A schema's errors for a value, one line for each field. */
function errorsOf(schema: z.ZodType, value: unknown): string[] {
  const { error } = schema.safeParse(value, { error: plainWords });
  const errors = error?.issues.flatMap((issue) => fieldErrors(issue.path.join('.'), issue.message)) ?? [];
  return errors.map(({ path, message }) => `${path}: ${message}`);
}

const whole = {
  webhook: { destination_type: 'webhook', name: 'n', config: { url: url(20) } },
  email: { destination_type: 'email', name: 'n', config: { addresses: [address] } },
  chat_one: { destination_type: 'chat_one', name: 'n', config: { webhook_url: url(20) } },
  chat_two: { destination_type: 'chat_two', name: 'n', config: { webhook_url: url(20) } },
};

describe('create accepts', () => {
  test.each(Object.values(whole))('the required fields of $destination_type', (input) =>
    expect(destinationSchemas.create.parse(input)).toEqual(input),
  );
  test.each<Record<string, unknown>>([
    { name: x(200), condition: `event_type == "${x(984)}"`, enabled: false, position: -(2 ** 31) },
    { name: '😀', condition: null, position: 2 ** 31 - 1 },
    { config: { url: url(500), secret: x(1000) } },
    { config: { url: 'HTTP://user:pass@LOCALHOST:1/ü?q#f', secret: null } },
    { config: { url: 'http://[::1]/', secret: '' } },
  ])('%j', (fields) => expect(errorsOf(destinationSchemas.create, { ...whole.webhook, ...fields })).toEqual([]));
  test.each([
    { addresses: Array(50).fill(address), include_payload: true },
    { addresses: [longAddress(53)], include_payload: false },
  ])('an email config of %j', (config) =>
    expect(errorsOf(destinationSchemas.create, { ...whole.email, config })).toEqual([]),
  );
});

describe('create refuses', () => {
  test.each<[value: unknown, errors: string[]]>([
    [null, [': must be a JSON object']],
    [[], [': must be a JSON object']],
    [{}, ['destination_type: is required']],
    [{ destination_type: 'Webhook' }, [`destination_type: ${typeRule}`]],
    [{ destination_type: null }, [`destination_type: ${typeRule}`]],
    [{ destination_type: '__proto__' }, [`destination_type: ${typeRule}`]],
    [{ destination_type: 'email' }, ['config: is required', 'name: is required']],
  ])('%j', (value, errors) => expect(errorsOf(destinationSchemas.create, value)).toEqual(errors));

  test.each<[fields: Record<string, unknown>, error: string]>([
    [{ name: '' }, 'name: must not be empty'],
    [{ name: x(201) }, 'name: must have 200 characters or fewer'],
    [{ name: 'a\0' }, `name: ${textRule}`],
    [{ name: '\ud800' }, `name: ${textRule}`],
    [{ name: null }, 'name: must be a string'],
    [{ condition: x(1001) }, 'condition: must have 1000 characters or fewer'],
    [{ condition: 'a\0' }, `condition: ${textRule}`],
    [{ condition: true }, 'condition: must be a string'],
    [{ condition: 'provider == 5' }, 'condition: line 1, column 13: expected a text in quotes, found 5'],
    [{ condition: 'true\nand )' }, 'condition: line 2, column 5: expected a condition, found )'],
    [{ condition: '' }, `condition: ${blankRule}`],
    [{ condition: ' \n\t' }, `condition: ${blankRule}`],
    [{ enabled: 'true' }, 'enabled: must be a boolean'],
    [{ enabled: null }, 'enabled: must be a boolean'],
    [{ position: 1.5 }, 'position: must be a whole number'],
    [{ position: '1' }, 'position: must be a number'],
    [{ position: 2 ** 31 }, 'position: must be 2147483647 or less'],
    [{ position: -(2 ** 31) - 1 }, 'position: must be -2147483648 or more'],
    [{ position: 1e300 }, `position: must be ${Number.MAX_SAFE_INTEGER} or less`],
    [{ id: 'mine' }, 'id: is not a known field'],
    [{ config: null }, 'config: must be a JSON object'],
    [{ config: [] }, 'config: must be a JSON object'],
    [{ config: {} }, 'config.url: is required'],
    [{ config: { url: null } }, 'config.url: must be a string'],
    [{ config: { url: '/hook' } }, `config.url: ${urlRule}`],
    [{ config: { url: 'javascript:alert(1)' } }, `config.url: ${urlRule}`],
    [{ config: { url: url(501) } }, 'config.url: must have 500 characters or fewer'],
    [{ config: { url: url(20), secret: x(1001) } }, 'config.secret: must have 1000 characters or fewer'],
    [{ config: { url: url(20), webhook_url: url(20) } }, 'config.webhook_url: is not a known field'],
    [{ config: JSON.parse(`{"url":"${url(20)}","__proto__":{}}`) }, 'config.__proto__: is not a known field'],
  ])('%j', (fields, error) =>
    expect(errorsOf(destinationSchemas.create, { ...whole.webhook, ...fields })).toEqual([error]),
  );

  test.each<[config: Record<string, unknown>, error: string]>([
    [{}, 'addresses: is required'],
    [{ addresses: address }, 'addresses: must be a list'],
    [{ addresses: [] }, 'addresses: must not be empty'],
    [{ addresses: Array(51).fill(address) }, 'addresses: must have 50 entries or fewer'],
    [{ addresses: [address, 'someone'] }, 'addresses.1: must be an email address'],
    [{ addresses: ['a@b.example, c@d.example'] }, 'addresses.0: must be an email address'],
    [{ addresses: ['a@b.example\r\nBcc: c@d.example'] }, 'addresses.0: must be an email address'],
    [{ addresses: ['Someone <a@b.example>'] }, 'addresses.0: must be an email address'],
    [{ addresses: [''] }, 'addresses.0: must be an email address'],
    [{ addresses: [7] }, 'addresses.0: must be a string'],
    [{ addresses: [longAddress(54)] }, 'addresses.0: must have 254 characters or fewer'],
    [{ addresses: [`${x(65)}@a.example`] }, 'addresses.0: must be an email address'],
    [{ addresses: [address], include_payload: 'true' }, 'include_payload: must be a boolean'],
  ])('an email config of %j', (config, error) =>
    expect(errorsOf(destinationSchemas.create, { ...whole.email, config })).toEqual([`config.${error}`]),
  );

  test('without repeating the refused values', () => {
    const config = { url: 'ftp://do-not-repeat', secret: 71234567, more: 'do-not-repeat' };
    const errors = errorsOf(destinationSchemas.create, { ...whole.webhook, config });
    expect(errors).toHaveLength(3);
    expect(errors.join()).not.toMatch(/do-not-repeat|71234567/);
  });
});

test.each<[change: unknown, errors: string[]]>([
  [{}, []],
  [{ ...whole.email, position: 1 }, []],
  [{ config: {} }, []],
  [{ config: { secret: null, include_payload: null } }, []],
  [
    { config: { url: null, webhook_url: null, addresses: null } },
    ['config.url: must be a string', 'config.addresses: must be a list', 'config.webhook_url: must be a string'],
  ],
  [
    { config: { url: 'ftp://a.test', addresses: [] } },
    [`config.url: ${urlRule}`, 'config.addresses: must not be empty'],
  ],
  [{ config: { extra: 1 }, other: 1 }, ['config.extra: is not a known field', 'other: is not a known field']],
  [{ destination_type: 'sms' }, [`destination_type: ${typeRule}`]],
  [{ condition: null }, []],
  [{ condition: '' }, [`condition: ${blankRule}`]],
  [{ condition: 'true and' }, ['condition: line 1, column 9: expected a condition, found the end']],
  [{ name: null, config: null }, ['config: must be a JSON object', 'name: must be a string']],
])('a change of %j', (change, errors) => expect(errorsOf(destinationSchemas.change, change)).toEqual(errors));

test.each(['input', 'output'] as const)('the JSON schemas of create and change for %s refuse unknown fields', (io) => {
  const create = z.toJSONSchema(destinationSchemas.create, { io });
  const types = (create.oneOf ?? []).map((one) => [one.additionalProperties, one.properties?.destination_type]);
  expect(types).toEqual(Object.keys(whole).map((name) => [false, { type: 'string', const: name }]));
  expect(z.toJSONSchema(destinationSchemas.change, { io })).toMatchObject({
    additionalProperties: false,
    properties: { position: { type: 'integer', minimum: -(2 ** 31), maximum: 2 ** 31 - 1 } },
  });
});

describe('the view', () => {
  const at = new Date('2026-11-21T10:00:00Z');
  const stored = (input: NewDestination): Destination => ({
    ...{ id: 'i', account_id: 'a', condition: null, enabled: true, position: 0, created_at: at, updated_at: at },
    ...input,
    kinds: ['delivery.failed', 'incident.opened'],
  });
  test.each<[NewDestination, object]>([
    [
      { destination_type: 'webhook', name: 'n', config: { url: url(20), secret: 'shh' } },
      { url: url(20), has_secret: true },
    ],
    [
      { destination_type: 'webhook', name: 'n', config: { url: url(20) } },
      { url: url(20), has_secret: false },
    ],
    [
      { destination_type: 'email', name: 'n', config: { addresses: [address] } },
      { addresses: [address], include_payload: false },
    ],
    [{ destination_type: 'chat_two', name: 'n', config: { webhook_url: url(20) } }, { webhook_url: url(20) }],
  ])('of %j', (input, config) => {
    expect(destinationView(stored(input), 'admin')).toEqual({
      ...{ id: 'i', destination_type: input.destination_type, name: 'n', enabled: true, config },
      ...{ condition: null, kinds: ['delivery.failed', 'incident.opened'], position: 0 },
      ...{ created_at: '2026-11-21T10:00:00.000Z', updated_at: '2026-11-21T10:00:00.000Z' },
    });
  });
});
