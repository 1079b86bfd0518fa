import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Log } from '../shared/log.ts';
import { StartError } from '../shared/start-error.ts';
import type { BodyReader } from './bodies/body-reader.ts';
import { Connections } from './connections/connections.ts';
import { connectionLimitWarnings } from './connections/limit-warnings.ts';
import { type HttpApp, respond } from './respond.ts';

export interface HttpServer {
  port: number;
  /** Takes no new connections, lets the requests in flight end, then closes. */
  close(): Promise<void>;
}

/** A request in flight has this long to end when the server closes. */
const drainMs = 10_000;
/** Longer than balancers keep idle connections, so that none is closed just as it is used again. */
const keepAliveMs = 75_000;
/** A megabyte over a slow line takes seconds; who needs longer than this holds a connection for nothing. */
const requestLimitMs = 60_000;
const headersLimitMs = 20_000;
/** How often Node looks for requests past these limits. */
const limitCheckMs = 5_000;
/** What a connection may have sent ahead before the gateway stops reading from it; one read of 64 KiB may come on top. */
const sentAheadBytes = 16 * 1024;

/**
 * Serves the app over HTTP. Elysia's own `listen` is not used: the server is ours, so that a taken port is an error that
 * can be told, and closing waits for what is in flight.
 *
 * @throws StartError when the port is taken or the address is none of this machine.
 */
export async function serve(
  app: HttpApp,
  options: { host: string; port: number; bodies: BodyReader; maxConnections: number; log: Log },
): Promise<HttpServer> {
  const { bodies, log } = options;
  app.compile();
  const connections = new Connections(options.maxConnections, connectionLimitWarnings(log));
  const server = createServer({
    keepAliveTimeout: keepAliveMs,
    requestTimeout: requestLimitMs,
    headersTimeout: headersLimitMs,
    connectionsCheckingInterval: limitCheckMs,
    highWaterMark: sentAheadBytes,
  });
  server.on('connection', (socket) => connections.add(socket));
  const take = (request: IncomingMessage, response: ServerResponse) => {
    const connection = connections.of(request.socket);
    if (connection === null) return;
    connection.gate.enter(request, response, () => {
      connection.sinceMs = performance.now();
      respond({ app, bodies }, connection, request, response).catch((error: unknown) => {
        // Elysia turns every error into an answer; what comes here is a connection that broke while it was sent.
        log.debug({ err: error }, 'an answer could not be sent');
        response.destroy();
      });
    });
  };
  server.on('request', take);
  // The reader of bodies tells the client to go on, once it wants the body.
  server.on('checkContinue', take);
  await listen(server, options);
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return {
    port: address.port,
    close: () =>
      new Promise((resolve) => {
        const insist = setTimeout(() => server.closeAllConnections(), drainMs);
        server.close(() => {
          clearTimeout(insist);
          connections.stop();
          resolve();
        });
        server.closeIdleConnections();
      }),
  };
}

/**
 * Finds out whether `serve` could listen here, before anything else is started.
 *
 * @throws StartError when not.
 */
export async function checkPort(options: { host: string; port: number }): Promise<void> {
  const server = createServer();
  await listen(server, options);
  await new Promise((resolve) => server.close(resolve));
}

function listen(server: Server, { host, port }: { host: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      switch (error.code) {
        case 'EADDRINUSE':
          return reject(
            new StartError(
              `Port ${port} on ${host} is taken. Stop what uses it, or set PORT to another one, as in: PORT=8081 npm start`,
            ),
          );
        case 'EACCES':
          return reject(
            new StartError(`Port ${port} needs more rights than this user has. Set PORT to one above 1023.`),
          );
        case 'EADDRNOTAVAIL':
        case 'ENOTFOUND':
          return reject(
            new StartError(`HOST=${host} is no address of this machine. Use 127.0.0.1, 0.0.0.0 or one that is.`),
          );
        default:
          return reject(error);
      }
    });
    server.listen({ host, port }, resolve);
  });
}
