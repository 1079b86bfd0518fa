import { expect, test } from 'vitest';
import { auditActions } from '../../src/http/admin/actions.ts';
import { readProjectFile } from '../docker/files.ts';

test("the admin API's page names each action of the audit log, and no other", () => {
  const rows = readProjectFile('docs/admin-api.md').matchAll(/^\| `([a-z]+\.)` \| (.*) \|$/gm);
  const named = [...rows].flatMap(([, prefix = '', verbs = '']) =>
    // A link's text and what is in brackets say more about the verb before them.
    [...verbs.replaceAll(/\([^`]*\)/g, '').matchAll(/`([a-z_]+)`/g)].map(([, verb]) => `${prefix}${verb}`),
  );
  const others = ['auth.denied', 'unknown'];
  expect([...named, ...others].sort()).toEqual([...auditActions].sort());
});
