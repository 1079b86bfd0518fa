import { Connection } from '@temporalio/client';

/** Connects to a Temporal on loopback. By default, gRPC uses the proxy of the environment even there. */
export const connectTo = (address: string): Promise<Connection> =>
  Connection.connect({ address, channelArgs: { 'grpc.enable_http_proxy': 0 } });
