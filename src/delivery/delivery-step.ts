import type { FailureOutcome } from './failure.ts';

/** The steps of a delivery, in their order. */
export type DeliveryStep =
  | 'settings'
  | 'name'
  | 'address'
  | 'proxy'
  | 'connection'
  | 'tls'
  | 'token'
  | 'answer'
  | 'status';

/** A timeout is one of the connection or of the answer. */
const steps: Record<Exclude<FailureOutcome, 'timeout'>, DeliveryStep> = {
  invalid_url: 'settings',
  dns_failure: 'name',
  address_refused: 'address',
  proxy_error: 'proxy',
  connection_refused: 'connection',
  connection_error: 'connection',
  tls_error: 'tls',
  token_error: 'token',
};

/**
 * The step at which a request has failed.
 *
 * @param outcome of a request that was not delivered, as in a delivery history.
 * @param connected whether a connection was made.
 */
export function stepOf(outcome: string, connected: boolean): DeliveryStep {
  if (outcome === 'http_error') return 'status';
  const step = outcome in steps ? steps[outcome as keyof typeof steps] : 'connection';
  return connected && step === 'connection' ? 'answer' : step;
}
