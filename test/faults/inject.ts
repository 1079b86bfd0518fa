import { setTimeout as sleep } from 'node:timers/promises';
import { endWorkflows } from './end-workflows.ts';
import { sendOddSignals } from './odd-signals.ts';
import { pauseDeliveries } from './pause-deliveries.ts';
import type { Action, Fault, ProcessName } from './plan.ts';
import type { Stage } from './stage.ts';
import { sendWrongTokens } from './wrong-tokens.ts';

/** A fault that was injected, with the times of this process in milliseconds since 1970. */
export interface Injected extends Fault {
  beganMs: number;
  /** When the fault ended: a killed process has been started again, not necessarily finished starting. */
  endedMs: number;
}

/** Injects the faults at their times and returns them after the last one has ended. */
export async function injectFaults(stage: Stage, faults: readonly Fault[]): Promise<Injected[]> {
  const startedMs = performance.now();
  return Promise.all(
    faults.map(async (fault) => {
      await sleep(Math.max(0, fault.atMs - (performance.now() - startedMs)));
      const beganMs = Date.now();
      const end = await begin(stage, fault.action);
      await sleep(fault.lastsMs);
      await end();
      return { ...fault, beganMs, endedMs: Date.now() };
    }),
  );
}

/** Begins a fault. Returns the function that ends it. */
async function begin(stage: Stage, action: Action): Promise<() => void | Promise<void>> {
  switch (action.do) {
    case 'kill': {
      const ends = await Promise.all(action.processes.map((name) => kill(stage, name)));
      return async () => void (await Promise.all(ends.map((end) => end())));
    }
    case 'stop': {
      const processes = action.processes.map(stage.processOf);
      for (const process of processes) process.freeze();
      return () => {
        for (const process of processes) process.thaw();
      };
    }
    case 'way': {
      const ways = action.ways.flatMap((name) => stage.ways.get(name) ?? []);
      for (const way of ways) way.begin(action.fault);
      return () => {
        for (const way of ways) way.end();
      };
    }
    case 'full-disk': {
      const { postgres } = stage;
      postgres.disk?.setFull(true);
      return async () => {
        postgres.disk?.setFull(false);
        // Without space for its log PostgreSQL ends, and its supervisor starts it again.
        await postgres.start();
      };
    }
    case 'clock': {
      const role = stage.roles.get(action.process);
      role?.setClock(action.offsetS);
      return () => role?.setClock(0);
    }
    case 'consumer':
      stage.consumer.mood = action.mood;
      return () => {
        stage.consumer.mood = null;
      };
    case 'odd-signals':
      return sendOddSignals(stage.temporal.port, stage.byHand);
    case 'end-workflows':
      return endWorkflows(stage.temporal.port, stage.byHand);
    case 'pause-deliveries':
      return pauseDeliveries(stage.apiUrls, stage.adminToken);
    case 'wrong-tokens':
      return sendWrongTokens(stage.apiUrls);
    default:
      return action satisfies never;
  }
}

async function kill(stage: Stage, name: ProcessName): Promise<() => void | Promise<void>> {
  if (name === 'postgres' || name === 'temporal') {
    const server = stage[name];
    await server.process.kill();
    return () => server.start();
  }
  const role = stage.roles.get(name);
  await role?.kill();
  return () => role?.start();
}
