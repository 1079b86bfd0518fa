import { storable } from './answers.ts';
import type { WholeRequest } from './reference.ts';
import { readRequests } from './reference.ts';
import { bytesOf, type Stream } from './streams.ts';
import { type Step, type Talk, talk } from './talk.ts';

/** A client with an account of its own, which sends one stream after another. */
export interface Lane {
  baseUrl: string;
  localAddress: string;
  /** Returns the bodies that were stored since the last call. */
  newBodies(): Promise<Buffer[]>;
  /** Bodies of connections that were reset, which may still be stored. */
  late: Buffer[];
}

/**
 * Sends a stream and compares the answers and what was stored with what was sent.
 *
 * @throws Error that says what differs, with the bytes that were sent
 */
export async function compare(lane: Lane, stream: Stream): Promise<void> {
  const { sent, intact } = bytesOf(stream);
  const got = await talk(lane.baseUrl, stepsOf(stream, sent), { localAddress: lane.localAddress });
  const stored = await lane.newBodies();
  const { requests, after } = readRequests(sent);
  const wrong = [
    ...(stream.ending === 'reset' ? [] : unanswered(stream, intact, got)),
    ...wrongAnswers(got, requests, after, stored),
    ...foreign(lane, requests, stored),
    ...storable(got.answers),
  ];
  if (stream.ending === 'reset') lane.late.push(...webhooks(requests).map(({ body }) => body));
  if (got.end === 'open') wrong.push('the connection was not closed');
  if (wrong.length > 0) throw new Error(`${wrong.join('; ')}\nsent: ${JSON.stringify(sent.toString('latin1'))}`);
}

function stepsOf({ writes, ending }: Stream, sent: Buffer): Step[] {
  const cuts = writes.map(({ at, pauseMs }) => ({ at: at % (sent.length + 1), pauseMs })).sort((a, b) => a.at - b.at);
  const steps: Step[] = [];
  let from = 0;
  for (const { at, pauseMs } of [...cuts, { at: sent.length, pauseMs: 0 }]) {
    if (at > from) steps.push(sent.subarray(from, at), { pauseMs });
    from = Math.max(from, at);
  }
  return [...steps, ending];
}

const webhooks = (requests: readonly WholeRequest[]) => requests.filter(({ method }) => method === 'POST');
const finals = ({ answers }: Talk) => answers.filter(({ status }) => status >= 200);

/** The requests that no mutation has touched are answered, until the gateway closes the connection. */
function unanswered({ requests }: Stream, intact: number, got: Talk): string[] {
  let end = 0;
  for (const [index, { text, target }] of requests.entries()) {
    end += text.length;
    if (end > intact) break;
    const answer = finals(got)[index];
    // A connection with unread bytes is reset when it is closed, and the client may lose an answer.
    if (answer === undefined && got.end === 'reset') break;
    if (answer?.status !== target.status)
      return [`request ${index} was answered by ${answer?.status}, not ${target.status}`];
    if (answer.closes) break;
  }
  return [];
}

/** A whole webhook that is answered by 202 is stored. What is not whole is not answered by 2xx, and nothing after it. */
function wrongAnswers(
  got: Talk,
  requests: readonly WholeRequest[],
  after: 'nothing' | 'head' | 'body',
  stored: readonly Buffer[],
): string[] {
  const wrong: string[] = [];
  const left = [...stored];
  for (const [index, { status }] of finals(got).entries()) {
    const request = requests[index];
    if (request === undefined) {
      const isBeforeBody = after === 'body' && status !== 202;
      if (index > requests.length) wrong.push(`answer ${index} by ${status} belongs to no request`);
      else if (!isBeforeBody && !isRefusal(status)) wrong.push(`no whole request was answered by ${status}`);
    } else if (status >= 500) wrong.push(`request ${index} was answered by ${status}`);
    else if (status === 202 && !takeFrom(left, request.body))
      wrong.push(`request ${index} is not stored as it was sent`);
  }
  return wrong;
}

/** 501: a coding that is not implemented, which may also be a mutation of `chunked`. */
const isRefusal = (status: number) => (status >= 400 && status <= 499) || status === 501;

/** Nothing is stored but bodies of whole requests. */
function foreign(lane: Lane, requests: readonly WholeRequest[], stored: readonly Buffer[]): string[] {
  const own = webhooks(requests).map(({ body }) => body);
  const strangers = stored.filter((body) => !takeFrom(own, body) && !takeFrom(lane.late, body));
  return strangers.map((body) => `this is stored: ${JSON.stringify(body.toString('latin1').slice(0, 200))}`);
}

function takeFrom(bodies: Buffer[], body: Buffer): boolean {
  const at = bodies.findIndex((other) => other.equals(body));
  if (at >= 0) bodies.splice(at, 1);
  return at >= 0;
}
