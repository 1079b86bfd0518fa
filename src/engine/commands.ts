import type { Sql } from '../database/sql.ts';
import type { Log } from '../shared/log.ts';
import { Poller, type Round } from '../shared/poller.ts';
import {
  type Command,
  claimEventCommands,
  delayEventCommand,
  delayRefusedCommand,
  finishEventCommand,
} from './command-rows.ts';
import { EngineRefused, EngineUnavailable } from './engine-errors.ts';
import type { EngineLink } from './engine-link.ts';
import type { QueueWrites } from './queue-writes.ts';
import type { Startable } from './startable.ts';

/** Commands per claim. Operators give few commands, and this is also enough for their scripts. */
const maxClaim = 32;
/** Longer than a call to Temporal may take (3 s), so that a command is normally passed on once. */
const leaseS = 30;
const idleMs = 1_000;
const downDelayS = 1;
/** As often as commands are looked for. The event's first attempt is usually made by then. */
const replayedDelayS = 1;

/** Whether a replay has queued the event since it had this command. */
const isQueuedByReplay = (event: Startable, command: Command): boolean =>
  event.generation > command.generation &&
  event.startedGeneration < event.generation &&
  event.deliveryStatus === 'pending';

interface CommandsDeps {
  sql: Sql;
  engine: EngineLink;
  writes: QueueWrites;
  token: string;
  log: Log;
  /** Whether other processes see that this one is alive. Otherwise, nothing is claimed. */
  isAlive(): boolean;
}

/** Passes operators' commands on to the workflows of their events. */
export class Commands {
  readonly #deps: CommandsDeps;
  readonly #poller: Poller;

  constructor(deps: CommandsDeps) {
    this.#deps = deps;
    this.#poller = new Poller({ name: 'commands', idleMs, log: deps.log, work: () => this.#round() });
  }

  start(): void {
    this.#poller.start();
  }

  wake(): void {
    this.#poller.wake();
  }

  stop(): Promise<void> {
    return this.#poller.stop();
  }

  async #round(): Promise<Round> {
    const { sql, engine, token, isAlive } = this.#deps;
    if (!isAlive()) return 'idle';
    const limit = engine.room(maxClaim);
    if (limit === 0) return 'idle';
    const commands = await claimEventCommands(sql, { limit, token, leaseS });
    // Commands of one event are passed on one after another, so that they arrive in the order in which they were given.
    const events = Map.groupBy(commands, (command) => command.eventId);
    const delivered = await Promise.allSettled([...events.values()].map((group) => this.#deliver(group)));
    // Only now: the next round claims the commands of this process again.
    for (const one of delivered) if (one.status === 'rejected') throw one.reason;
    return commands.length === limit ? 'more' : 'idle';
  }

  async #deliver(commands: Command[]): Promise<void> {
    const { sql, engine, writes } = this.#deps;
    for (const command of commands) {
      try {
        const event = await writes.readForStart(command.eventId);
        // Commands of queued events wait (command-rows.ts). The retry would start the workflow of the replay's
        // generation, which would make the first attempt at the same time as an api.
        if (command.kind === 'retry' && event && isQueuedByReplay(event, command))
          return await delayEventCommand(sql, command, replayedDelayS);
        const runId = event ? await engine.call((e) => e.deliver(command, event)) : null;
        await finishEventCommand(sql, command, runId);
      } catch (error) {
        await this.#retryLater(command, error);
      }
    }
  }

  async #retryLater(command: Command, error: unknown): Promise<void> {
    const { sql, log } = this.#deps;
    if (error instanceof EngineUnavailable) return delayEventCommand(sql, command, downDelayS);
    const fields = { err: error, eventId: command.eventId, command: command.kind };
    if (!(error instanceof EngineRefused)) {
      log.error(fields, 'command not passed on, retrying');
      return delayEventCommand(sql, command, downDelayS);
    }
    const discarded = await delayRefusedCommand(sql, command);
    log.error(fields, discarded ? 'command discarded, Temporal has refused it for a day' : 'command refused, retrying');
  }
}
