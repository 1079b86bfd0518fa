import { readFileSync } from 'node:fs';

/**
 * Preloaded into the gateway's processes (`node --import`): shifts the process's wall clock by the seconds in the file
 * `FAULTS_CLOCK`, which is read at the start and after each SIGUSR2. Timers and `performance.now()` are not shifted:
 * they are monotonic, as after a jump of the machine's clock.
 *
 * A module and not libfaketime, because it works on every machine and a running process can be shifted at a given moment.
 */
const file = process.env.FAULTS_CLOCK ?? '';
const trueNow = Date.now.bind(Date);
let offsetMs = 0;

function read(): void {
  try {
    offsetMs = Number(readFileSync(file, 'utf8')) * 1000;
  } catch {
    // Without the file, the clock is right.
    offsetMs = 0;
  }
}

read();
process.on('SIGUSR2', read);
Date.now = () => trueNow() + offsetMs;
// A proxy and not a subclass, so that dates that Node creates itself are still instances of `Date`.
globalThis.Date = new Proxy(Date, {
  construct(target, args, newTarget) {
    return Reflect.construct(target, args.length === 0 ? [Date.now()] : args, newTarget);
  },
  apply: () => new Date().toString(),
});
