import { offer } from '../calls.ts';
import { acknowledge } from './acknowledge.ts';
import { send, stop } from './send.ts';

/** The load generator, a process of its own. */
const calls = { acknowledge, send, stop };

export type LoadCalls = typeof calls;
offer(calls);
