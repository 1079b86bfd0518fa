import { aroundAll } from 'vitest';
import { reportOf } from './markers.ts';
import { takeLeaks, watchFetch } from './watch.ts';

// After every test file: checks that its gateways wrote no secret of the tests. A hook `afterAll` would not run after one that
// throws, and the next file of the worker would be blamed.

watchFetch();
aroundAll(async (runFile) => {
  await runFile();
  const leaks = takeLeaks();
  if (leaks.length > 0) throw new Error(reportOf(leaks));
});
