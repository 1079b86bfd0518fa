import http from 'node:http';
import https from 'node:https';
import type { Header } from '../providers/inbound-request.ts';
import { withTimeLimit } from './limited-signal.ts';

export interface PostRequest {
  url: URL;
  /** Sent in this order and case; host and length are added. Names may repeat. */
  headers: readonly Header[];
  body: Uint8Array;
  /** For the whole exchange. */
  timeLimitMs: number;
  signal?: AbortSignal;
}

export interface PostAnswer {
  status: number;
  contentType: string | null;
  /** Its first 64 KiB. */
  body: string;
  durationMs: number;
}

/** Enough for any problem and its errors. */
const maxAnswerBytes = 64 * 1024;

/**
 * Makes one POST with the headers as they are, which fetch would sort and join. Follows no redirect. Each
 * has a connection of its own: a server may close a kept one just as it is used again, and nothing tells whether it has read the
 * request.
 *
 * @throws the network's error, also for an exchange that takes longer than its limit
 */
export async function post(request: PostRequest): Promise<PostAnswer> {
  const startedMs = performance.now();
  const { timeLimitMs, signal } = request;
  const what = `no answer within ${timeLimitMs / 1000} s`;
  const answer = await withTimeLimit({ limitMs: timeLimitMs, signal, what }, (limited) => exchange(request, limited));
  return { ...answer, durationMs: Math.round(performance.now() - startedMs) };
}

function exchange(
  { url, headers, body }: Pick<PostRequest, 'url' | 'headers' | 'body'>,
  signal: AbortSignal,
): Promise<Omit<PostAnswer, 'durationMs'>> {
  const { request } = url.protocol === 'https:' ? https : http;
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      ...{ method: 'POST', agent: false, signal },
      // Node adds neither to headers that are a list.
      headers: [['Host', url.host], ...headers, ['Content-Length', String(body.length)]].flat(),
    });
    sent.on('error', (error) => reject(signal.aborted ? signal.reason : error));
    sent.on('response', (response) => {
      const chunks: Buffer[] = [];
      let length = 0;
      response.on('data', (chunk: Buffer) => {
        if (length < maxAnswerBytes) chunks.push(chunk);
        length += chunk.length;
      });
      response.on('error', (error) => reject(signal.aborted ? signal.reason : error));
      response.on('end', () => {
        const text = Buffer.concat(chunks).subarray(0, maxAnswerBytes).toString('utf8');
        const contentType = response.headers['content-type'] ?? null;
        resolve({ status: response.statusCode ?? 0, contentType, body: text });
      });
    });
    sent.end(body);
  });
}
