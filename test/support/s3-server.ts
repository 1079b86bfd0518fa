import { type ChildProcess, spawn } from 'node:child_process';
import { access, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../src/embedded/ports.ts';
import { runCommand } from '../../src/embedded/run-command.ts';
import { defaultCacheDir } from '../../src/embedded/temporal-program.ts';
import { leaksInFolder } from './leaks/files.ts';
import { note } from './leaks/watch.ts';
import { secretText } from './secrets.ts';

const serverVersion = '1.8.0';
const serverModule = `github.com/versity/versitygw/cmd/versitygw@v${serverVersion}`;
const buildLimitMs = 30 * 60_000;
/** The time limit of a start that builds the program. */
export const s3StartLimitMs = buildLimitMs;

export const s3Credentials = { AWS_ACCESS_KEY_ID: 'test-access', AWS_SECRET_ACCESS_KEY: secretText('bucket') };

export interface S3Server {
  endpoint: string;
  /** The folder that contains the bucket's objects. */
  bucketDir: string;
  bucket: string;
  /** Adds a user without rights; a policy of the bucket can grant them. */
  addUser(credentials: typeof s3Credentials): Promise<void>;
  stop(): Promise<void>;
}

/** The server's program, from the cache or built with Go once (about 3 minutes). */
async function serverProgram(): Promise<string> {
  const { HOME: home = null, XDG_CACHE_HOME: cacheHome = null, PATH = '' } = process.env;
  const folder = join(defaultCacheDir({ home, cacheHome }), `versitygw-${serverVersion}`);
  const program = join(folder, 'versitygw');
  const isThere = await access(program).then(
    () => true,
    () => false,
  );
  if (isThere) return program;
  console.log('Building an S3 server with Go, once, takes about 3 minutes …');
  await mkdir(folder, { recursive: true });
  const unfinished = await mkdtemp(join(folder, 'unfinished-'));
  try {
    // `env` keeps the user's proxy and module settings of Go, but unsets the target platform.
    const environment = ['-u', 'GOOS', '-u', 'GOARCH', `GOBIN=${unfinished}`, `PATH=${PATH}`];
    const built = await runCommand('/usr/bin/env', [...environment, 'go', 'install', serverModule], {
      limitMs: buildLimitMs,
      cwd: unfinished,
    });
    if (!built.ok)
      throw new Error(
        `The S3 server for the tests could not be built with Go: ${built.reason}\n` +
          `Put a Go that can build ${serverModule} on PATH, or that program itself at ${program}.`,
      );
    await rename(join(unfinished, 'versitygw'), program);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return program;
}

/** A real server of the S3 protocol on loopback, with one empty bucket. */
export async function startS3(): Promise<S3Server> {
  const program = await serverProgram();
  const root = await mkdtemp(join(tmpdir(), 'gateway-s3-'));
  const bucket = 'backups';
  const bucketDir = join(root, 'buckets', bucket);
  await mkdir(bucketDir, { recursive: true });
  await mkdir(join(root, 'metadata'));
  await mkdir(join(root, 'users'));
  const port = await freePort([], 31_000 + Math.floor(Math.random() * 1_000));
  const endpoint = `http://127.0.0.1:${port}`;
  const args = ['--port', `127.0.0.1:${port}`, '--access', s3Credentials.AWS_ACCESS_KEY_ID, '--quiet'];
  args.push('--secret', s3Credentials.AWS_SECRET_ACCESS_KEY, '--iam-dir', join(root, 'users'));
  // Not every file system has extended attributes.
  args.push('posix', '--sidecar', join(root, 'metadata'), join(root, 'buckets'));
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'], env: {} });
  let said = '';
  child.stderr.on('data', (text: Buffer) => {
    said += text;
  });
  const stop = async () => {
    await ended(child);
    note(leaksInFolder(bucketDir));
    await rm(root, { recursive: true, force: true });
  };
  for (let look = 0; !(await answers(endpoint)); look++) {
    if (child.exitCode !== null || look > 300) {
      await stop();
      throw new Error(`the S3 server for the tests did not start: ${said}`);
    }
    await sleep(100);
  }
  return {
    ...{ endpoint, bucket, bucketDir, stop },
    async addUser({ AWS_ACCESS_KEY_ID: access, AWS_SECRET_ACCESS_KEY: secret }) {
      const admin = ['--access', s3Credentials.AWS_ACCESS_KEY_ID, '--secret', s3Credentials.AWS_SECRET_ACCESS_KEY];
      const user = ['create-user', '--access', access, '--secret', secret, '--role', 'user'];
      const added = await runCommand(program, ['admin', ...admin, '--endpoint-url', endpoint, ...user], {
        limitMs: 30_000,
        cwd: root,
      });
      if (!added.ok) throw new Error(`the S3 server for the tests refused the user: ${added.reason}`);
    },
  };
}

const answers = (endpoint: string) =>
  fetch(endpoint).then(
    () => true,
    () => false,
  );

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await exit;
}
