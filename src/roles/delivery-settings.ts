import type { PermitMode } from '../dispatch/permits.ts';

/** How a worker delivers, as the environment says. */
export interface DeliverySettings {
  delaysMs: number[];
  timeLimitMs: number;
  allowedNetworks: string[];
  /** Inbound headers that are not forwarded, besides the built-in ones; `*` at the end stands for any rest. */
  droppedHeaders: string[];
  accountConcurrency: number;
  firstAttempt: PermitMode;
  firstAttemptPermits: number;
}
