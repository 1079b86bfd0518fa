import { isGrpcDeadlineError, isGrpcServiceError } from '@temporalio/client';

/**
 * A call to Temporal failed: it is down, overloaded or not responding. It is not known whether it processed the call.
 */
export class EngineUnavailable extends Error {
  override name = 'EngineUnavailable';
}

/** Temporal refused an argument of a call (INVALID_ARGUMENT). The same call fails until a setting or a limit changes. */
export class EngineRefused extends Error {
  override name = 'EngineRefused';
}

/** The gRPC status code INVALID_ARGUMENT. */
const invalidArgument = 3;

/** The error of a call to Temporal as `EngineRefused` or `EngineUnavailable`; other errors unchanged. */
export function engineError(error: unknown): unknown {
  const cause = error instanceof Error && isGrpcServiceError(error.cause) ? error.cause : error;
  if (isGrpcServiceError(cause) && cause.code === invalidArgument)
    return new EngineRefused(`Temporal: ${cause.message}`, { cause: error });
  if (isGrpcDeadlineError(cause) || isGrpcServiceError(cause))
    return new EngineUnavailable(`Temporal: ${cause.message}`, { cause: error });
  return error;
}
