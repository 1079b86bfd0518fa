import { openApiText } from '../../src/roles/openapi.ts';

/** One operation of the admin API, as its OpenAPI document tells it. */
export interface AdminOperation {
  /** `accountUpdate`. */
  id: string;
  method: string;
  /** With its parameters in braces. */
  path: string;
  parameters: string[];
  /** The document's own example of a body; undefined where the operation takes none. */
  body: Record<string, unknown> | undefined;
  /** Statuses of success. */
  successes: number[];
}

interface Described {
  operationId: string;
  responses: Record<string, unknown>;
  requestBody?: { content: Record<string, { example?: Record<string, unknown> }> };
}

/** Every operation of the document below `/admin`, so that a test that asks for all of them cannot forget a new one. */
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
      })),
    );
}

/** The path with what stands in braces replaced. @throws for a parameter that `values` does not know */
export function pathOf(operation: AdminOperation, values: Record<string, string>): string {
  return operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`tests need a value for the new path parameter ${name}`);
    return value;
  });
}

/** The operation's id that belongs to an action of the audit log: `event.replay_failed` is `eventReplayFailed`. */
export const operationIdOf = (action: string) =>
  action.replaceAll(/[._](\w)/g, (_, letter: string) => letter.toUpperCase());
