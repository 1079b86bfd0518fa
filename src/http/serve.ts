import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { NodeRequest, sendNodeResponse } from 'srvx/node';
import type { Log } from '../log.ts';
import { StartError } from '../start-error.ts';
import type { App } from './app.ts';

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

/**
 * Serves the app over HTTP. Elysia's own `listen` is not used: the server is ours, so that a taken port is an error that
 * can be told, and closing waits for what is in flight.
 *
 * @throws StartError when the port is taken or the address is none of this machine.
 */
export async function serve(app: App, options: { host: string; port: number; log: Log }): Promise<HttpServer> {
  app.compile();
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    await sendNodeResponse(response, await app.fetch(new NodeRequest({ req: request, res: response })));
  };
  const limits = { keepAliveTimeout: keepAliveMs, requestTimeout: requestLimitMs, headersTimeout: headersLimitMs };
  const server = createServer(limits, (request, response) => {
    respond(request, response).catch((error: unknown) => {
      // Elysia turns every error into an answer; what comes here is a connection that broke while it was sent.
      options.log.debug({ err: error }, 'an answer could not be sent');
      response.destroy();
    });
  });
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
