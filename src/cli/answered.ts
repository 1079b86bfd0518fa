import { CliError, type ExitCode, exitCodes } from './exit.ts';

/** What the typed client returns. `response` is undefined if the gateway did not respond. */
interface Result<Data> {
  data: Data;
  error: { status: unknown; value: unknown } | null;
  response?: Response | undefined;
}

interface ProblemBody {
  detail?: string;
  title?: string;
  code?: string;
  errors?: { path: string; message: string }[];
}

/**
 * The data of an answer of the typed client.
 *
 * @throws CliError for a problem, and if the gateway did not respond
 */
export function answered<Data>(result: Result<Data>): NonNullable<Data> {
  // An answer without content, such as 204, has empty data.
  if (result.error === null) return result.data as NonNullable<Data>;
  // What the fetch of `gateway-fetch.ts` has thrown.
  if (result.response === undefined) throw result.error.value;
  throw problemOf(Number(result.error.status), result.error.value);
}

/**
 * The error of a response that is not a success, for calls that are made without the typed client.
 *
 * @param body the body as text or as parsed JSON
 */
export function problemOf(status: number, body: unknown): CliError {
  const problem = problemIn(body);
  const fields = problem.errors?.map(({ path, message }) => `${path} ${message}`).join('; ');
  const message = fields || problem.detail || problem.title || `the gateway answered with status ${status}`;
  return new CliError(codeOf(status), message, nextOf(status, problem));
}

function problemIn(body: unknown): ProblemBody {
  if (typeof body === 'object' && body !== null) return body;
  if (typeof body !== 'string') return {};
  try {
    return problemIn(JSON.parse(body));
  } catch {
    // Not a gateway, or a proxy in front of it.
    return {};
  }
}

function codeOf(status: number): ExitCode {
  if (status === 404 || status === 410) return exitCodes.notFound;
  if (status === 401 || status === 403 || status === 429) return exitCodes.refused;
  if (status === 400 || status === 413 || status === 422) return exitCodes.wrongUsage;
  return exitCodes.failed;
}

function nextOf(status: number, { code }: ProblemBody): string | undefined {
  if (status === 401) return 'Set another token: `webhook-gateway login`, GATEWAY_TOKEN or --token.';
  if (status === 403) return 'Use a token with another role or scope: `webhook-gateway login` or GATEWAY_TOKEN.';
  if (code === 'rate_limited' || code === 'too_many_calls') return 'Try again in a minute.';
  if (status === 404 && code === undefined) return 'Is this the address of a webhook gateway? Check --url.';
  if (status >= 500) return 'Try again; `webhook-gateway status` shows what is wrong.';
  return undefined;
}
