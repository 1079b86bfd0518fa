import type { FieldError } from '../shared/plain-words.ts';

/** The stable error codes (docs/admin-api.md), with the status and title of each. */
export const problems = {
  malformed_json: [400, 'The request body is not valid JSON'],
  unauthorized: [401, 'A valid admin token is required'],
  verification_failed: [401, 'The webhook failed verification'],
  forbidden: [403, 'The role of the admin token does not allow this operation'],
  out_of_scope: [403, 'The scope of the admin token does not allow this operation'],
  account_disabled: [403, 'The account is disabled'],
  not_found: [404, 'Not found'],
  account_not_found: [404, 'No account exists at this address'],
  method_not_allowed: [405, 'The method is not allowed at this address'],
  conflict: [409, 'The request conflicts with the current state'],
  event_dead: [409, 'The event is dead'],
  not_checkable: [409, 'The rejected webhook cannot be checked again'],
  event_rejected: [409, 'The event was rejected'],
  event_skipped: [409, 'No consumer gets the webhook'],
  cursor_expired: [410, 'Events after the cursor may be gone'],
  payload_too_large: [413, 'The request body is too large'],
  unsupported_media_type: [415, 'The request body must be application/json'],
  invalid: [422, 'The request is not valid'],
  rate_limited: [429, 'Too many requests with a wrong admin token from this address'],
  too_many_calls: [429, 'Too many calls of this kind'],
  client_gone: [499, 'The client has closed its connection'],
  internal: [500, 'Internal error'],
  delivery_unreachable: [502, 'The test message was not accepted'],
  engine_unavailable: [503, 'Temporal is not available'],
  database_unavailable: [503, 'The database is not available'],
  too_many_streams: [503, 'Too many event streams are open'],
  stopping: [503, 'The gateway is about to stop'],
  overloaded: [503, 'The gateway is reading too many request bodies'],
} as const satisfies Record<string, readonly [status: number, title: string]>;

export type ProblemCode = keyof typeof problems;
/** The HTTP status that belongs to a code. */
export type StatusOf<Code extends ProblemCode> = (typeof problems)[Code][0];

/** Groups codes by their status, in the order in which each status first occurs. */
export function byStatus(codes: readonly ProblemCode[]): Map<number, ProblemCode[]> {
  const found = new Map<number, ProblemCode[]>();
  for (const code of codes) found.set(problems[code][0], [...(found.get(problems[code][0]) ?? []), code]);
  return found;
}

export interface ProblemOptions {
  errors?: FieldError[];
  headers?: Record<string, string>;
  /** The status that a consumer or a service responded with, if its response is the problem. */
  responseCode?: number | null;
  /** The step of a delivery that failed (src/delivery/delivery-step.ts). */
  step?: string;
  /** The beginning of that response, without secrets. */
  responseBody?: string | null;
  /** When the oldest event that is left was received, if a cursor has expired. */
  oldest?: string | undefined;
}

/** An error that is sent to the client as problem details (RFC 9457). Thrown by routes. Must not contain a secret. */
export class Problem extends Error {
  override name = 'Problem';
  readonly code: ProblemCode;
  readonly status: number;
  readonly options: ProblemOptions;

  constructor(code: ProblemCode, detail: string, options: ProblemOptions = {}) {
    super(detail);
    this.code = code;
    this.status = problems[code][0];
    this.options = options;
  }

  /** The body of the response: application/problem+json. */
  body(): string {
    const [status, title] = problems[this.code];
    const { errors, step, responseCode, responseBody, oldest } = this.options;
    return JSON.stringify({
      type: 'about:blank',
      title,
      status,
      detail: this.message,
      code: this.code,
      errors,
      step,
      response_code: responseCode ?? undefined,
      response_body: responseBody ?? undefined,
      oldest,
    });
  }

  toResponse(): Response {
    return new Response(this.body(), {
      status: this.status,
      headers: { 'content-type': 'application/problem+json', ...this.options.headers },
    });
  }
}

/** The database is down, restarting or too slow. `Retry-After` makes providers and scripts send the request again. */
export function databaseUnavailable(detail = 'the database is not responding; try again in a few seconds'): Problem {
  return new Problem('database_unavailable', detail, { headers: { 'retry-after': '5' } });
}

/** There is no room in the budget for the body. The bodies that are being read end within seconds. */
export function overloaded(): Problem {
  return new Problem(
    'overloaded',
    'too many bodies are being read, from this client or in total; send the request again',
    {
      headers: { 'retry-after': '5' },
    },
  );
}
