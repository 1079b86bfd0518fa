import { defineQuery, defineSignal } from '@temporalio/workflow';

// What travels through Temporal: ids, numbers and times. Payloads, secrets and error texts stay in PostgreSQL.
// Fields may be added here, never renamed or removed: running workflows carry the old shape.

/** How an event is attempted. Decided when the workflow starts, so that a changed setting leaves running ones alone. */
export interface DeliverySchedule {
  /** Nine delays between ten attempts, in milliseconds. */
  delaysMs: number[];
  /** Time limit of one attempt. */
  timeLimitMs: number;
  /** Least wait before an event of a disabled account is looked at again. */
  holdMs: number;
  /** How long such an event waits at most. */
  holdLimitMs: number;
}

/** Where a workflow begins, as the event's row has it: a lost history is rebuilt from this. */
interface Resume {
  /** Scheduled attempts that this generation has had. */
  attempts: number;
  /** ISO 8601; null is now. */
  nextAttemptAt: string | null;
  /** The delivery has ended: only retries are left to do, if there are any. */
  settled: boolean;
}

export interface DeliverEventInput {
  eventId: string;
  generation: number;
  schedule: DeliverySchedule;
  resume: Resume;
  /** Retries that an earlier generation's run had not served yet. */
  retries?: RetryRequest[];
  /** Notifications that an earlier run had not settled yet. */
  notifications?: NotificationRequest[];
}

/** A destination to be told that a generation of the event is exhausted. */
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

export const ackSignal = defineSignal<[AckRequest]>('ack');
export const failSignal = defineSignal<[FailRequest]>('fail');
export const retrySignal = defineSignal<[RetryRequest]>('retry');
export const replaySignal = defineSignal<[ReplayRequest]>('replay');
export const stateQuery = defineQuery<DeliveryState>('state');

/** What the workflow is doing, for the `state` query. */
export interface DeliveryState {
  eventId: string;
  generation: number;
  phase: 'attempting' | 'waiting' | 'notifying' | 'ended';
  /** Scheduled attempts made in this generation. */
  attempts: number;
  nextAttemptAt: string | null;
  /** Retries that wait for their turn. */
  retries: number;
  /** Destinations that are yet to be told. */
  notifications: number;
}

/** How a workflow ended. */
export interface DeliveryResult {
  outcome: 'delivered' | 'exhausted' | StopReason;
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

/** What the attempt activity is asked for. */
export interface AttemptRequest {
  eventId: string;
  generation: number;
  trigger: 'schedule' | 'manual';
  number: number;
  schedule: DeliverySchedule;
}

export type AttemptResult =
  | { kind: 'delivered' }
  /** Failed; the schedule's next one is due after `waitMs` (0 for a manual one, which changes no schedule). */
  | { kind: 'failed'; waitMs: number }
  /** The last scheduled attempt failed, or the account stayed disabled for too long: the delivery has failed for good. */
  | {
      kind: 'exhausted';
      attempted: boolean;
      /** Whom to tell; absent from histories that are older than notifications. */
      notifications?: NotificationRequest[];
    }
  /** Nothing was sent: the event needs no attempt any more. */
  | { kind: 'stopped'; reason: StopReason }
  /** Nothing was sent and nothing counted: ask for the same attempt again after `waitMs`. */
  | { kind: 'wait'; waitMs: number };

/** What the notification activities are asked for. */
export interface NotifyRequest {
  eventId: string;
  generation: number;
  destinationId: string;
}

/** `gone`: the event is not there any more. What was said, and why it failed, is on the event. */
export type NotifyResult = { status: 'sent' | 'failed' | 'suppressed' | 'gone' };

/** Each notification is an activity, named for its kind: the Web UI shows who is told, and how often it was tried. */
interface NotificationActivities {
  notifyWebhook(request: NotifyRequest): Promise<NotifyResult>;
  notifyEmail(request: NotifyRequest): Promise<NotifyResult>;
  notifyChatOne(request: NotifyRequest): Promise<NotifyResult>;
  notifyChatTwo(request: NotifyRequest): Promise<NotifyResult>;
}

/** The activities that the workflow asks for, by name. */
export interface DeliveryActivities extends NotificationActivities {
  attemptDelivery(request: AttemptRequest): Promise<AttemptResult>;
}
