import './node-20.ts';
import { processEnvironment } from './environment.ts';
import { exitCodes } from './exit.ts';
import { run } from './run-command.ts';

// `webhook-gateway`: the command line of the gateway (docs/cli.md).

const interrupted = new AbortController();
process.on('SIGINT', () => {
  // A second Ctrl-C does not wait for the command.
  if (interrupted.signal.aborted) process.exit(exitCodes.interrupted);
  interrupted.abort();
});
// `| head` has closed the pipe: it has what it wants.
const readerGone = new AbortController();
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    readerGone.abort();
  });

const exitCode = await run(process.argv, {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: processEnvironment(),
  signal: interrupted.signal,
  readerGone: readerGone.signal,
});
// What has lost its reader may still be reading.
if (readerGone.signal.aborted) process.exit(exitCode);
process.exitCode = exitCode;
