import { setTimeout as sleep } from 'node:timers/promises';
import { type Connection, isGrpcServiceError } from '@temporalio/client';
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
 * for its workers, because the server knows a build only when one of them has polled.
 *
 * @param buildId null makes workers without a build current.
 * @returns the build that was current before; null when those without a build were.
 * @throws StartError with advice when the build has no worker within `limitMs`, or lacks a queue that is in use.
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
      if (!isGrpcServiceError(error) || (error.code !== notFound && error.code !== failedPrecondition)) throw error;
      // Both may change while workers start.
      if (Date.now() < endMs) continue;
      throw new StartError(
        error.code === notFound
          ? `No worker of the build '${buildId ?? ''}' of '${deploymentName}' runs. Start its workers first.`
          : `The build '${buildId ?? ''}' of '${deploymentName}' cannot become current (${error.details}). Start workers of this build for all queues that the workers of the current one take (WORKER_QUEUES).`,
      );
    }
  }
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
