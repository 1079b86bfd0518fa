/** What the gateway and the Temporal SDK say of a machine on which they have to wait. They go on by themselves. */
const busy = [
  '[TMPRL1104]',
  'connection for notifications lost, reconnecting',
  'poller round failed, retrying',
  // A process that has stood still for 4 s says so.
  'heartbeat late, other processes may have taken over claims of this one',
];

/** A log without the lines that a busy machine causes, for tests in which nothing fails and so nothing else is logged. */
export const withoutBusyLines = (log: string): string =>
  log
    .split('\n')
    .filter((line) => !busy.some((text) => line.includes(text)))
    .join('\n');
