import { expect, test } from 'vitest';
import { accountFields } from '../../src/cli/commands/accounts.ts';
import { consumerFields } from '../../src/cli/commands/consumers.ts';
import { destinationFields } from '../../src/cli/commands/destinations.ts';
import { commandsOf, programOfPage, recordedNames, withCommands } from '../../src/cli/page.ts';
import { readProjectFile } from '../docker/files.ts';

test('docs/cli.md is the page that `npm run cli-page` writes', async () => {
  const page = readProjectFile('docs/cli.md');
  expect(await withCommands(page)).toBe(page);
});

test('each command has recorded output, and each recorded file is of a command', async () => {
  const names = commandsOf(programOfPage()).map(([name]) => name.replaceAll(' ', '-'));
  expect((await recordedNames()).sort()).toEqual(names.sort());
});

/** The fields of the body that creates something, in any of its forms. */
function fieldsOfBody(path: string): string[] {
  const document = JSON.parse(readProjectFile('openapi.json'));
  const { schema } = document.paths[path].post.requestBody.content['application/json'];
  const forms: { properties: object }[] = schema.anyOf ?? schema.oneOf ?? [schema];
  return [...new Set(forms.flatMap(({ properties }) => Object.keys(properties)))].sort();
}

test('the help of create names each field of the API that is not an argument', () => {
  const accounts = '/admin/accounts';
  expect([...accountFields, 'provider', 'account_slug'].sort()).toEqual(fieldsOfBody(accounts));
  expect([...consumerFields, 'name'].sort()).toEqual(fieldsOfBody(`${accounts}/{account_id}/consumers`));
  expect([...destinationFields, 'name'].sort()).toEqual(fieldsOfBody(`${accounts}/{account_id}/destinations`));
});
