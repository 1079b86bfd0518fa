import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import { isWithinBounds, type JsonBounds, webhookBounds } from '../shared/bounded-json.ts';

export type Header = [name: string, value: string];

/** Providers send a few dozen. The half million that 1 MiB can hold took 5 s to read (measured), verified or not. */
const maxFormFields = 1000;

/**
 * For bodies that hold their own signature. Notifications of such providers have some hundred values and less than ten
 * levels; a MiB of more takes up to 100 ms to parse (measured), and anyone can send it.
 */
const unverifiedBounds: JsonBounds = { levels: 50, values: 5_000 };

export type InboundRequestInput = {
  /** Node's `IncomingMessage.rawHeaders`: names and values by turns, order and case as sent. */
  rawHeaders: readonly string[];
  /** What was asked for: path and query as sent, as in `/twilio/shop?a=%20b`. */
  target: string;
  /** Where the gateway is reached from outside, without a slash at the end; null: by the `Host` of the request. */
  publicUrl: string | null;
  /** The bytes as received. */
  body: Uint8Array;
  receivedAt: Date;
};

/**
 * One webhook as it came in: all that a provider may look at. Made by {@link inboundRequest}.
 *
 * Whatever has to be computed is computed at the first question and kept: ingestion answers thousands of these a
 * second on one core, and most questions are never asked of most requests.
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

  /** Every header in the order and case in which it came, repeated ones included. */
  get headers(): Header[] {
    const headers: Header[] = [];
    for (let at = 0; at + 1 < this.#rawHeaders.length; at += 2) {
      headers.push([this.#rawHeaders[at] ?? '', this.#rawHeaders[at + 1] ?? '']);
    }
    return headers;
  }

  /** The first value of the header `name` (any case), or null. */
  header(name: string): string | null {
    return this.headerValues(name)[0] ?? null;
  }

  /** Every value of the header `name` (any case), as Node hands it out: one character a byte. */
  headerValues(name: string): readonly string[] {
    this.#valuesByName ??= groupByName(this.#rawHeaders);
    return this.#valuesByName.get(name.toLowerCase()) ?? [];
  }

  /**
   * The address that the sender used: that of the gateway, or `base`, followed by path and query as sent.
   *
   * @param base without a slash at the end; for accounts whose webhooks take another way than the gateway's own.
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
   * Every value of the query parameter `name`; one that holds a bare `+` is there twice, as a space and as a plus.
   * Whoever pastes a base64 secret into a URL seldom percent-encodes it.
   */
  queryValues(name: string): readonly string[] {
    const values = this.query.getAll(name);
    if (!this.#rawQuery.includes('+')) return values;
    return [...values, ...new URLSearchParams(this.#rawQuery.replaceAll('+', '%2B')).getAll(name)];
  }

  /** The body as text without a byte order mark, or null when it is not UTF-8. */
  text(): string | null {
    if (this.#text === undefined) this.#text = isUtf8(this.body) ? new TextDecoder().decode(this.body) : null;
    return this.#text;
  }

  /** The fields of a form (`application/x-www-form-urlencoded`), or null when the body is none or has over 1000 fields. */
  form(): URLSearchParams | null {
    return /^\s*application\/x-www-form-urlencoded\s*(?:;|$)/i.test(this.header('content-type') ?? '')
      ? this.bodyAsForm()
      : null;
  }

  /** The body read as a form whatever its content type says, or null when it is not UTF-8 or has over 1000 fields. */
  bodyAsForm(): URLSearchParams | null {
    this.#form ??= { value: this.#parseForm() };
    return this.#form.value;
  }

  #parseForm(): URLSearchParams | null {
    const text = this.text();
    return text === null || hasMoreFields(text, maxFormFields) ? null : new URLSearchParams(text);
  }

  /**
   * The body parsed as JSON whatever its content type says, or undefined when it is none or has over 500 levels. For what
   * is asked once the sender is verified.
   */
  json(): unknown {
    this.#json ??= { value: this.#parseJson() };
    return this.#json.value;
  }

  /** The same for verification itself: undefined, too, for a body with over 50 levels or 5,000 values. */
  unverifiedJson(): unknown {
    this.#isSmall ??= isWithinBounds(this.body, unverifiedBounds);
    return this.#isSmall ? this.json() : undefined;
  }

  #parseJson(): unknown {
    if (this.body.length === 0 || !isWithinBounds(this.body, webhookBounds)) return undefined;
    const text = this.text();
    if (text === null) return undefined;
    try {
      return JSON.parse(text);
    } catch {
      return undefined;
    }
  }

  /** SHA-256 of the body's bytes, 64 hexadecimal digits. */
  bodyHash(): string {
    this.#bodyHash ??= hash('sha256', this.body, 'hex');
    return this.#bodyHash;
  }
}

/** Wraps what the HTTP side received; does no work before the first question. Never throws. */
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
