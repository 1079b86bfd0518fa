/** A failed call of the admin API: a problem of the API (RFC 9457), or why there was no answer. */
export class ApiProblem extends Error {
  override name = 'ApiProblem';
  /** 0 if there was no answer. */
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  /** The API's own name for the problem; null when something else answered, or nothing. */
  readonly code: string | null;
  /** Wrong fields with what is wrong. */
  readonly errors: readonly { path: string; message: string }[];
  /** What a consumer or a service answered, if its answer is the problem. */
  readonly answered: { code: number | null; body: string | null };
  /** The step of a delivery that failed; null if the problem is no delivery. */
  readonly step: string | null;

  constructor(
    options: Pick<ApiProblem, 'status' | 'title' | 'detail'> &
      Partial<Pick<ApiProblem, 'errors' | 'answered' | 'step'>> & {
        code?: string;
      },
  ) {
    super(`${options.title}: ${options.detail}`);
    this.status = options.status;
    this.title = options.title;
    this.detail = options.detail;
    this.code = options.code ?? null;
    this.errors = options.errors ?? [];
    this.answered = options.answered ?? { code: null, body: null };
    this.step = options.step ?? null;
  }

  /** Whether another token is needed. A 429 can also say that too many long calls are in progress, or be that of a proxy. */
  get isOfToken(): boolean {
    return this.status === 401 || this.code === 'rate_limited';
  }

  /**
   * Whether the gateway could not be reached, or is starting or stopping: the same call may succeed soon. The API's own
   * 502 is about a consumer or a service; that of a proxy is about the gateway. A 429 of a proxy ends by itself.
   */
  get isOutage(): boolean {
    if (this.status === 502 || this.status === 429) return this.code === null;
    return this.status === 0 || this.status === 503 || this.status === 504;
  }
}

/** Whether an error is one of those that end by themselves when the gateway answers again. */
export const isOutage = (error: unknown): error is ApiProblem => error instanceof ApiProblem && error.isOutage;

/** What `fetch` threw, as a problem that can be shown. */
export function unreachable(error: unknown): ApiProblem {
  const late = error instanceof DOMException && error.name === 'TimeoutError';
  return new ApiProblem({
    status: 0,
    title: 'The gateway could not be reached',
    detail: late ? 'it did not answer in time' : 'check your connection, and that the gateway is running',
  });
}

/** The problem in an error answer. That of a proxy has none, so its status is used. */
export function problemOf(status: number, body: unknown): ApiProblem {
  if (typeof body === 'object' && body !== null && 'title' in body && 'detail' in body) {
    const errors = 'errors' in body && Array.isArray(body.errors) ? body.errors : [];
    return new ApiProblem({
      ...{ status, title: String(body.title), detail: String(body.detail), errors },
      ...('code' in body ? { code: String(body.code) } : {}),
      step: 'step' in body ? String(body.step) : null,
      answered: {
        code: 'response_code' in body && typeof body.response_code === 'number' ? body.response_code : null,
        body: 'response_body' in body && typeof body.response_body === 'string' ? body.response_body : null,
      },
    });
  }
  return new ApiProblem({
    status,
    title: 'Unexpected answer',
    detail: `the answer with status ${status} gives no reason`,
  });
}
