import { readFile } from 'node:fs/promises';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeAll, describe, expect, test } from 'vitest';
import { auditActions } from '../../src/http/admin/actions.ts';
import { openApiText } from '../../src/roles/openapi.ts';
import { useGateway } from '../support/use-gateway.ts';

interface Media {
  schema?: object;
  example?: unknown;
}
interface DocumentedOperation {
  summary?: string;
  operationId?: string;
  tags?: string[];
  security?: Record<string, string[]>[];
  parameters?: { in: string; name: string; schema: object; required?: boolean }[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, { description: string; content?: Record<string, Media> }>;
}
interface Document {
  openapi: string;
  paths: Record<string, Record<string, DocumentedOperation>>;
  components: { schemas: Record<string, object>; securitySchemes: Record<string, object> };
  tags: { name: string }[];
}

let document: Document;
let operations: [name: string, operation: DocumentedOperation][];
const gateway = useGateway({ worker: false });
beforeAll(async () => {
  document = JSON.parse(await openApiText());
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, DocumentedOperation] => [
      `${method.toUpperCase()} ${path}`,
      operation,
    ]),
  );
});

/** The operations whose successful answer is not JSON. */
const otherTypes: Record<string, string | string[]> = {
  // Its answer is defined by providers.
  'GET /{provider}/{slug}': 'text/plain',
  'GET /admin/events/{event_id}/payload': 'application/octet-stream',
  'GET /admin/events/export': ['application/x-ndjson', 'text/csv'],
  'GET /admin/events/stream': 'text/event-stream',
  'GET /metrics': 'text/plain',
};
/** Long calls, which a client can also have as a stream. */
const streamed = new Set(['GET /admin/audit-logs/verify', 'DELETE /admin/audit-logs']);

describe('the document', () => {
  test('is the same in the running gateway and in the repository', async () => {
    const served = await fetch(`${gateway.baseUrl}/openapi/json`);
    expect(served.status).toBe(200);
    expect(served.headers.get('content-type')).toBe('application/json');
    const text = await served.text();
    expect(text).toBe(await openApiText());
    // If this fails, the API has changed: run `npm run openapi` and check the diff.
    expect(text).toBe(await readFile(new URL('../../openapi.json', import.meta.url), 'utf8'));
  });

  test('is OpenAPI 3.1 with complete operations', () => {
    expect(document.openapi).toBe('3.1.0');
    const tags = new Set(document.tags.map(({ name }) => name));
    for (const [name, operation] of operations) {
      expect([name, operation.summary]).toEqual([name, expect.stringMatching(/^\p{Lu}.*[^.]$/u)]);
      expect([name, operation.tags?.every((tag) => tags.has(tag))]).toEqual([name, true]);
      for (const placeholder of name.matchAll(/\{(\w+)\}/g)) {
        const found = operation.parameters?.find(
          ({ in: place, name: given }) => place === 'path' && given === placeholder[1],
        );
        expect([name, found?.required]).toEqual([name, true]);
      }
      const admin = name.includes(' /admin/');
      expect([name, operation.security]).toEqual([name, admin ? [{ adminToken: [] }] : []]);
      const statuses = Object.keys(operation.responses);
      expect([name, statuses.some((status) => status.startsWith('2'))]).toEqual([name, true]);
      if (admin) expect([name, statuses]).toEqual([name, expect.arrayContaining(['401', '422', '429', '500', '503'])]);
      for (const [status, response] of Object.entries(operation.responses)) {
        const media = Object.entries(response.content ?? {});
        const types = status.startsWith('2')
          ? [...[otherTypes[name] ?? 'application/json'].flat(), ...(streamed.has(name) ? ['text/event-stream'] : [])]
          : ['application/problem+json'];
        expect([name, status, media.map(([type]) => type)]).toEqual([name, status, status === '204' ? [] : types]);
        for (const [, { schema, example }] of media)
          expect([name, status, schema !== undefined, example !== undefined]).toEqual([name, status, true, true]);
      }
    }
  });

  test('has a unique id for each operation, and an operation for each audited action', () => {
    const ids = operations.map(([, { operationId }]) => operationId);
    expect(new Set(ids).size).toBe(operations.length);
    const asId = (action: string) => action.replace(/[._](\w)/g, (_: string, letter: string) => letter.toUpperCase());
    const actions = auditActions.filter(
      (action) => !['auth.denied', 'event.bulk_end', 'secrets.reseal', 'unknown'].includes(action),
    );
    expect(ids).toEqual(expect.arrayContaining(actions.map(asId)));
  });

  test('has schemas that compile, and examples that match them', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
    ajv.addSchema({ $id: 'document', ...document });
    const resolved = (schema: object): object =>
      JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"document#/components'));
    for (const name of Object.keys(document.components.schemas)) {
      expect(ajv.getSchema(`document#/components/schemas/${name}`)).toBeTypeOf('function');
    }
    let checked = 0;
    const check = (name: string, { schema, example }: Media) => {
      if (schema === undefined || example === undefined) return;
      const validate = ajv.compile(resolved(schema));
      expect([name, validate(example), validate.errors]).toEqual([name, true, null]);
      checked += 1;
    };
    for (const [name, { requestBody, responses }] of operations) {
      for (const media of Object.values(requestBody?.content ?? {})) check(name, media);
      for (const [status, { content }] of Object.entries(responses)) {
        for (const media of Object.values(content ?? {})) check(`${name} ${status}`, media);
      }
    }
    expect(checked).toBeGreaterThan(150);
  });
});

describe('the interactive page', () => {
  test('loads all its files from the gateway', async () => {
    const page = await fetch(`${gateway.baseUrl}/openapi`);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    const html = await page.text();
    const links = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link = '']) => link);
    expect(links).toHaveLength(4);
    for (const link of links) {
      expect(link).toMatch(/^\/openapi\/assets\//);
      const asset = await fetch(`${gateway.baseUrl}${link}`);
      expect([link, asset.status, (await asset.arrayBuffer()).byteLength > 100]).toEqual([link, 200, true]);
      expect(asset.headers.get('x-content-type-options')).toBe('nosniff');
    }
  });

  test.each(['package.json', '..%2fpackage.json', 'constructor', 'swagger-ui.js.map', ''])(
    'serves no other file: %s',
    async (name) => {
      const answer = await fetch(`${gateway.baseUrl}/openapi/assets/${name}`);
      expect(answer.status).toBe(404);
      expect(await answer.json()).toMatchObject({ code: 'not_found' });
    },
  );

  test('answers another method with 405, not as a webhook', async () => {
    for (const path of ['/openapi', '/openapi/json']) {
      const answer = await fetch(`${gateway.baseUrl}${path}`, { method: 'POST', body: '{}' });
      expect([path, answer.status, answer.headers.get('allow')]).toEqual([path, 405, 'GET']);
    }
  });
});
