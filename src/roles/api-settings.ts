import type { Config } from '../config/config.ts';

/** The settings that the API takes from the environment as they are, in `api` and in `all`. */
export const apiSettings = (config: Config) => ({
  trustedProxies: config.trustedProxies,
  delivery: config.delivery,
  publicUrl: config.publicUrl,
  maxPayloadBytes: config.maxPayloadBytes,
  rejected: config.rejected,
  maxBodyBytesInFlight: config.maxBodyBytesInFlight,
  maxConnections: config.maxConnections,
  drainMs: config.shutdownDrainMs,
  host: config.host,
  port: config.port,
});
