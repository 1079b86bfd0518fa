import { createServer } from 'node:http';
import { listen } from '../../support/listen.ts';
import { offer } from '../calls.ts';

/**
 * A collector that takes traces over OTLP and keeps none, a process of its own. What it costs is little compared with what the
 * gateway's own work for a trace costs, and stands for the network and a collector on another machine.
 */
let bytes = 0;
let requests = 0;

const server = createServer((request, response) => {
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  request.on('end', () => {
    requests += 1;
    // An empty ExportTraceServiceResponse: all spans were accepted.
    response.writeHead(200, { 'content-type': 'application/x-protobuf', 'content-length': 0 }).end();
  });
});

const calls = {
  /** Listens on a free port of the loopback address. */
  listen: () => listen(server),

  /** What has come so far. */
  received: () => ({ requests, bytes }),
};

export type CollectorCalls = typeof calls;
offer(calls);
