import { z } from 'zod';
import type { AuditAction } from './admin/actions.ts';
import { byStatus, type ProblemCode, type StatusOf } from './problem.ts';

const problemShape = {
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  response_code: z.int().optional(),
  response_body: z.string().optional(),
};

/** A problem with one of these codes (RFC 9457; docs/admin-api.md). */
export function problemSchema(codes: readonly ProblemCode[]) {
  return z.object({ ...problemShape, code: z.enum(codes) });
}

type ProblemBody = ReturnType<typeof problemSchema>;

/** What can happen to any admin request. */
const always = ['unauthorized', 'rate_limited', 'internal', 'database_unavailable', 'invalid'] as const;
/** And to one whose method may carry a body. */
export const withBody = ['malformed_json', 'payload_too_large', 'unsupported_media_type', 'overloaded'] as const;
type Usual = (typeof always)[number] | (typeof withBody)[number];

/** What the OpenAPI document says of a route beyond its schemas. */
export interface Description {
  /** A name for generated clients; made from method and path when there is none. */
  operationId?: string;
  /** A short sentence without a full stop. */
  summary: string;
  /** Markdown; only what the summary and the schemas do not say. */
  description?: string;
  tag: string;
  /** Examples, checked against the schemas by a test. */
  examples?: { body?: Record<string, unknown> };
  /** What each success means, by its status; JSON unless it says otherwise. */
  success: Readonly<
    Record<
      number,
      { description: string; schema: z.ZodType | null; headers?: Record<string, string>; contentType?: string }
    >
  >;
  errors: readonly ProblemCode[];
}

/** What a route's `detail` holds; the OpenAPI document is made of these. */
export class Operation {
  /** What the audit log calls it; null for routes that need no admin token. */
  readonly action: AuditAction | null;
  readonly description: Description;
  readonly body: RequestBody;

  constructor(action: AuditAction | null, description: Description, body: RequestBody) {
    this.action = action;
    this.description = description;
    this.body = body;
  }
}

/** `json`: as the route's schema says; `bytes`: anything. */
export type RequestBody = 'json' | 'bytes' | 'none';

const detail = (operation: Operation) => ({ summary: operation.description.summary, operation });

/** Describes a route without a token, which validates by itself. */
export function publicOperation(description: Description, body: RequestBody = 'none') {
  return { detail: detail(new Operation(null, description, body)) };
}

/** For routes that take no query parameters: one that is there is refused. */
export const noQuery = z.strictObject({});
/** For routes that take no body: an empty object passes, as some clients always send one. */
export const noBody = z.strictObject({}).nullish();

const isNothing = (body: z.ZodType) => body === noBody;

/**
 * The schemas of an admin route and what people should know of it, in the form that Elysia takes: it validates with them,
 * the typed client infers from them, and the OpenAPI document is made of them.
 */
export function operation<
  const Success extends Readonly<Record<number, z.ZodType>>,
  const Errors extends readonly ProblemCode[] = readonly [],
  Body extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
>(
  action: AuditAction,
  options: {
    summary: string;
    description?: string;
    success: Success;
    /** One sentence about the success; `OK` when its schema says it all. */
    answers?: string;
    headers?: Record<string, string>;
    errors?: Errors;
    body: Body;
    query: Query;
    examples?: Description['examples'];
  },
) {
  const { summary, body, query, success, headers } = options;
  const errors: ProblemCode[] = [...always, ...withBody, ...(options.errors ?? [])];
  const failures = Object.fromEntries([...byStatus(errors)].map(([status, codes]) => [status, problemSchema(codes)]));
  const description: Description = {
    summary,
    operationId: action.replace(/[._](\w)/g, (_: string, letter: string) => letter.toUpperCase()),
    tag: action.split('.')[0] ?? action,
    success: Object.fromEntries(
      Object.entries(success).map(([status, schema]) => [
        status,
        {
          description: options.answers ?? 'OK',
          schema: status === '204' ? null : schema,
          ...(headers ? { headers } : {}),
        },
      ]),
    ),
    errors,
    ...(options.description === undefined ? {} : { description: options.description }),
    ...(options.examples === undefined ? {} : { examples: options.examples }),
  };
  type Response = Success & { [Code in Usual | Errors[number] as StatusOf<Code>]: ProblemBody };
  return {
    body,
    query,
    // Object.fromEntries forgets which keys it was given.
    response: { ...failures, ...success } as Response,
    detail: detail(new Operation(action, description, isNothing(body) ? 'none' : 'json')),
  };
}
