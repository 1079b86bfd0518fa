import { storable } from './answers.ts';
import type { IllegalCase } from './illegal-case.ts';
import type { IncompleteCase } from './incomplete-cases.ts';
import type { LegalCase } from './legal-cases.ts';
import { message, simple, type Target } from './message.ts';
import { type Step, type Talk, type TalkOptions, talk } from './talk.ts';

/** The gateway that the cases are sent to. */
export interface Judged {
  baseUrl: string;
  /** An address that takes webhooks of any content. */
  ingestion: Target;
  /** Returns the stored bodies that contain this text. */
  stored(marker: string): Promise<Buffer[]>;
  /** The local address of the client's connections. */
  localAddress?: string;
}

let number = 0;

/** A text that no other body contains. */
const marker = () => `raw-${process.pid.toString(36)}-${(number++).toString(36)}-`;
/** With bytes of all kinds, so that no decoding can go unnoticed. */
const bodyWith = (text: string) => `${text}{"a":"\xe9\0\r\n\xff"}`;
const bytes = (text: string) => Buffer.from(text, 'latin1');

/** Cuts bytes in pieces that are written one by one. */
export type Cut = (sent: Buffer) => Step[];
export const whole: Cut = (sent) => [sent];

/**
 * Sends a legal request, and behind it another one with `Connection: close`, which must be answered if the connection
 * may be kept.
 *
 * @returns what is wrong; empty when nothing is
 */
export async function judgeLegal(gateway: Judged, it: LegalCase, target: Target, cut = whole): Promise<string[]> {
  const own = marker();
  const body = bodyWith(own);
  const last = message({ ...target, method: 'GET', path: '/health/live', headers: '' }, ['Connection: close']);
  const sent = cut(bytes(it.send(target, body) + last));
  const got = await talk(gateway.baseUrl, sent, optionsOf(gateway, it.isHead));
  const status = it.status ?? target.status;
  const isRead = target.name === 'ingestion' && it.status === undefined;
  const first = [...(isRead ? (it.interim ?? []) : []), status];
  // Where the body is not read, the gateway may close the connection after the answer.
  const mayClose = it.closes ?? (isRead ? false : undefined);
  const closes = mayClose ?? got.answers[first.length - 1]?.closes === true;
  const wrong = compared('the statuses', statusesOf(got), closes ? first : [...first, 200]);
  wrong.push(...brokenOff(got), ...storable(got.answers));
  const kept = isRead && it.isStored !== false ? [bytes(body)] : [];
  return [...wrong, ...(await comparedBodies(gateway, own, kept))];
}

/**
 * Sends a legal request and closes the client's side, as `nc -N` does. The client must get its answer.
 *
 * @returns what is wrong; empty when nothing is
 */
export async function judgeHalfClosed(gateway: Judged, it: LegalCase, target: Target, cut = whole): Promise<string[]> {
  const own = marker();
  const body = bodyWith(own);
  const steps: Step[] = [...cut(bytes(it.send(target, body))), 'half-close'];
  const got = await talk(gateway.baseUrl, steps, optionsOf(gateway, it.isHead));
  const isRead = target.name === 'ingestion' && it.status === undefined;
  const interim = isRead ? (it.interim ?? []) : [];
  const wrong = compared('the statuses', statusesOf(got), [...interim, it.status ?? target.status]);
  wrong.push(...brokenOff(got), ...storable(got.answers));
  const kept = isRead && it.isStored !== false ? [bytes(body)] : [];
  return [...wrong, ...(await comparedBodies(gateway, own, kept))];
}

/**
 * Sends an illegal request, behind `before` legal webhooks, and in the same write a webhook behind it that must never be
 * taken for a request.
 *
 * @returns what is wrong; empty when nothing is
 */
export async function judgeIllegal(
  gateway: Judged,
  it: IllegalCase,
  target: Target,
  { before = 0, cut = whole }: { before?: number; cut?: Cut } = {},
): Promise<string[]> {
  const own = marker();
  const legal = Array.from({ length: before }, (_, n) => bodyWith(`${own}${n}-`));
  const hidden = simple(gateway.ingestion, bodyWith(`${own}hidden-`));
  const text = legal.map((body) => simple(gateway.ingestion, body)).join('') + it.send(target, bodyWith(own)) + hidden;
  const got = await talk(gateway.baseUrl, cut(bytes(text)), optionsOf(gateway));
  const statuses = statusesOf(got);
  const wrong = compared('the first statuses', statuses.slice(0, before), Array(before).fill(202));
  wrong.push(...storable(got.answers));
  const refusals = statuses.slice(before);
  const isUnread = it.inBody === true && target.name !== 'ingestion';
  const allowed = (status: number) => (status >= 400 && status <= 499) || (isUnread && status === target.status);
  if (refusals.length > 1 || !refusals.every(allowed)) wrong.push(`it was answered by ${refusals.join(', ')}`);
  if (got.end === 'open') wrong.push('the connection was not closed');
  return [...wrong, ...(await comparedBodies(gateway, own, legal.map(bytes)))];
}

/**
 * Sends a request that is not complete and ends the connection.
 *
 * @returns what is wrong; empty when nothing is
 */
export async function judgeIncomplete(
  gateway: Judged,
  it: IncompleteCase,
  target: Target,
  ending: 'half-close' | 'reset',
  cut = whole,
): Promise<string[]> {
  const own = marker();
  const got = await talk(gateway.baseUrl, [...cut(bytes(it.send(target, bodyWith(own)))), ending], optionsOf(gateway));
  const wrong = storable(got.answers);
  // A request that needs no body may be answered before its body is complete.
  if (target.name === 'ingestion' && statusesOf(got).some((status) => status >= 200 && status < 400))
    wrong.push(`it was answered by ${statusesOf(got).join(', ')}`);
  if (got.end === 'open') wrong.push('the connection was not closed');
  return [...wrong, ...(await comparedBodies(gateway, own, []))];
}

const optionsOf = ({ localAddress }: Judged, isHead = false): TalkOptions => ({
  isHead,
  ...(localAddress === undefined ? {} : { localAddress }),
});

const statusesOf = ({ answers }: Talk) => answers.map(({ status }) => status);

const compared = (what: string, found: unknown, wanted: unknown): string[] =>
  JSON.stringify(found) === JSON.stringify(wanted)
    ? []
    : [`${what} were ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`];

function brokenOff({ end, rest }: Talk): string[] {
  if (end === 'open') return ['the connection was not closed'];
  return rest.length === 0
    ? []
    : [`an answer was broken off: ${JSON.stringify(rest.toString('latin1').slice(0, 100))}`];
}

async function comparedBodies(gateway: Judged, own: string, wanted: Buffer[]): Promise<string[]> {
  const texts = (all: Buffer[]) => all.map((body) => body.toString('latin1')).sort();
  return compared('the stored bodies', texts(await gateway.stored(own)), texts(wanted));
}
