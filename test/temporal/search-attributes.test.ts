import { createServer } from 'node:http2';
import { NativeConnection } from '@temporalio/worker';
import { expect, onTestFinished, test } from 'vitest';
import { createLog } from '../../src/shared/log.ts';
import { registerSearchAttributes } from '../../src/temporal/search-attributes.ts';
import { listen } from '../support/listen.ts';

const permissionDenied = 7;
const unimplemented = 12;
const unauthenticated = 16;

/** A server of gRPC that answers each call of the operator's service with this code, as Temporal Cloud does. */
async function serverThatRefuses(code: number): Promise<NativeConnection> {
  const server = createServer();
  server.on('stream', (stream, headers) => {
    const head = { ':status': 200, 'content-type': 'application/grpc' };
    if (String(headers[':path']).includes('OperatorService'))
      return stream.respond({ ...head, 'grpc-status': String(code), 'grpc-message': 'refused' }, { endStream: true });
    stream.respond(head, { waitForTrailers: true });
    stream.once('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    // An empty message: that of GetSystemInfo, with which a client begins.
    stream.end(Buffer.alloc(5));
  });
  const port = await listen(server);
  const connection = await NativeConnection.connect({ address: `127.0.0.1:${port}` });
  onTestFinished(async () => {
    await connection.close();
    server.close();
  });
  return connection;
}

function linesOf() {
  const lines: { msg: string; needed: string[] }[] = [];
  return { lines, log: createLog('info', { write: (line) => void lines.push(JSON.parse(line)) }) };
}

test.each([permissionDenied, unimplemented])(
  'a worker that may not register search attributes (code %i) continues, and says which it needs',
  async (code) => {
    const { lines, log } = linesOf();
    await registerSearchAttributes(await serverThatRefuses(code), 'default', log);
    expect(lines).toEqual([
      expect.objectContaining({
        msg: 'search attributes not registered, Temporal allows it to operators only',
        needed: expect.arrayContaining(['WebhookProvider (Keyword)', 'WebhookAttempt (Int)']),
      }),
    ]);
    expect(lines[0]?.needed).toHaveLength(6);
  },
);

test('another failure is an error, and the worker tries again', async () => {
  const { lines, log } = linesOf();
  const connection = await serverThatRefuses(unauthenticated);
  await expect(registerSearchAttributes(connection, 'default', log)).rejects.toThrow('refused');
  expect(lines).toEqual([]);
});
