/** A run that a person has asked Temporal to cancel. */
export interface Cancellation {
  eventId: string;
  runId: string;
}

/** What was done to the workflows of events as a person does it in Temporal's Web UI. The checks count it as intended. */
export interface ByHand {
  cancellations: Cancellation[];
  /** Events whose workflow was terminated, reset or cancelled. */
  ended: Set<string>;
  /** Events whose workflow was sent a signal that the gateway sends, too. */
  signalled: Set<string>;
}

export const nothingByHand = (): ByHand => ({ cancellations: [], ended: new Set(), signalled: new Set() });

export const eventOf = (workflowId: string) => workflowId.slice('event-'.length);
