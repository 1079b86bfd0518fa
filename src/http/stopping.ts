import { Problem } from './problem.ts';

/** The answer of readiness checks while the process still serves what comes, so that balancers notice in time. */
export const stoppingProblem = () =>
  new Problem('stopping', 'this process is about to stop; send requests to another one');
