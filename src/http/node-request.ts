import type { IncomingMessage, ServerResponse } from 'node:http';

/** What Elysia's Node adapter (srvx) adds to a request. */
interface NodeRuntime {
  runtime?: { node?: { req?: IncomingMessage; res?: ServerResponse } };
}

/**
 * Node's own request behind Elysia's. Its raw headers keep order, case and repetitions.
 *
 * @throws Error when the app does not run on the Node adapter.
 */
export function nodeRequest(request: Request & NodeRuntime): IncomingMessage {
  const node = request.runtime?.node?.req;
  if (!node) throw new Error('the app must run on the Node adapter');
  return node;
}

/**
 * Node's own request and response behind Elysia's.
 *
 * @throws Error when the app does not run on the Node adapter.
 */
export function nodeExchange(request: Request & NodeRuntime): [IncomingMessage, ServerResponse] {
  const { req, res } = request.runtime?.node ?? {};
  if (!req || !res) throw new Error('the app must run on the Node adapter');
  return [req, res];
}
