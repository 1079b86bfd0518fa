import { parseArgs } from 'node:util';
import { isGrpcDeadlineError, isGrpcServiceError } from '@temporalio/client';
import { StartError } from '../shared/start-error.ts';
import type { TemporalServer } from '../temporal/connection.ts';
import { connectionAdvice } from '../temporal/connection-advice.ts';
import { type Deployment, otherBuilds, setCurrentBuild } from '../temporal/deployment.ts';
import { connectLazily } from '../temporal/lazy-connection.ts';
import type { RoleContext } from './role-context.ts';

const usage = `npm run promote [-- --unversioned]

Makes the build of TEMPORAL_WORKER_BUILD_ID the current one of TEMPORAL_DEPLOYMENT_NAME: deliveries continue on its
workers, and new workflows start on them. Run it when workers of this build run. See docs/changing-a-workflow.md.

  --unversioned  make workers without a build current, as before the first build`;

/** How long a build may take to start. A job that is started together with the workers waits for them. */
const workersLimitMs = 120_000;

/** The gRPC status codes DEADLINE_EXCEEDED and UNAVAILABLE. */
const awayCodes = [4, 14];

/** The role `promote`: makes a build of the workers the current one, prints the result, and ends. */
export async function runPromote({ config, arguments: given }: RoleContext): Promise<void> {
  const unversioned = wantsUnversioned(given);
  const { temporal, build } = config;
  if (temporal.address === null)
    throw new StartError('TEMPORAL_ADDRESS is not set: a build is of workers of a Temporal.');
  if (build === null)
    throw new StartError(
      'TEMPORAL_DEPLOYMENT_NAME and TEMPORAL_WORKER_BUILD_ID are not set: set them as for the workers.',
    );
  const server = { ...temporal, address: temporal.address };
  const connection = connectLazily(server);
  const deployment: Deployment = { connection, namespace: temporal.namespace, deploymentName: build.deploymentName };
  const name = (buildId: string | null) => (buildId === null ? 'workers without a build' : `build ${buildId}`);
  try {
    const target = unversioned ? null : build.buildId;
    const before = await setCurrentBuild(deployment, target, workersLimitMs);
    console.log(`Current in ${build.deploymentName}: ${name(target)}. Before: ${name(before)}.`);
    for (const { buildId, inUse } of await otherBuilds(deployment))
      console.log(`Build ${buildId}: ${inUse === false ? 'no workflow is pinned to it' : 'keep its workers for now'}.`);
  } catch (error) {
    throw explained(server, error);
  } finally {
    await connection.close();
  }
}

/** A failure of a call as a sentence for the operator, if it has one. */
function explained(server: TemporalServer, error: unknown): unknown {
  if (error instanceof StartError || !(isGrpcServiceError(error) || isGrpcDeadlineError(error))) return error;
  if (!isGrpcServiceError(error) || awayCodes.includes(error.code)) {
    const advice = connectionAdvice(server, error);
    return new StartError(`Temporal cannot be reached at ${server.address}${advice === null ? '' : `: ${advice}`}.`);
  }
  return new StartError(`Temporal at ${server.address} refuses the call: ${error.details}.`, { cause: error });
}

function wantsUnversioned(given: readonly string[]): boolean {
  try {
    return parseArgs({ args: [...given], options: { unversioned: { type: 'boolean' } } }).values.unversioned ?? false;
  } catch {
    throw new StartError(usage);
  }
}
