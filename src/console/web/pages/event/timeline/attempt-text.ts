import type { Attempt } from '../use-event.ts';

/** `500`, or `timeout` of an attempt without an answer. */
export const attemptText = ({ response_code, outcome }: Pick<Attempt, 'response_code' | 'outcome'>): string =>
  response_code === null ? outcome.replaceAll('_', ' ') : String(response_code);
