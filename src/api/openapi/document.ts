import { z } from 'zod';
import {
  createDocument,
  type ZodOpenApiObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiResponseObject,
  type ZodOpenApiResponsesObject,
} from 'zod-openapi';
import { isAllowed, type TokenRole, tokenRoles } from '../../http/admin/roles.ts';
import { type AdminOperation, Operation, problemSchema, withBody } from '../../http/operation.ts';
import { byStatus, type ProblemCode, problems } from '../../http/problem.ts';
import { tags } from '../../http/tags.ts';

/** A route in Elysia's list of routes. */
export interface DocumentedRoute {
  method: string;
  path: string;
  hooks: { body?: unknown; query?: unknown; detail?: unknown };
}

const parameters: Record<string, z.ZodType> = {
  account_id: z.uuid().meta({ description: 'Account id' }),
  consumer: z.string().min(1).meta({ description: 'Name of the consumer', example: 'default' }),
  destination_id: z.uuid().meta({ description: 'Destination id' }),
  event_id: z.uuid().meta({ description: 'Event id' }),
  incident_id: z.uuid().meta({ description: 'Incident id' }),
  job_id: z.uuid().meta({ description: 'Bulk job id' }),
  name: z.string().min(1).meta({ description: 'Task name', example: 'retention' }),
  provider: z.string().min(1).meta({ description: 'Provider name', example: 'generic' }),
  token_id: z.uuid().meta({ description: 'Token id' }),
  slug: z.string().min(1).meta({ description: "The account's `account_slug`", example: 'shop' }),
};

/**
 * The OpenAPI 3.1 document of these routes, generated from the schemas that also validate requests (see `operation`).
 * Routes without a description, such as the pages of this documentation, are omitted.
 */
export function openApiDocument(routes: readonly DocumentedRoute[], version: string) {
  const problemOf = sharedProblems();
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const route of routes) {
    const operation = describedBy(route);
    if (!operation) continue;
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}').replace(/(.)\/$/, '$1');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationObject(operation, route, problemOf) };
  }
  const document: ZodOpenApiObject = {
    openapi: '3.1.0',
    info: {
      title: 'Webhook gateway',
      version,
      description:
        'Receives and verifies webhooks, stores each as an event, and delivers the events with retries.\n\nTimes are ISO 8601 in UTC. Ids are UUIDv7. Errors are `application/problem+json` (RFC 9457) with a stable `code`. Unknown fields and query parameters are refused with 422.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'This gateway' }],
    tags,
    paths,
    components: {
      securitySchemes: {
        adminToken: { type: 'apiKey', in: 'header', name: 'X-Admin-Token', description: 'An admin token' },
      },
    },
  };
  return createDocument(document, {
    override({ jsonSchema }) {
      // The format is enough; zod's regular expressions for it are very long.
      if (typeof jsonSchema.format === 'string' && saidByFormat.has(jsonSchema.format)) delete jsonSchema.pattern;
    },
  });
}

const saidByFormat = new Set(['uuid', 'date-time', 'date']);

/** The description of a route; null when it has none. */
export function describedBy(route: DocumentedRoute): Operation | null {
  const { detail } = route.hooks;
  if (typeof detail !== 'object' || detail === null || !('operation' in detail)) return null;
  return detail.operation instanceof Operation ? detail.operation : null;
}

