import { storable } from './answers.ts';
import { chunked, length, message, simple, type Target } from './message.ts';
import { type Step, type Talk, talk } from './talk.ts';

/** Connections of each kind: together far fewer than MAX_CONNECTIONS, and from one address. */
const connections = 20;
const pauseMs = 250;
const localAddress = '127.0.0.98';
/** Shorter than the gateway's limit for a request (60 s), so that no body is complete. */
const bodiesMs = 30_000;
/** The gateway ends a head after 20 s and up to 5 s until its next check. The client waits for that, however busy the machine is. */
const headsMs = 120_000;

/**
 * Sends heads and bodies a byte at a time. No head is ever complete, so each must end in a 4xx or a closed connection. The
 * bodies, for which the limit is 60 s, are not complete after 30 s: then the clients reset their connections, and none of
 * the bodies may be stored.
 *
 * @param marker a part of the slow bodies
 * @returns what is wrong; empty when nothing is
 */
export async function slowClients(baseUrl: string, target: Target, marker: string): Promise<string[]> {
  const send = (limitMs: number, all: [start: string, rest: string][]): Promise<Talk[]> => {
    const signal = AbortSignal.timeout(limitMs);
    return Promise.all(
      all
        .flatMap((one) => Array.from({ length: connections }, () => one))
        .map(([start, rest]) => talk(baseUrl, steps(start, rest), { localAddress, limitMs, signal })),
    );
  };
  const line = `POST ${target.path} HTTP/1.1\r\n`;
  const body = marker.padEnd(1_000, 'x');
  const [heads] = await Promise.all([
    send(headsMs, [
      ['', `POST ${target.path}?${'x'.repeat(1_000)}`],
      [`${line}Host: gateway\r\nX-A: `, 'x'.repeat(1_000)],
      [line, `Host: gateway\r\n${'a: b\r\n'.repeat(200)}`],
    ]),
    send(bodiesMs, [
      [message(target, [length(body)]), body.slice(0, -1)],
      [message(target, [chunked]), `${body.length.toString(16)}\r\n${body}`],
      [message(target, [chunked]), [...body].map((byte) => `1\r\n${byte}\r\n`).join('')],
      // The second request of its connection.
      [simple(target, 'before a slow body') + message(target, [length(body)]), body.slice(0, -1)],
    ]),
  ]);
  const open = heads.filter(({ end }) => end === 'open').length;
  const answered = heads.flatMap(({ answers }) => answers.map(({ status }) => status));
  const wrong = answered.filter((status) => status < 400 || status > 499);
  return [
    ...(open > 0 ? [`${open} of ${heads.length} slow heads were not ended after ${headsMs / 1000} s`] : []),
    ...new Set(storable(heads.flatMap(({ answers }) => answers))),
    ...(wrong.length > 0 ? [`slow heads were answered by ${[...new Set(wrong)].join(', ')}`] : []),
  ];
}

const steps = (start: string, rest: string): Step[] => [
  Buffer.from(start, 'latin1'),
  ...[...rest].flatMap((byte): Step[] => [{ pauseMs }, Buffer.from(byte, 'latin1')]),
];
