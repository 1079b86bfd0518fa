import type { BacklogLimit } from '../engine/backlog-watch.ts';
import type { EventWorkflows } from '../events/event-workflows.ts';

/** The settings for deliveries, from the environment. */
export interface DeliverySettings {
  delaysMs: number[];
  timeLimitMs: number;
  allowedNetworks: string[];
  /** Inbound headers that are not forwarded, in addition to the built-in ones; a final `*` matches any rest. */
  droppedHeaders: string[];
  accountConcurrency: number;
  eventWorkflows: EventWorkflows;
  eventWorkflowsBacklog: BacklogLimit;
}
