import type { Header } from '../../../src/providers/inbound-request.ts';

/** What is to be signed. */
export interface Message {
  body: Uint8Array;
  /** `application/json` unless it says otherwise. */
  contentType?: string;
  /** The moment of signing. */
  at: Date;
  /** The whole address that the provider posts to. */
  url: string;
}

/** A webhook as the provider would send it. */
export interface Signed {
  headers: Header[];
  body: Uint8Array;
  /** Where the body's signature changes it. */
  contentType?: string;
  /** What the provider puts behind the address, with its `?`. */
  query?: string;
}

/** A secret in both its roles; the same text for all but public keys. */
export interface Key {
  /** What the account gets as signing secret. */
  secret: string;
  sign(message: Message): Signed | Promise<Signed>;
}

/**
 * How a provider signs, by its official library or, where that only verifies, by its documentation and checked with the
 * library. Nothing here uses our own code: tests, the benchmark and the demo send with it.
 */
export interface Sample {
  /** As in the registry. */
  provider: string;
  /** `provider_config` that an account needs for this; `{}` if none. */
  config: Record<string, unknown>;
  newKey(): Key;
  /** A typical body of an event with that id, about 1 KB, and what it should be read as. */
  event(id: string): {
    body: string;
    contentType?: string;
    headers?: Header[];
    type: string | null;
    externalId: string;
  };
  /** Where the signature is: a header's name in lower case, in the body or in the address. */
  signature: { header: string } | 'body' | 'query';
  /** Whether each byte of the body is signed. */
  coversBody: boolean;
  /** Whether the time is signed, so that old webhooks are refused. */
  coversTime: boolean;
  /** Whether any bytes can be signed; not so where the signature is a part of the body. */
  anyBody: boolean;
  /** A signed webhook with another signature, or none (null) in place of its own. */
  withSignature(signed: Signed, change: (signature: string) => string | null): Signed;
}

/** {@link Sample.withSignature} for signatures that are a header's whole value, behind `prefix`. */
export function inHeader(name: string, prefix = ''): Sample['withSignature'] {
  return (signed, change) => ({
    ...signed,
    headers: signed.headers.flatMap(([header, value]): Header[] => {
      if (header.toLowerCase() !== name) return [[header, value]];
      const signature = change(value.slice(prefix.length));
      return signature === null ? [] : [[header, prefix + signature]];
    }),
  });
}
