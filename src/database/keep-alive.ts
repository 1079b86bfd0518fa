/**
 * TCP keep-alive for connections that wait without a time limit, for statements or notifications. A failure of the
 * server's machine is detected within about half a minute. With the system's default, it would take two hours.
 */
export const keptAlive = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };
