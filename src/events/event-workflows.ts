/**
 * Which events get a workflow (EVENT_WORKFLOWS, docs/decisions/which-events-get-a-workflow.md):
 *
 * - `always`: every event
 * - `on_retry`: events that need more than the first attempt: it failed or was held, or an operator requested a retry
 */
export const eventWorkflows = ['always', 'on_retry'] as const;
export type EventWorkflows = (typeof eventWorkflows)[number];