function operationObject(
  operation: Operation,
  route: DocumentedRoute,
  problemOf: ProblemSchemas,
): ZodOpenApiOperationObject {
  const { summary, description, tag, operationId, examples } = operation.description;
  const names = [...route.path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  const { body, query } = route.hooks;
  return {
    summary,
    operationId:
      operationId ??
      `${route.method.toLowerCase()}${route.path.replaceAll(/\W+(\w)/g, (_, l: string) => l.toUpperCase())}`,
    tags: [tag],
    ...describedWithRole(description, operation.admin),
    security: operation.admin === null ? [] : [{ adminToken: [] }],
    requestParams: {
      ...(names.length === 0
        ? {}
        : { path: z.object(Object.fromEntries(names.map((name) => [name, parameters[name] ?? z.string()]))) }),
      ...(query instanceof z.ZodObject && Object.keys(query.shape).length > 0 ? { query } : {}),
    },
    ...(operation.body === 'json' && body instanceof z.ZodType
      ? {
          requestBody: {
            required: !body.safeParse(null).success,
            content: {
              'application/json': {
                schema: body,
                ...(examples?.body === undefined ? {} : { example: examples.body }),
              },
            },
          },
        }
      : {}),
    ...(operation.body === 'bytes'
      ? { requestBody: { description: 'Any bytes, of any content type', content: { '*/*': {} } } }
      : {}),
    responses: responses(operation, route.method, problemOf),
  };
}

/** The description with the role of tokens that the operation needs, as text and for tools; null: it needs no token. */
function describedWithRole(description: string | undefined, admin: AdminOperation | null) {
  if (admin === null) return description === undefined ? {} : { description };
  const refused = admin.scope === null && admin.role !== 'admin' ? ' Tokens with a scope are refused.' : '';
  const needs = `Needs a token with the role ${rolesFrom(admin.role)}.${refused}`;
  return {
    description: [description, needs].filter(Boolean).join('\n\n'),
    'x-required-role': admin.role,
    'x-token-scope': admin.scope === null ? 'refused' : 'limited',
  };
}

/** The roles that are enough, in words: `operate` or `admin`. */
const rolesFrom = (needed: TokenRole) =>
  new Intl.ListFormat('en', { type: 'disjunction' }).format(
    tokenRoles.filter((role) => isAllowed(role, needed)).map((role) => `\`${role}\``),
  );

/** The problems that only requests with a body can have. */
const ofBodies: ReadonlySet<ProblemCode> = new Set(withBody);

function responses({ description }: Operation, method: string, problemOf: ProblemSchemas): ZodOpenApiResponsesObject {
  const found: Record<string, ZodOpenApiResponseObject> = {};
  for (const [
    status,
    { description: meaning, schema, headers, contentType = 'application/json', streams },
  ] of Object.entries(description.success)) {
    found[status] = {
      description: meaning,
      ...(headers
        ? {
            headers: Object.fromEntries(
              Object.entries(headers).map(([name, text]) => [name, { description: text, schema: { type: 'string' } }]),
            ),
          }
        : {}),
      ...(schema
        ? {
            content: {
              ...Object.fromEntries([contentType].flat().map((type) => [type, { schema, ...exampleOf(schema) }])),
              ...(streams ? { 'text/event-stream': streamOf(exampleOf(schema).example) } : {}),
            },
          }
        : {}),
    };
  }
  const errors = description.errors.filter((code) => method !== 'GET' || !ofBodies.has(code));
  for (const [status, codes] of byStatus(errors)) {
    const [code] = codes;
    if (!code) continue;
    found[status] = {
      description: codes.map((name) => `\`${name}\`: ${problems[name][1]}`).join('. '),
      content: {
        'application/problem+json': {
          schema: problemOf(codes),
          example: {
            type: 'about:blank',
            title: problems[code][1],
            status,
            detail: 'explains this occurrence of the problem',
            code,
          },
        },
      },
    };
  }
  return found;
}

/** The media type of server-sent events that end with this result. */
const streamOf = (result: unknown) => ({
  schema: { type: 'string' as const },
  example: `event: result\ndata: ${JSON.stringify(result)}\n\n`,
});

/** The example in a schema's metadata, in the place where tools expect the example of a response. */
function exampleOf(schema: z.ZodType): { example?: unknown } {
  if (schema instanceof z.ZodArray && schema.element instanceof z.ZodType) {
    const { example } = exampleOf(schema.element);
    return example === undefined ? {} : { example: [example] };
  }
  const [example] = schema.meta()?.examples ?? [];
  return example === undefined ? {} : { example };
}

type ProblemSchemas = (codes: readonly ProblemCode[]) => z.ZodType;

/** Returns the schema for a set of codes. Equal sets share one component of the document. */
function sharedProblems(): ProblemSchemas {
  const made = new Map<string, z.ZodType>();
  return (codes) => {
    const name = `${codes.map((code) => code.replace(/(?:^|_)(\w)/g, (_: string, letter: string) => letter.toUpperCase())).join('Or')}Problem`;
    const schema = made.get(name) ?? problemSchema(codes).meta({ id: name });
    made.set(name, schema);
    return schema;
  };
}
