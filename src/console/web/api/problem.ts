/** A failed call of the admin API: a problem of the API (RFC 9457), or why there was no answer. */
export class ApiProblem extends Error {
  override name = 'ApiProblem';
  /** 0 if there was no answer. */
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  /** Wrong fields with what is wrong. */
  readonly errors: readonly { path: string; message: string }[];

  constructor(options: {
    status: number;
    title: string;
    detail: string;
    errors?: readonly { path: string; message: string }[];
  }) {
    super(`${options.title}: ${options.detail}`);
    this.status = options.status;
    this.title = options.title;
    this.detail = options.detail;
    this.errors = options.errors ?? [];
  }

  /** Whether another token is needed. The API answers 429 only to wrong tokens. */
  get isOfToken(): boolean {
    return this.status === 401 || this.status === 429;
  }

  /** Whether the gateway could not be reached, or is starting or stopping: the same call may succeed soon. */
  get isOutage(): boolean {
    return this.status === 0 || this.status === 502 || this.status === 503 || this.status === 504;
  }
}

/** What `fetch` threw, as a problem that can be shown. */
export function unreachable(error: unknown): ApiProblem {
  const late = error instanceof DOMException && error.name === 'TimeoutError';
  return new ApiProblem({
    status: 0,
    title: 'The gateway could not be reached',
    detail: late ? 'it did not answer within 30 seconds' : 'check your connection, and that the gateway is running',
  });
}

/** The problem in an error answer. That of a proxy has none, so its status is used. */
export function problemOf(status: number, body: unknown): ApiProblem {
  if (typeof body === 'object' && body !== null && 'title' in body && 'detail' in body) {
    const errors = 'errors' in body && Array.isArray(body.errors) ? body.errors : [];
    return new ApiProblem({ status, title: String(body.title), detail: String(body.detail), errors });
  }
  return new ApiProblem({
    status,
    title: 'Unexpected answer',
    detail: `the answer with status ${status} gives no reason`,
  });
}
