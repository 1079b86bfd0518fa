import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Log } from '../shared/log.ts';
import { RareWarning } from '../shared/rare-warning.ts';
import { StartError } from '../shared/start-error.ts';
import type { BodyReader } from './bodies/body-reader.ts';
import { Connections } from './connections/connections.ts';
import { refusalOf } from './refusal.ts';
import { refuse, refuseBytes } from './refuse.ts';
import { takeOriginForm } from './request-target.ts';
import { type HttpApp, respond } from './respond.ts';

type PortSetting = 'PORT' | 'METRICS_PORT';

export interface HttpServer {
  port: number;
  /** Accepts no new connections, waits for the requests in flight (at most 10 s), then closes. */
  close(): Promise<void>;
}

/** How long graceful shutdown waits for requests in flight. */
const drainMs = 10_000;
/**
 * Longer than load balancers keep idle connections, so that the gateway never closes one that is about to be reused.
 */
const keepAliveMs = 75_000;
/** Sending a megabyte over a slow connection takes seconds. A request that takes longer than this is aborted. */
const requestLimitMs = 60_000;
const headersLimitMs = 20_000;
/** How often Node checks these limits. */
const limitCheckMs = 5_000;
/** Unparsed bytes of a connection above which the gateway stops reading from it. One read (64 KiB) may exceed it. */
const sentAheadBytes = 16 * 1024;

/**
 * Serves the app over HTTP. Elysia's own `listen` is not used, because it neither reports a port in use as an error nor
 * waits for requests in flight when it closes.
 *
 * @throws StartError when the port is in use or the host is not an address of this machine.
 */
export async function serve(
  app: HttpApp,
  options: {
    host: string;
    port: number;
    /** The variable that sets the port, for errors: PORT by default. */
    setting?: PortSetting;
    bodies: BodyReader;
    maxConnections: number;
    /** Once it is aborted, each connection is closed after its next response. None: that never happens. */
    draining?: AbortSignal;
    log: Log;
  },
): Promise<HttpServer> {
  const { bodies, draining, log } = options;
  app.compile();
  const limitWarning = new RareWarning();
  const connections = new Connections(options.maxConnections, () => {
    limitWarning.add();
    limitWarning.tell((closed) => log.warn({ closed }, 'connections closed, MAX_CONNECTIONS reached'));
  });
  const server = createServer({
    keepAliveTimeout: keepAliveMs,
    requestTimeout: requestLimitMs,
    headersTimeout: headersLimitMs,
    connectionsCheckingInterval: limitCheckMs,
    highWaterMark: sentAheadBytes,
    // Checked in `refusalOf`: Node answers past the request gate, which then passes on the bytes behind the request.
    requireHostHeader: false,
  });
  // A client may close its side after its request and still read the answer. Node has no documented option for this:
  // by default it closes the connection, so that a webhook is stored and its sender sends it again.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on('connection', (socket) => connections.add(socket));
  const take = (request: IncomingMessage, response: ServerResponse) => {
    const connection = connections.of(request.socket);
    if (connection === null) return;
    // RFC 9111, section 5.2.2.5. Answers hold data of one caller, and a cache may store even a 404 that does not forbid
    // it. Only files that are the same for all callers name another policy.
    response.setHeader('cache-control', 'no-store');
    const refusal = refusalOf(request);
    if (refusal === null) takeOriginForm(request);
    connection.gate.enter(request, response, () => {
      connection.sinceMs = performance.now();
      if (draining?.aborted) connection.endAfterResponse();
      const answered =
        refusal === null
          ? respond({ app, bodies }, connection, request, response)
          : refuse(connection, request, response, refusal);
      answered.catch((error: unknown) => {
        // Elysia turns every other error into a response, so here the connection broke while the response was sent.
        log.debug({ err: error }, 'response not sent');
        response.destroy();
      });
    });
  };
  server.on('request', take);
  // The body reader sends `100 Continue` when a handler reads the body. Without a listener, Node answers other
  // expectations itself, past the request gate.
  server.on('checkContinue', take);
  server.on('checkExpectation', take);
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const connection = connections.of(socket);
    if (connection === null) socket.destroy();
    else void refuseBytes(connection, error.code);
  });
  draining?.addEventListener('abort', () => connections.endAfterResponses(), { once: true });
  await listen(server, options);
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return {
    port: address.port,
    async close() {
      // Node accepts waiting connections before it runs this. The system resets those that come between the two, so
      // nothing else may run there.
      await new Promise(setImmediate);
      await new Promise<void>((resolve) => {
        const insist = setTimeout(() => server.closeAllConnections(), drainMs);
        server.close(() => {
          clearTimeout(insist);
          connections.stop();
          resolve();
        });
        server.closeIdleConnections();
      });
    },
  };
}

/**
 * Checks that `serve` can listen on this host and port, before anything else is started.
 *
 * @throws StartError when it cannot.
 */
export async function checkPort(options: { host: string; port: number; setting?: PortSetting }): Promise<void> {
  const server = createServer();
  await listen(server, options);
  await new Promise((resolve) => server.close(resolve));
}

function listen(
  server: Server,
  { host, port, setting = 'PORT' }: { host: string; port: number; setting?: PortSetting },
): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      switch (error.code) {
        case 'EADDRINUSE':
          return reject(
            new StartError(
              `Port ${port} on ${host} is taken. Stop what uses it, or set ${setting} to another one${
                setting === 'PORT' ? ', as in: PORT=8081 npm start' : '. 0 takes any free port, which the log tells.'
              }`,
            ),
          );
        case 'EACCES':
          return reject(
            new StartError(`This user may not listen on port ${port}. Set ${setting} to a number above 1023.`),
          );
        case 'EADDRNOTAVAIL':
        case 'ENOTFOUND':
          return reject(
            new StartError(
              `HOST=${host} is not an address of this machine. Use 127.0.0.1, 0.0.0.0 or one of its addresses.`,
            ),
          );
        default:
          return reject(error);
      }
    });
    server.listen({ host, port }, resolve);
  });
}
