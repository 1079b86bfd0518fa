import { z } from 'zod';
import type { AuditAction } from './admin/actions.ts';
import { isAllowed, type TokenRole } from './admin/roles.ts';
import type { ScopeLimit } from './admin/scope.ts';
import { byStatus, type ProblemCode, type StatusOf } from './problem.ts';

const problemShape = {
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  step: z.string().optional().meta({ description: 'Of a test delivery: the step that has failed' }),
  response_code: z.int().optional(),
  response_body: z.string().optional(),
  oldest: z
    .string()
    .optional()
    .meta({ description: 'Of an expired cursor: when the oldest event that is left was received' }),
};

/** A problem with one of these codes (RFC 9457; docs/admin-api.md). */
export function problemSchema(codes: readonly ProblemCode[]) {
  return z.object({ ...problemShape, code: z.enum(codes) });
}

type ProblemBody = ReturnType<typeof problemSchema>;

/** The errors that any admin request can have. */
const always = ['unauthorized', 'rate_limited', 'internal', 'database_unavailable', 'invalid'] as const;
/** The further errors of requests whose method allows a body. */
export const withBody = ['malformed_json', 'payload_too_large', 'unsupported_media_type', 'overloaded'] as const;
type Usual = (typeof always)[number] | (typeof withBody)[number];
/** The error of a token whose role is not enough. Every token may call the operations of `read`. */
type OfRole<Role extends TokenRole> = 'read' extends Role ? never : 'forbidden';

/** What the OpenAPI document says about a route, besides its schemas. */
export interface Description {
  /** The name in generated clients. Derived from method and path when absent. */
  operationId?: string;
  /** A short sentence without a full stop. */
  summary: string;
  /** Markdown, with only what the summary and the schemas leave out. */
  description?: string | undefined;
  tag: string;
  /** Examples, checked against the schemas by a test. */
  examples?: { body?: Record<string, unknown> } | undefined;
  /** The successful responses by status. The content type is JSON unless given. */
  success: Readonly<
    Record<
      number,
      {
        description: string;
        schema: z.ZodType | null;
        headers?: Record<string, string> | undefined;
        contentType?: string | readonly string[] | undefined;
        /** Whether the response is server-sent events for a client that accepts them. */
        streams?: boolean | undefined;
      }
    >
  >;
  errors: readonly ProblemCode[];
}

/** What an admin operation is in the audit log, and the role that its caller needs. */
export interface AdminOperation {
  action: AuditAction;
  role: TokenRole;
  /** How it keeps a token within its scope; null: it is refused for tokens with a scope. */
  scope: ScopeLimit | null;
}

/** The content of a route's `detail`, from which the OpenAPI document is generated. */
export class Operation {
  /** Null for routes that need no admin token. */
  readonly admin: AdminOperation | null;
  readonly description: Description;
  readonly body: RequestBody;

  constructor(admin: AdminOperation | null, description: Description, body: RequestBody) {
    this.admin = admin;
    this.description = description;
    this.body = body;
  }
}

/** `json`: described by the route's schema; `bytes`: any content. */
export type RequestBody = 'json' | 'bytes' | 'none';

const detail = (operation: Operation) => ({ summary: operation.description.summary, operation });

/** Describes a route that needs no token and validates its input itself. */
export function publicOperation(description: Description, body: RequestBody = 'none') {
  return { detail: detail(new Operation(null, description, body)) };
}

/** For routes without query parameters; a request with one is refused. */
export const noQuery = z.strictObject({});
/** For routes without a body. An empty object is accepted, because some clients always send one. */
export const noBody = z.strictObject({}).nullish();

const isNothing = (body: z.ZodType) => body === noBody;

/**
 * The schemas and the description of an admin route, in Elysia's form. Elysia validates with them, the typed client
 * infers its types from them, and the OpenAPI document is generated from them.
 */
export function operation<
  const Success extends Readonly<Record<number, z.ZodType>>,
  const Role extends TokenRole,
  const Errors extends readonly ProblemCode[] = readonly [],
  Body extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
>(
  action: AuditAction,
  options: {
    /** The least role that may call it. Required, so that no operation is open to every token by mistake. */
    role: Role;
    /** How it keeps a token within its scope. Without it, it is refused for tokens with a scope. */
    scope?: ScopeLimit;
    summary: string;
    description?: string;
    success: Success;
    /** One sentence about the successful response; `OK` when absent. */
    answers?: string;
    headers?: Record<string, string>;
    /** The content type of the successful response, or those that it may have; JSON when absent. */
    contentType?: string | readonly string[];
    /** Whether the response is server-sent events for a client that accepts them (`longAnswer`). */
    streams?: boolean;
    errors?: Errors;
    body: Body;
    query: Query;
    examples?: Description['examples'];
  },
) {
  const { role, scope = null, summary, body, query, success, headers, contentType, streams } = options;
  const ofRole: ProblemCode[] = isAllowed('read', role) ? [] : ['forbidden'];
  // Tokens with a scope have the role `read` or `operate`.
  const ofScope: ProblemCode[] = scope === null && role !== 'admin' ? ['out_of_scope'] : [];
  const errors: ProblemCode[] = [...always, ...withBody, ...ofRole, ...ofScope, ...(options.errors ?? [])];
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
          headers,
          contentType,
          streams,
        },
      ]),
    ),
    errors,
    description: options.description,
    examples: options.examples,
  };
  type Response = Success & { [Code in Usual | OfRole<Role> | Errors[number] as StatusOf<Code>]: ProblemBody };
  return {
    body,
    query,
    // The type of Object.fromEntries does not keep the keys.
    response: { ...failures, ...success } as Response,
    detail: detail(new Operation({ action, role, scope }, description, isNothing(body) ? 'none' : 'json')),
  };
}
