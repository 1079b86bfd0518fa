import type { ServerResponse } from 'node:http';
import type { ErrorObject } from 'ajv';
import { type Delivery, type Reply, startConsumer } from '../consumer.ts';

/** An answer in the form of the service. An object is sent as JSON. */
export interface Answer {
  status: number;
  headers?: Record<string, string>;
  body?: string | object;
}

export interface ServiceRequest {
  method: string;
  /** The URL with its query. */
  url: URL;
  headers: Delivery['headers'];
  body: Buffer;
}

/** The decision of a service on a request. */
export type Verdict<Message> =
  | { ok: true; message: Message; answer: Answer }
  /** `violation` says which rule of the published format was broken, and where. */
  | { ok: false; violation: string; answer: Answer };

export interface Service<Message> {
  origin: string;
  /** All requests, oldest first. */
  requests: Delivery[];
  /** The accepted messages. */
  messages: Message[];
  /** The broken rules of all requests, also of those answered with a fault. Tests expect none. */
  violations: string[];
  /** Answers that replace the service's own: each request takes one, as long as there are any. */
  faults: Reply[];
  /** If set, the answer to every request without a fault. */
  outage: Reply | null;
  /** Closes the connections that wait for an answer. */
  hangUp(): void;
  close(): Promise<void>;
}

/** Starts a service on loopback that validates every request, also those that it answers with a fault. */
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

/** A fault in the form of the service. */
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

/** Parses a JSON body strictly: it must be valid UTF-8, without lone surrogates in any string. */
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

/** One line for each error of a schema: `embeds.0.title must NOT have more than 256 characters`. */
export function mistakes(errors: ErrorObject[] | null | undefined): string[] {
  return (errors ?? []).map(({ instancePath, message, params }) => {
    const unknown = 'additionalProperty' in params ? ` (${params.additionalProperty})` : '';
    return `${dotted(instancePath)} ${message}${unknown}`.trim();
  });
}

/** `/embeds/0/title` as `embeds.0.title`. */
const dotted = (pointer: string) => pointer.slice(1).replaceAll('/', '.');

/** All strings in a value, with their paths. */
export function stringsIn(value: unknown, path: string[] = []): { path: string[]; text: string }[] {
  if (typeof value === 'string') return [{ path, text: value }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) => stringsIn(part, [...path, key]));
}
