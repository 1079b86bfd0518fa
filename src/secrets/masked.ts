/**
 * Replaces secrets in stored headers and in responses. A header whose value contains it is never forwarded.
 */
export const MASKED = '[masked]';
