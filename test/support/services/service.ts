import type { ServerResponse } from 'node:http';
import type { ErrorObject } from 'ajv';
import { type Delivery, type Reply, startConsumer } from '../consumer.ts';

/** An answer as the service words it; an object goes out as JSON. */
export interface Answer {
  status: number;
  headers?: Record<string, string>;
  body?: string | object;
}

export interface ServiceRequest {
  method: string;
  /** With its query. */
  url: URL;
  headers: Delivery['headers'];
  body: Buffer;
}

/** What a service makes of a request. */
export type Verdict<Message> =
  | { ok: true; message: Message; answer: Answer }
  /** `violation` says which rule of the published format was broken, and where. */
  | { ok: false; violation: string; answer: Answer };

export interface Service<Message> {
  origin: string;
  /** Whatever came, in the order in which it came. */
  requests: Delivery[];
  /** What the service took. */
  messages: Message[];
  /** What was wrong with requests, whatever they were answered with. Tests expect none. */
  violations: string[];
  /** Each request takes one of these instead of the service's own answer, as long as there are any. */
  faults: Reply[];
  /** While set, every request that finds no fault gets this. */
  outage: Reply | null;
  /** Ends the connections that wait for an answer. */
  hangUp(): void;
  close(): Promise<void>;
}

/** Starts a service on loopback that judges every request, those that it answers with a fault as well. */
export async function startService<Message>(
  judge: (request: ServiceRequest) => Verdict<Message>,
): Promise<Service<Message>> {
  const consumer = await startConsumer((response, delivery) => {
    const { headers, body } = delivery;
    const url = new URL(delivery.url, service.origin);
    const verdict = judge({ method: response.req.method ?? '', url, headers, body });
    if (!verdict.ok) service.violations.push(verdict.violation);
    const fault = service.faults.shift() ?? service.outage;
    if (typeof fault === 'function') return fault(response, delivery);
    if (fault !== null) return void response.writeHead(fault).end();
    if (verdict.ok) service.messages.push(verdict.message);
    write(response, verdict.answer);
  });
  const service: Service<Message> = {
    origin: new URL(consumer.url).origin,
    requests: consumer.deliveries,
    messages: [],
    violations: [],
    faults: [],
    outage: null,
    hangUp: consumer.hangUp,
    close: consumer.close,
  };
  return service;
}

/** A fault that is worded as the service words it. */
export const answering =
  (answer: Answer): Reply =>
  (response) =>
    write(response, answer);

function write(response: ServerResponse, { status, headers = {}, body }: Answer): void {
  if (body === undefined) response.writeHead(status, headers).end();
  else if (typeof body === 'string') response.writeHead(status, { 'content-type': 'text/plain', ...headers }).end(body);
  else response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

export type ParsedJson = { ok: true; value: unknown } | { ok: false; why: string };

/** Reads a JSON body as strictly as it gets: UTF-8 without a flaw, and no half of a character in any string. */
export function strictJson({ headers, body }: ServiceRequest): ParsedJson {
  const contentType = headers['content-type'] ?? 'none';
  if (!/^application\/json(; ?charset=utf-8)?$/i.test(contentType))
    return { ok: false, why: `the content type is ${contentType}` };
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body);
    const value: unknown = JSON.parse(text, (key, part: unknown) => {
      for (const found of [key, part])
        if (typeof found === 'string' && !found.isWellFormed()) throw new TypeError(`half a character below ${key}`);
      return part;
    });
    return { ok: true, value };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return { ok: false, why: error.message };
    throw error;
  }
}

/** `embeds.0.title must NOT have more than 256 characters`, one for each mistake that a schema found. */
export function mistakes(errors: ErrorObject[] | null | undefined): string[] {
  return (errors ?? []).map(({ instancePath, message, params }) => {
    const unknown = 'additionalProperty' in params ? ` (${params.additionalProperty})` : '';
    return `${dotted(instancePath)} ${message}${unknown}`.trim();
  });
}

/** `/embeds/0/title` as `embeds.0.title`. */
const dotted = (pointer: string) => pointer.slice(1).replaceAll('/', '.');

/** Every string anywhere inside, with the names that lead to it. */
export function stringsIn(value: unknown, path: string[] = []): { path: string[]; text: string }[] {
  if (typeof value === 'string') return [{ path, text: value }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) => stringsIn(part, [...path, key]));
}
