import type { Header } from '../../../providers/inbound-request.ts';

/** A webhook before it is signed. */
export interface Message {
  body: Uint8Array;
  contentType: string;
  headers: readonly Header[];
  /** The time of signing. */
  at: Date;
  /** The base address that the provider posts to, and the path after it. */
  base: string;
  path: string;
  /** For schemes that sign an id of the message. */
  id: string;
}

/** What signing adds to a message. */
interface Signature {
  headers: Header[];
  /** Without its `?`; empty: none. */
  query?: string;
  /** Present if the signature is a part of the body. */
  body?: Uint8Array;
}

/** What a message is signed with. */
export interface SigningKey {
  /** The shared secret, or the private key in PEM. */
  secret: string;
  /** The account's `provider_config`. */
  config: Readonly<Record<string, unknown>>;
}

export type Signer = (message: Message, key: SigningKey) => Signature;

/** Seconds since 1970. */
export const seconds = ({ at }: Pick<Message, 'at'>): string => String(Math.floor(at.getTime() / 1000));
