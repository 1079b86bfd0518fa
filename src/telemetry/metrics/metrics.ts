/**
 * What happened to a webhook. `rejected`: it failed verification; `refused`: it was not stored for another reason, such
 * as an unknown address, its size or an unavailable database.
 */
export const webhookResults = ['accepted', 'duplicate', 'rejected', 'refused'] as const;
export type WebhookResult = (typeof webhookResults)[number];

/** The result of one try to send a notification. `retried`: it failed, and another try follows. */
export const notificationResults = ['sent', 'retried', 'failed'] as const;
type NotificationResult = (typeof notificationResults)[number];

/** What the sweep did about a stuck workflow. `left`: it was not ended, because there are too many, or it was too often. */
export const stuckResults = ['ended', 'left'] as const;
type StuckResult = (typeof stuckResults)[number];

/** What a person did to a workflow in Temporal. `signal`: ended it with a signal that the gateway had not sent. */
export const handResults = ['cancelled', 'terminated', 'reset', 'signal'] as const;
type HandResult = (typeof handResults)[number];

/**
 * What the code reports about itself while it works. Each call is an increment in memory: it takes about a microsecond,
 * never waits and never throws. Times are in milliseconds. docs/metrics.md describes what is made of them.
 */
export interface Metrics {
  /** A webhook was answered. An unknown provider is counted without its name, because any client can choose it. */
  webhookAnswered(provider: string, result: WebhookResult, durationMs: number): void;
  /** A webhook failed verification. It is also counted as answered. */
  webhookRejected(reason: string): void;
  /** Webhooks were stored together, in one statement. */
  batchStored(webhooks: number): void;
  /** The first scheduled attempt of an event began so long after its receipt, or after its replay. */
  firstAttemptBegan(delayMs: number): void;
  /** An attempt was made. `durationMs` is null when there was nothing to send a request to. */
  attemptMade(outcome: string, durationMs: number | null): void;
  /** A request was sent, on a connection that had served another one or on a new one. */
  requestSent(reused: boolean): void;
  /** The last attempt of an event has failed, or its account was disabled for too long. */
  deliveryExhausted(): void;
  /** Another process has taken over an event that this one still worked on. */
  claimLost(): void;
  /** A sweep has found so many workflows whose task fails again and again. */
  workflowsStuck(result: StuckResult, workflows: number): void;
  /** A person has ended the workflow of a pending event in Temporal, and the row or the workflow was repaired. */
  workflowEndedByHand(by: HandResult): void;
  /** One try to send a notification has ended. */
  notificationTried(channel: string, result: NotificationResult): void;
}

/** Measures nothing: for the warm-up, whose webhooks are not real. */
export const unmeasured: Metrics = {
  webhookAnswered: () => undefined,
  webhookRejected: () => undefined,
  batchStored: () => undefined,
  firstAttemptBegan: () => undefined,
  attemptMade: () => undefined,
  requestSent: () => undefined,
  deliveryExhausted: () => undefined,
  claimLost: () => undefined,
  workflowsStuck: () => undefined,
  workflowEndedByHand: () => undefined,
  notificationTried: () => undefined,
};
