import type { Measured } from './figures.ts';
import type { Stage } from './stage.ts';

/** The sizes of the scenarios. */
export interface ScenarioOptions {
  /** Events of a burst. */
  events: number;
  connections: number;
  /** Events a second, each a row. */
  rates: number[];
  /** How long each rate lasts. */
  seconds: number;
  /** Events that are accepted while deliveries are paused. */
  backlog: number;
  /** Events whose second attempt becomes due in a pause. */
  due: number;
  /** Accounts among which a burst is spread. */
  accounts: number;
  /** Bytes of a body, each a row. */
  bodies: number[];
  /** Consumers of the account of a burst, each a row. */
  consumers: number[];
  /** Events for the consumers that take seconds to answer. */
  slowEvents: number;
}

export interface Scenario {
  /** The exchange to compare it with: the same bodies and connections, without a gateway. Null: none. */
  bare: { connections: number; bytes: number } | null;
  /** Whether the gateway has delivered some events before. */
  warm: boolean;
  run(stage: Stage): Promise<Measured[]>;
}

/** The size of a body where a scenario is not about sizes. */
export const kilobyte = 1000;
