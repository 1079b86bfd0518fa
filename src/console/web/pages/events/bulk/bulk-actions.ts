import type { BulkJob } from '../../../api/types.ts';

/** The actions that are ordered for a selection of events. */
export type BulkAction = Exclude<BulkJob['action'], 'backfill'>;

/** What the buttons, the question and the job of each action say. */
export const bulkActions: Record<BulkAction, { label: string; question: string; explained: string; noun: string }> = {
  replay: {
    label: 'Replay',
    question: 'Replay',
    explained: 'Each gets ten more attempts, the first one at once. Delivered ones are delivered again.',
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
