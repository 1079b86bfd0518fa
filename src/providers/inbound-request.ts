import { hash } from 'node:crypto';
import { isWithinBounds, type JsonBounds, parsedJson, webhookBounds } from '../shared/bounded-json.ts';
import { utf8Text } from '../shared/text.ts';

export type Header = [name: string, value: string];

/** Providers send a few dozen fields. 1 MiB can hold half a million, which took 5 s to read (measured). */
const maxFormFields = 1000;

/**
 * Bounds for bodies that contain their own signature, and so are parsed before verification. Such notifications have a
 * few hundred values and less than ten levels. 1 MiB of JSON takes up to 100 ms to parse (measured), and anyone can
 * send it.
 */
const unverifiedBounds: JsonBounds = { levels: 50, values: 5_000 };

export type InboundRequestInput = {
  /** Node's `IncomingMessage.rawHeaders`: alternating names and values, in the order and case as sent. */
  rawHeaders: readonly string[];
  /** The request target: path and query as sent, such as `/twilio/shop?a=%20b`. */
  target: string;
  /** The public origin of the gateway, without a trailing slash; null: derived from the request's `Host` header. */
  publicUrl: string | null;
  /** The bytes as received. */
  body: Uint8Array;
  receivedAt: Date;
};

/**
 * One inbound webhook, with everything that a provider may read. Created by {@link inboundRequest}.
 *
 * Derived values are computed on first use and cached: ingestion processes thousands of webhooks per second on one
 * core, and most of these values are never used.
 */
export class InboundRequest {
  readonly body: Uint8Array;
  readonly receivedAt: Date;
  readonly #rawHeaders: readonly string[];
  readonly #target: string;
  readonly #rawQuery: string;
  readonly #publicUrl: string | null;
  #valuesByName: Map<string, string[]> | undefined;
  #query: URLSearchParams | undefined;
  #form: { value: URLSearchParams | null } | undefined;
  #text: string | null | undefined;
  #json: { value: unknown } | undefined;
  #isSmall: boolean | undefined;
  #bodyHash: string | undefined;

  constructor(input: InboundRequestInput) {
    this.body = input.body;
    this.receivedAt = input.receivedAt;
    this.#rawHeaders = input.rawHeaders;
    this.#target = input.target;
    const mark = input.target.indexOf('?');
    this.#rawQuery = mark < 0 ? '' : input.target.slice(mark + 1);
    this.#publicUrl = input.publicUrl;
  }

  /** All headers, including repeated ones, in the order and case as sent. */
  get headers(): Header[] {
    const headers: Header[] = [];
    for (let at = 0; at + 1 < this.#rawHeaders.length; at += 2) {
      headers.push([this.#rawHeaders[at] ?? '', this.#rawHeaders[at + 1] ?? '']);
    }
    return headers;
  }

  /** The first value of the header `name` (case-insensitive), or null. */
  header(name: string): string | null {
    return this.headerValues(name)[0] ?? null;
  }

  /** All values of the header `name` (case-insensitive), decoded as latin1 by Node: one character for each byte. */
  headerValues(name: string): readonly string[] {
    this.#valuesByName ??= groupByName(this.#rawHeaders);
    return this.#valuesByName.get(name.toLowerCase()) ?? [];
  }

  /**
   * The URL that the sender used: the gateway's public origin, or `base`, followed by path and query as sent.
   *
   * @param base without a trailing slash; for accounts whose webhooks arrive through another public address.
   */
  url(base?: string): string {
    return (base ?? this.#publicUrl ?? `http://${this.header('host') ?? 'localhost'}`) + this.#target;
  }

  /** The query's parameters, decoded. */
  get query(): URLSearchParams {
    this.#query ??= new URLSearchParams(this.#rawQuery);
    return this.#query;
  }

  /**
   * All values of the query parameter `name`. A value with an unencoded `+` is returned twice, with a space and with a
   * plus: users who paste a base64 secret into a URL rarely percent-encode it.
   */
  queryValues(name: string): readonly string[] {
    const values = this.query.getAll(name);
    if (!this.#rawQuery.includes('+')) return values;
    return [...values, ...new URLSearchParams(this.#rawQuery.replaceAll('+', '%2B')).getAll(name)];
  }

  /** The body as text without a byte order mark; null when it is not UTF-8. */
  text(): string | null {
    if (this.#text === undefined) this.#text = utf8Text(this.body);
    return this.#text;
  }

  /** The fields of a form (`application/x-www-form-urlencoded`); null for other types and for over 1000 fields. */
  form(): URLSearchParams | null {
    return /^\s*application\/x-www-form-urlencoded\s*(?:;|$)/i.test(this.header('content-type') ?? '')
      ? this.bodyAsForm()
      : null;
  }

  /** The body parsed as a form, for any content type; null when it is not UTF-8 or has over 1000 fields. */
  bodyAsForm(): URLSearchParams | null {
    this.#form ??= { value: this.#parseForm() };
    return this.#form.value;
  }

  #parseForm(): URLSearchParams | null {
    const text = this.text();
    return text === null || hasMoreFields(text, maxFormFields) ? null : new URLSearchParams(text);
  }

  /**
   * The body parsed as JSON, for any content type; undefined when it is not JSON or has over 500 levels. Use only
   * after verification; before it, use {@link unverifiedJson}.
   */
  json(): unknown {
    this.#json ??= { value: this.#parseJson() };
    return this.#json.value;
  }

  /** Like {@link json}, for use during verification: also undefined for a body with over 50 levels or 5,000 values. */
  unverifiedJson(): unknown {
    this.#isSmall ??= isWithinBounds(this.body, unverifiedBounds);
    return this.#isSmall ? this.json() : undefined;
  }

  #parseJson(): unknown {
    if (this.body.length === 0 || !isWithinBounds(this.body, webhookBounds)) return undefined;
    const text = this.text();
    return text === null ? undefined : parsedJson(text);
  }

  /** SHA-256 of the body's bytes, 64 hexadecimal digits. */
  bodyHash(): string {
    this.#bodyHash ??= hash('sha256', this.body, 'hex');
    return this.#bodyHash;
  }
}

/** Wraps a received request. Parses nothing until a value is first used. Never throws. */
export function inboundRequest(input: InboundRequestInput): InboundRequest {
  return new InboundRequest(input);
}

function hasMoreFields(form: string, limit: number): boolean {
  let count = 1;
  for (let at = form.indexOf('&'); at >= 0; at = form.indexOf('&', at + 1)) {
    count++;
    if (count > limit) return true;
  }
  return false;
}

function groupByName(rawHeaders: readonly string[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? '').toLowerCase();
    const value = rawHeaders[at + 1] ?? '';
    const group = groups.get(name);
    if (group) group.push(value);
    else groups.set(name, [value]);
  }
  return groups;
}
