import { openApiText } from '../../src/roles/openapi.ts';

/** One operation of the admin API, from its OpenAPI document. */
export interface AdminOperation {
  /** The operation id, such as `accountUpdate`. */
  id: string;
  method: string;
  /** The path with parameters in braces. */
  path: string;
  parameters: string[];
  /** The example of a body in the document; undefined if the operation has none. */
  body: Record<string, unknown> | undefined;
  /** Statuses of success. */
  successes: number[];
  /** Whether tokens with a scope may call it. */
  scope: 'limited' | 'refused';
}

interface Described {
  operationId: string;
  responses: Record<string, unknown>;
  'x-token-scope': 'limited' | 'refused';
  requestBody?: { content: Record<string, { example?: Record<string, unknown> }> };
}

/** All operations of the document below `/admin`, so that a test of all operations includes new ones. */
export async function adminOperations(): Promise<AdminOperation[]> {
  const { paths }: { paths: Record<string, Record<string, Described>> } = JSON.parse(await openApiText());
  return Object.entries(paths)
    .filter(([path]) => path.startsWith('/admin'))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, described]) => ({
        id: described.operationId,
        method: method.toUpperCase(),
        path,
        parameters: [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? ''),
        body: described.requestBody?.content['application/json']?.example,
        successes: Object.keys(described.responses)
          .map(Number)
          .filter((status) => status < 300),
        scope: described['x-token-scope'],
      })),
    );
}

/** The path with its parameters replaced. @throws for a parameter without a value */
export function pathOf(operation: AdminOperation, values: Record<string, string>): string {
  return operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`tests need a value for the new path parameter ${name}`);
    return value;
  });
}

/** The example of a body, about the account of `values`; undefined if the operation has none. */
export function bodyOf({ body }: AdminOperation, values: Record<string, string>): Record<string, unknown> | undefined {
  return body && 'account_id' in body ? { ...body, account_id: values.account_id } : body;
}

/** The operation id of an action of the audit log: `event.replay_failed` is `eventReplayFailed`. */
export const operationIdOf = (action: string) =>
  action.replaceAll(/[._](\w)/g, (_, letter: string) => letter.toUpperCase());
