/** A cause of the gateway's own incidents, as a part of a sentence, without the name of a disk. */
export type NamedGatewayCause =
  | 'Temporal does not answer'
  | 'the database did not answer'
  | 'the database is slow'
  | 'no worker runs'
  | 'starts of workflows fall behind'
  | 'an event has been pending for more than 4.5 hours'
  | 'no backup has completed for 36 hours'
  | 'tables for fewer than 3 days are prepared'
  | 'a client certificate of a consumer expires within 14 days';

/**
 * What can be wrong with the gateway itself, without numbers that change. The console says of each what to do
 * (`gateway-advice.ts`).
 */
export type GatewayCause = NamedGatewayCause | `the disk at ${string} is nearly full`;
