import { defineQuery, defineSignal } from '@temporalio/workflow';

// The data that passes through Temporal: ids, numbers and times. Payloads, secrets and error texts stay in PostgreSQL.
// Fields may be added here, but never renamed or removed: running workflows have the old shape.

/**
 * The delivery schedule. It is fixed when the workflow starts, so a changed setting does not affect running workflows.
 */
export interface DeliverySchedule {
  /** Nine delays between ten attempts, in milliseconds. */
  delaysMs: number[];
  /** The time limit of one attempt. */
  timeLimitMs: number;
  /** Read by workers of the release before only: when an event of a disabled account is checked again, and for how long. */
  holdMs: number;
  holdLimitMs: number;
}

/** The state from which a workflow continues, read from the event's row, so that a lost history can be replaced. */
interface Resume {
  /** The scheduled attempts made in this generation. */
  attempts: number;
  /** ISO 8601; null means now. */
  nextAttemptAt: string | null;
  /** Whether the delivery has ended. Then only operators' retries are left to do. */
  settled: boolean;
  /**
   * The row's delivery status, which the search attributes say, too. Absent in workflows that an earlier release started:
   * these update their search attributes only after a failed attempt.
   */
  deliveryStatus?: DeliveryStatus;
  /** The latest scheduled attempt of this generation, for people. Absent if there was none. */
  lastAttempt?: LastAttempt;
}

export type DeliveryStatus = 'pending' | 'delivered' | 'failed';

export interface DeliverEventInput {
  eventId: string;
  generation: number;
  schedule: DeliverySchedule;
  resume: Resume;
  /** Retries that an earlier run has not made yet. */
  retries?: RetryRequest[];
  /** Notifications that an earlier run has not settled yet. */
  notifications?: NotificationRequest[];
  /** Temporal refuses the search attributes, so the workflow was started without them and must not update them. */
  withoutSearchAttributes?: true;
}

/** A notification that a generation of the event is exhausted. */
export interface NotificationRequest {
  generation: number;
  destinationId: string;
  destinationType: 'webhook' | 'email' | 'chat_one' | 'chat_two';
}

export interface RetryRequest {
  generation: number;
  /** The manual attempt's number within its generation. */
  number: number;
}

export interface ReplayRequest {
  generation: number;
  schedule: DeliverySchedule;
  resume: Resume;
}

export interface AckRequest {
  generation: number;
}

export interface FailRequest {
  generation: number;
  /** True ends the attempts. */
  dead: boolean;
  /** The account was deleted; implies `dead`. */
  accountDeleted?: boolean;
}

/** The type of the failure with which the workflow of an exhausted delivery ends. Its details are the `DeliveryResult`. */
export const exhaustedFailure = 'DeliveryExhausted';

export const ackSignal = defineSignal<[AckRequest]>('ack');
export const failSignal = defineSignal<[FailRequest]>('fail');
export const retrySignal = defineSignal<[RetryRequest]>('retry');
export const replaySignal = defineSignal<[ReplayRequest]>('replay');
export const stateQuery = defineQuery<DeliveryState>('state');

/** The current state of the workflow: the result of the query `state`. */
export interface DeliveryState {
  eventId: string;
  generation: number;
  phase: 'attempting' | 'waiting' | 'notifying' | 'ended';
  /** Scheduled attempts made in this generation. */
  attempts: number;
  nextAttemptAt: string | null;
  /** The number of retries that are not made yet. */
  retries: number;
  /** The number of notifications that are not settled yet. */
  notifications: number;
}

/** The result of a workflow. */
export interface DeliveryResult {
  outcome: 'delivered' | 'exhausted' | StopReason;
  /** How the delivery ended before or without this run, where `outcome` is `already_settled`. */
  deliveryStatus?: DeliveryStatus;
  generation: number;
  attempts: number;
}

export type StopReason =
  | 'acknowledged'
  | 'dead'
  | 'account_deleted'
  | 'account_disabled'
  | 'superseded'
  | 'already_settled'
  | 'event_gone';

/** The input of the attempt activity. */
export interface AttemptRequest {
  eventId: string;
  generation: number;
  trigger: 'schedule' | 'manual';
  number: number;
  schedule: DeliverySchedule;
}

/** What operators read in the history of an attempt that was made. Absent where nothing was sent or it was recorded before. */
export interface Answer {
  /** As `outcome` of an attempt in the admin API. */
  outcome?: string;
  /** The status code of HTTP; absent without a response. */
  responseCode?: number;
  durationMs?: number;
}

/** An attempt that was made before the workflow started. */
export interface LastAttempt extends Answer {
  number: number;
  /** ISO 8601. */
  at: string;
}

/** What an attempt waits for; `account_disabled` and, for scheduled attempts, `paused` only in activities of the release before. */
export type WaitReason = 'paused' | 'account_disabled' | 'slots' | 'elsewhere';

export type AttemptResult = Answer &
  (
    | { kind: 'delivered' }
    /**
     * The attempt failed. The next scheduled one is due after `waitMs` (0 for a manual one, which changes no schedule).
     */
    | { kind: 'failed'; waitMs: number }
    /** The delivery is exhausted: the last scheduled attempt failed, or the account was disabled for too long. */
    | {
        kind: 'exhausted';
        attempted: boolean;
        /** The workflow ends as failed. Absent in histories from before it existed, in which it has completed. */
        endsAs?: 'failed';
        /** The notifications to send; absent: none. */
        notifications?: NotificationRequest[];
      }
    /**
     * Nothing was sent, because the event needs no further attempt. `deliveryStatus` is that of the row, for the reason
     * `already_settled`; absent in histories from before it existed.
     */
    | {
        kind: 'stopped';
        reason: StopReason;
        deliveryStatus?: DeliveryStatus;
        /** The event is due and waits in the queue of the gateway, which starts another run afterwards. */
        waitsFor?: 'paused' | 'account_disabled' | 'consumer_disabled';
      }
    /** Nothing was sent or counted. Request the same attempt again after `waitMs`. */
    | { kind: 'wait'; waitMs: number; reason?: WaitReason }
  );

/** The input of the notification activities. */
export interface NotifyRequest {
  eventId: string;
  generation: number;
  destinationId: string;
}

/** The result of a notification. `gone`: the event was deleted. Responses and errors are stored with the event. */
export type NotifyResult = { status: 'sent' | 'failed' | 'suppressed' | 'gone' };

/** One activity for each type of destination, so that the Web UI shows the type and the number of tries. */
interface NotificationActivities {
  notifyWebhook(request: NotifyRequest): Promise<NotifyResult>;
  notifyEmail(request: NotifyRequest): Promise<NotifyResult>;
  notifyChatOne(request: NotifyRequest): Promise<NotifyResult>;
  notifyChatTwo(request: NotifyRequest): Promise<NotifyResult>;
}

/** The activities of the delivery workflow, by name. */
export interface DeliveryActivities extends NotificationActivities {
  attemptDelivery(request: AttemptRequest): Promise<AttemptResult>;
}
