import { expect, test } from 'vitest';
import { withApp } from '../../src/roles/openapi.ts';

// Elysia decides by a handler's source text whether to await it. It does not await a promise that a plain function
// returns: the answer would be the promise itself, and its rejection would end the process.
test('every handler of the admin API is an async function', async () => {
  const handlers = await withApp((app) =>
    app.routes
      .filter(({ path }) => path.startsWith('/admin'))
      .map(({ method, path, handler }) => ({ method, path, handler })),
  );
  expect(handlers.length).toBeGreaterThan(30);
  const others = handlers.filter(({ handler }) => Object.prototype.toString.call(handler) !== '[object AsyncFunction]');
  expect(others.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
});
