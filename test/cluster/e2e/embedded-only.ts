const tracing =
  'it turns tracing on and off in its own process, and the gateway runs in others: test/process/traces.test.ts';

/** End-to-end tests that cannot run on a cluster, by their full name, with the reason. */
export const embeddedOnly: readonly { name: string; why: string }[] = [
  {
    name: 'an event links to its workflow in the Web UI for as long as Temporal keeps it',
    why: 'the Temporal server has no Web UI: that is a program of its own',
  },
  {
    name: 'headers that proxies set are stored with the event but not delivered',
    why: 'it plays a proxy, and the balancer replaces what a proxy says of the client',
  },
  ...[
    'while tracing is off, the trace headers of a sender are forwarded, and nothing is stored or sent',
    'always_on: an unsampled webhook is linked to by sampled attempts',
    'TRACE_CONTINUE_INBOUND: the webhook continues the trace of its sender, the attempt does not',
    'notifications link to the webhook and show no address',
    'a refused webhook and a duplicate have spans; a refusal is no failure',
  ].map((name) => ({ name, why: tracing })),
];
