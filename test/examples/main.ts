import { spawnSync } from 'node:child_process';
import { execa } from 'execa';
import { built } from '../support/go-program.ts';
import { install } from '../support/python-environment.ts';
import { djangoEnvironment, goReceiver } from '../support/receiver-programs.ts';

/**
 * `npm run examples`: installs Django and builds the receiver in Go, once, and runs the tests of all receivers of
 * examples/. Without Python or Go on this machine it says so, and their tests are skipped.
 */
const isHere = (program: string, argument: string) => spawnSync(program, [argument]).status === 0;

if (isHere('python3', '--version')) await install(djangoEnvironment);
else console.log('The receiver in Django is not tested: Python 3 is missing.');
if (isHere('go', 'version')) await built(goReceiver);
else console.log('The receiver in Go is not tested: Go is missing.');

const { exitCode } = await execa('npx', ['vitest', 'run', 'test/examples'], { stdio: 'inherit', reject: false });
process.exitCode = exitCode ?? 1;
