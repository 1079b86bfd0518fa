import type { ProblemCode, StatusOf } from '../http/problem.ts';
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

const setToken = 'Set another token: `webhook-gateway login`, GATEWAY_TOKEN or --token.';
export const tryAgain = 'Try again; `webhook-gateway status` shows what is wrong.';
const checkAddress = 'Is this the address of a webhook gateway? Check --url.';

/**
 * What to do after a problem. The details of many problems say it, too, in the words of the API: here are commands, and no
 * repetition. The type requires a step for each status that the API has.
 */
const nextOfStatus: Readonly<Record<StatusOf<ProblemCode>, string>> = {
  400: 'Check the arguments; --help lists them.',
  401: setToken,
  403: 'Use a token with another role or scope: `webhook-gateway login` or GATEWAY_TOKEN.',
  404: 'Check the id or the name; the command `list` shows those that there are.',
  405: 'The gateway may be older than this command line: compare with `webhook-gateway --version`.',
  409: 'The command `show` or `list` tells its present state.',
  410: 'Start again without --resume.',
  413: 'Shorten the fields or the file.',
  415: 'Check --url: a proxy in front of the gateway may change requests.',
  422: 'Correct these values; docs/admin-api.md says which ones are valid.',
  429: 'Try again in a minute.',
  499: tryAgain,
  500: tryAgain,
  502: tryAgain,
  503: tryAgain,
};

/** The codes for which there is more to say than for others with the same status. */
const nextOfCode: ReadonlyMap<string, string> = new Map<ProblemCode, string>([
  // The limit is for wrong tokens only.
  ['rate_limited', setToken],
  ['event_dead', 'The command is `webhook-gateway events replay`.'],
  ['event_rejected', '`webhook-gateway events show` has the reason.'],
  ['event_skipped', '`webhook-gateway consumers update` changes a condition.'],
]);

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

function nextOf(status: number, { code }: ProblemBody): string {
  // The problems of a gateway have a code.
  if (status === 404 && code === undefined) return checkAddress;
  const ofStatus: Readonly<Record<number, string | undefined>> = nextOfStatus;
  return nextOfCode.get(code ?? '') ?? ofStatus[status] ?? (status < 500 ? checkAddress : tryAgain);
}
