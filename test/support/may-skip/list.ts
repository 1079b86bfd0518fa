import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import semver from 'semver';
import { isRoot } from '../../../src/embedded/os-process.ts';
import { programsOnPath } from '../../../src/embedded/programs-on-path.ts';
import { findChromium, installHint } from '../chromium/find.ts';
import { isBuilt } from '../go-program.ts';
import { isInstalled } from '../python-environment.ts';
import { djangoEnvironment, goReceiver } from '../receiver-programs.ts';
import { s3ProgramIsCached } from '../s3-program.ts';
import { containerPossible } from './container.ts';
import { mountNamespace } from './mount-namespace.ts';

/** What some tests need of a machine and others do not, so that they are skipped without it. */
interface MaySkip {
  /** The files whose tests need it: a file, or a folder with a slash at the end. */
  tests: string[];
  /** What they need, as the table of CONTRIBUTING.md says it. */
  needs: string;
  /** Why not every machine has it, as there. */
  why: string;
  isHere(): boolean;
}

const hasGo = (await programsOnPath('go', process.env.PATH ?? '')).length > 0;
const answers = (program: string, argument: string) => spawnSync(program, [argument]).status === 0;
/** `nginx -v` writes `nginx version: nginx/1.28.0` to standard error, or nothing where there is none. */
const hasNginx = (oldest: string) =>
  semver.gte(semver.coerce(spawnSync('nginx', ['-v'], { encoding: 'utf8' }).stderr) ?? '0.0.0', oldest);

/** Each test that may be skipped, by what it needs. CONTRIBUTING.md has the same list (test/ci/skipped-tests.test.ts). */
export const maySkip = {
  browser: {
    tests: ['test/console/'],
    needs: `a browser: ${installHint}`,
    why: 'It comes with `npm ci` only on Linux with x64. With `CI` set, its absence is a failure',
    // Then the tests run, and say what is missing.
    isHere: () => Boolean(process.env.CI) || findChromium() !== null,
  },
  go: {
    tests: ['test/embedded/temporal-program.test.ts'],
    needs: 'Go',
    why: 'A machine that has the Temporal program needs none',
    isHere: () => hasGo,
  },
  s3: {
    tests: ['test/backups/s3-store.test.ts'],
    needs: 'Go, or the S3 server that it built before',
    why: 'The same',
    isHere: () => hasGo || s3ProgramIsCached(),
  },
  django: {
    tests: ['test/examples/django.test.ts'],
    needs: 'Django, which `npm run examples` installs once',
    why: 'It needs Python 3.10 or newer and a package index. `.ci/run` installs it',
    isHere: () => isInstalled(djangoEnvironment),
  },
  'go receiver': {
    tests: ['test/examples/go.test.ts'],
    needs: 'the receiver in Go, which `npm run examples` builds once',
    why: 'It needs Go 1.26 and the Go module proxy. `.ci/run` builds it',
    isHere: () => isBuilt(goReceiver),
  },
  nginx: {
    tests: ['test/docker/nginx.test.ts', 'test/docker/nginx-connections.test.ts'],
    needs: 'nginx 1.27.3 or newer',
    why: 'Only the compose file has it, in an image of its own',
    // Any version that can read the file is sufficient. The compose file pins the version in production.
    isHere: () => hasNginx('1.27.3'),
  },
  systemd: {
    tests: ['test/systemd/unit.test.ts'],
    needs: '`systemd-analyze`',
    why: 'Only one page is about systemd',
    isHere: () => answers('systemd-analyze', '--version'),
  },
  root: {
    tests: ['test/embedded/postgres.test.ts'],
    needs: 'root',
    why: 'They are about what only root can do: start programs as another user',
    isHere: isRoot,
  },
  container: {
    tests: ['test/docker/restricted.test.ts'],
    needs: 'root on Linux, `setpriv`, and a checkout that other users may read',
    why: 'Only root can take rights away as a container does',
    isHere: containerPossible,
  },
  mounts: {
    tests: ['test/backups/full-disk.test.ts', 'test/incidents/gateway-conditions.test.ts'],
    needs: 'Linux, and root or user namespaces, to mount a small file system',
    why: 'Other systems, and containers without the right to mount, cannot',
    isHere: () => mountNamespace() !== null,
  },
  'full device': {
    tests: ['test/shared/log.test.ts'],
    needs: '`/dev/full`',
    why: 'Only Linux has it',
    isHere: () => existsSync('/dev/full'),
  },
  ipv6: {
    tests: ['test/delivery/send.test.ts', 'test/http/client-address.test.ts'],
    needs: 'the address `::1`',
    why: 'Many containers have no IPv6',
    isHere: () => Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1')),
  },
  'socket timers': {
    tests: ['test/database/keep-alive.test.ts'],
    needs: '`/proc/net/tcp`',
    why: 'Only Linux shows the timers of connections',
    isHere: () => existsSync('/proc/net/tcp'),
  },
} satisfies Record<string, MaySkip>;

export type Need = keyof typeof maySkip;

const known = new Map<MaySkip, boolean>();

/** Looks once in a process: some of the needs are looked for by starting programs. */
function isMissing(need: MaySkip): boolean {
  const missing = known.get(need) ?? !need.isHere();
  known.set(need, missing);
  return missing;
}

/** Whether this machine lacks it: `test.skipIf(lacks('nginx'))`. */
export const lacks = (need: Need): boolean => isMissing(maySkip[need]);

/** The entry of a file whose test was skipped; undefined if the list has none that allows it on this machine. */
export const whySkipped = (file: string): MaySkip | undefined =>
  Object.values<MaySkip>(maySkip).find(
    (need) =>
      need.tests.some((path) => (path.endsWith('/') ? file.startsWith(path) : file === path)) && isMissing(need),
  );
