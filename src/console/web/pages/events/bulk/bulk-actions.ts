import type { BulkJob } from '../../../api/types.ts';

/** The actions that are ordered for a selection of events. */
export type BulkAction = Exclude<BulkJob['action'], 'backfill'>;

/** What the buttons, the question and the job of each action say. */
export const bulkActions: Record<BulkAction, { label: string; question: string; explained: string; noun: string }> = {
  replay: {
    label: 'Replay',
    question: 'Replay',
    explained: 'The schedule of each begins again, with an attempt at once. Delivered ones are delivered again.',
    noun: 'Replay',
  },
  retry: {
    label: 'Retry now',
    question: 'Retry',
    explained: 'Each gets one attempt now. Dead and rejected ones are left out.',
    noun: 'Retry',
  },
  ack: {
    label: 'Acknowledge',
    question: 'Acknowledge',
    explained: 'They count as processed, and their attempts stop.',
    noun: 'Acknowledgement',
  },
  dead: {
    label: 'Mark dead',
    question: 'Mark dead:',
    explained: 'Their attempts stop, and no notification is sent. Only a replay starts new attempts.',
    noun: 'Marking as dead',
  },
};

/** What a job does, as its heading. */
export const jobNoun = ({ action, consumer }: Pick<BulkJob, 'action' | 'consumer'>) =>
  action === 'backfill' ? `Backfill of ${consumer}` : bulkActions[action].noun;

export const bulkActionNames = Object.keys(bulkActions) as BulkAction[];

/** Whether the action makes attempts, so that it can have a pace. */
export const isPaced = (action: BulkAction) => action === 'replay' || action === 'retry';

/** Why events were left out, by the reason of the API: a sentence whose subject is their number. */
export const skipTexts: Readonly<Record<string, string>> = {
  not_found: 'did not exist any more: their retention has ended',
  no_longer_matches: 'had changed when the job reached them',
  event_rejected: 'rejected at their receipt',
  event_skipped: 'wanted by no consumer',
  event_dead: 'marked dead',
  account_deleted: 'of a deleted account',
  consumer_deleted: 'of a deleted consumer',
  account_disabled: 'of a disabled account',
  consumer_disabled: 'of a disabled consumer',
  delivery_paused: 'while deliveries were paused',
  consumer_paused: 'of a paused account or consumer',
};
