/**
 * Stands in stored headers where a secret was. Providers write it before an event is stored; a header whose value
 * contains it is never forwarded.
 */
export const MASKED = '[masked]';
