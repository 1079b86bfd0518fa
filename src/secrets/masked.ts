/**
 * Stands in stored headers where a secret was. Providers write it before an event is stored; a header whose value
 * contains it is never forwarded (design, sections 5 and 6).
 */
export const MASKED = '[masked]';
