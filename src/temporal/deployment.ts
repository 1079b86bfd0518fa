import { setTimeout as sleep } from 'node:timers/promises';
import { type Connection, isGrpcDeadlineError, isGrpcServiceError } from '@temporalio/client';
import { StartError } from '../shared/start-error.ts';

/** gRPC status codes. */
const notFound = 5;
const failedPrecondition = 9;

/** The server makes the change with workflows of its own, which takes seconds on a busy server. */
const callLimitMs = 60_000;
const pauseMs = 500;

export interface Deployment {
  connection: Connection;
  namespace: string;
  deploymentName: string;
}

/** A build that is not current, and whether workflows still run on it. */
export interface OtherBuild {
  buildId: string;
  /** False: no pinned workflow is left on it, so its workers can be stopped. Null: the server does not know yet. */
  inUse: boolean | null;
}

/**
 * Makes a build the current one: workflows that follow the deployment continue on it, and new ones start on it. Waits
 * for its workers, because the server knows a build only when one of them has polled, and for a server that is slow.
 *
 * @param buildId null makes workers without a build current.
 * @returns the build that was current before; null when those without a build were.
 * @throws StartError with advice when there is no such namespace, when the build has no worker within `limitMs`, or when
 *   it lacks a queue that is in use.
 */
export async function setCurrentBuild(
  { connection, namespace, deploymentName }: Deployment,
  buildId: string | null,
  limitMs: number,
): Promise<string | null> {
  for (const endMs = Date.now() + limitMs; ; await sleep(pauseMs)) {
    try {
      const { previousDeploymentVersion: before } = await connection.withDeadline(Date.now() + callLimitMs, () =>
        connection.workflowService.setWorkerDeploymentCurrentVersion({
          ...{ namespace, deploymentName, identity: 'webhook-gateway promote' },
          buildId: buildId ?? '',
        }),
      );
      return before?.buildId || null;
    } catch (error) {
      // A busy server: the change may have been made, and to make it twice changes nothing.
      if (isGrpcDeadlineError(error) && Date.now() < endMs) continue;
      const refusal = refusalOf(error);
      if (refusal === null) throw error;
      if (refusal === 'no namespace')
        throw new StartError(`Temporal has no namespace '${namespace}': correct TEMPORAL_NAMESPACE, or create it.`);
      if (refusal === 'no build' && buildId === null)
        throw new StartError(
          `Temporal does not know '${deploymentName}': no worker with a build has run yet, and workers without one are current.`,
        );
      // Both may change while workers start.
      if (Date.now() < endMs) continue;
      const build = buildId === null ? 'Workers without a build' : `The build '${buildId}' of '${deploymentName}'`;
      throw new StartError(
        refusal === 'no build'
          ? `No worker of the build '${buildId}' of '${deploymentName}' runs. Start its workers first.`
          : `${build} cannot become current (${refusal.reason}). Start such workers for all queues that the workers of the current build take (WORKER_QUEUES).`,
      );
    }
  }
}

/** Why the server does not make a build current; null for other errors. Two reasons have the same status code. */
function refusalOf(error: unknown): 'no namespace' | 'no build' | { reason: string } | null {
  if (!isGrpcServiceError(error)) return null;
  const { code, details } = error;
  if (code === notFound) return /^namespace\b/i.test(details) ? 'no namespace' : 'no build';
  if (code === failedPrecondition) return /^no worker deployment\b/i.test(details) ? 'no build' : { reason: details };
  return null;
}

/** The builds of a deployment that are not current, as the server lists them. */
export async function otherBuilds({ connection, namespace, deploymentName }: Deployment): Promise<OtherBuild[]> {
  const { workerDeploymentInfo: info } = await connection.withDeadline(Date.now() + callLimitMs, () =>
    connection.workflowService.describeWorkerDeployment({ namespace, deploymentName }),
  );
  const current = info?.routingConfig?.currentDeploymentVersion?.buildId;
  return (info?.versionSummaries ?? []).flatMap(({ deploymentVersion, drainageInfo, drainageStatus }) => {
    const buildId = deploymentVersion?.buildId;
    if (!buildId || buildId === current) return [];
    const status = drainageInfo?.status || drainageStatus;
    return [{ buildId, inUse: status === draining ? true : status === drained ? false : null }];
  });
}

/** `temporal.api.enums.v1.VersionDrainageStatus`. */
const draining = 1;
const drained = 2;
