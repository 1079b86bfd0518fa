import type { OperatorAction, PauseMet } from '../use-event.ts';

const texts: Record<OperatorAction['action'], string> = {
  replay: 'replayed it',
  retry: 'ordered an attempt',
  ack: 'acknowledged it',
  fail: 'marked it failed',
  dead: 'marked it dead',
};

/** What an operator did with an event, after the name. */
export const operatorText = ({ action, job_id }: OperatorAction): string =>
  job_id === null ? texts[action] : `${texts[action]}, with others`;

const pauseTexts: Record<PauseMet['paused'], string> = {
  everything: 'all deliveries',
  account: 'deliveries of the account',
  consumer: 'deliveries to the consumer',
};

/** What was paused. */
export const pausedText = ({ paused }: PauseMet): string => pauseTexts[paused];
