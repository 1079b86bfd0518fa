import { Client } from '@temporalio/client';
import { WorkflowEngine } from '../../src/engine/workflow-engine.ts';
import { createLog } from '../../src/shared/log.ts';
import { connectTemporal } from '../../src/temporal/connection.ts';
import { connectLazily } from '../../src/temporal/lazy-connection.ts';
import { createQueueWorkers, runTogether, shutDown } from '../../src/temporal/queue-workers.ts';
import { installRuntime } from '../../src/temporal/runtime.ts';
import { registerSearchAttributes } from '../../src/temporal/search-attributes.ts';
import { bundleWorkflows } from '../../src/temporal/workflow-bundle.ts';
import { cpuColumns, cpuTimes } from './cpu.ts';
import { type Shape, schedule, shapes } from './floor/shapes.ts';
import { temporaryTemporal } from './processes.ts';
import { type BenchResult, ms, percentile } from './report.ts';
import { temporalSettings } from './settings.ts';

export interface FloorOptions {
  /** Names of `shapes`. */
  shapes: readonly string[];
  /** Of each shape. */
  workflows: number;
  /** Between two attempts of an event. */
  delayMs: number;
}

const warmUpWorkflows = 100;
const pollMs = 250;
const namespace = 'default';
/** How long the workflows may take beyond the delays of their schedule. */
const limitMs = 600_000;

/**
 * Measures what the workflow of an event costs in Temporal and in the worker: the gateway's own workflow, client and
 * worker, with attempts that do nothing. The gateway's column has the client and the worker.
 */
export async function benchFloor(options: FloorOptions): Promise<BenchResult> {
  installRuntime(createLog('warn'));
  const rows: BenchResult['rows'] = [];
  for (const shape of options.shapes) rows.push(await benchShape(shape, options));
  return { settings: temporalSettings, rows };
}

async function benchShape(name: string, { workflows, delayMs }: FloorOptions): Promise<BenchResult['rows'][number]> {
  const shape = shapes[name]?.(delayMs);
  if (shape === undefined) throw new Error(`there is no shape '${name}': ${Object.keys(shapes).join(', ')}`);
  const log = createLog('warn');
  const temporal = await temporaryTemporal(28234);
  const options = { address: temporal.address, namespace, taskQueue: 'floor', apiKey: null, tls: false };
  const [connection, ownConnection] = [await connectTemporal(options), connectLazily(options)];
  try {
    await registerSearchAttributes(connection, namespace, log);
    const workers = await createQueueWorkers(connection, {
      ...{ temporal: options, purposes: ['deliveries'], build: null },
      activities: activitiesOf(shape),
      workflowBundle: await bundleWorkflows({ cacheDir: null, log }),
      onEnd: () => undefined,
    });
    const ended = runTogether(workers);
    const engine = new WorkflowEngine({
      ...{ connection, ownConnection, namespace, taskQueue: options.taskQueue },
      ...{
        schedule: schedule(delayMs),
        eventLink: (id: string) => `http://127.0.0.1:3000/dashboard/events/${id}`,
        log,
      },
    });
    try {
      const run = new Run({ client: new Client({ connection: ownConnection }), engine, shape, delayMs });
      console.error(`floor: ${workflows} workflows, ${name}`);
      await run.workflows(Math.min(warmUpWorkflows, workflows));
      return { shape: name, workflows, ...(await run.workflows(workflows)) };
    } finally {
      shutDown(workers);
      await ended;
    }
  } finally {
    await Promise.all([connection.close(), ownConnection.close()]);
    await temporal.stop();
  }
}

type QueueActivities = Parameters<typeof createQueueWorkers>[1]['activities'];

/** Only attempts are made: the other activities are never called. */
const activitiesOf = (shape: Shape) =>
  ({ deliveries: { attemptDelivery: async (request) => shape.attempt(request) } }) as Pick<
    QueueActivities,
    'deliveries'
  > as QueueActivities;

class Run {
  readonly #parts: { client: Client; engine: WorkflowEngine; shape: Shape; delayMs: number };
  #started = 0;

  constructor(parts: { client: Client; engine: WorkflowEngine; shape: Shape; delayMs: number }) {
    this.#parts = parts;
  }

  /** Starts so many workflows, and resolves when Temporal shows all of them as ended. */
  async workflows(count: number): Promise<BenchResult['rows'][number]> {
    const { client, engine, shape, delayMs } = this.#parts;
    let left = count;
    const startsMs: number[] = [];
    const before = cpuTimes([process.pid]);
    const beganMs = performance.now();
    const starter = async () => {
      while (left-- > 0) {
        const fromMs = performance.now();
        await engine.ensureRunning(this.#row(shape, delayMs));
        startsMs.push(performance.now() - fromMs);
      }
    };
    await Promise.all(Array.from({ length: shape.concurrency }, starter));
    this.#started += count;
    for (const endMs = performance.now() + limitMs + delayMs * 10; ; ) {
      const completed = await client.workflow.count(
        "WorkflowType = 'deliverEvent' AND ExecutionStatus IN ('Completed', 'Failed')",
      );
      if (completed.count >= this.#started) break;
      if (performance.now() > endMs) throw new Error(`only ${completed.count} workflows of ${this.#started} ended`);
      await new Promise((resolve) => setTimeout(resolve, pollMs));
    }
    return {
      'workflows/s': Math.round((count / (performance.now() - beganMs)) * 1000),
      'start p50 ms': ms(percentile(startsMs, 0.5)),
      'start p99 ms': ms(percentile(startsMs, 0.99)),
      ...cpuColumns(before, cpuTimes([process.pid]), count),
    };
  }

  #row({ row }: Shape, delayMs: number): Parameters<WorkflowEngine['ensureRunning']>[0] {
    return {
      eventId: crypto.randomUUID(),
      ...{ generation: 0, startedGeneration: -1, traceparent: null, notifications: null },
      ...{
        provider: 'generic',
        accountSlug: 'floor',
        consumer: 'default',
        delaysMs: null,
        appKey: 'bench',
        eventType: 'order.paid',
      },
      nextAttemptAt: row.deliveryStatus === 'pending' ? new Date(Date.now() + delayMs) : null,
      lastAttempt: { number: 1, at: new Date().toISOString(), outcome: 'delivered', responseCode: 200, durationMs: 12 },
      ...row,
    };
  }
}
