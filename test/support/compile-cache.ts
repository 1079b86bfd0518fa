import { fileURLToPath } from 'node:url';

/**
 * Where Node keeps compiled code of the tests and of the processes that they start (NODE_COMPILE_CACHE): to load the
 * gateway takes more processor time than most files. Node replaces what is of another version; `npm ci` removes all.
 */
export const compileCache = fileURLToPath(new URL('../../node_modules/.cache/node-compile', import.meta.url));
