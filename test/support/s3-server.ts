import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../src/embedded/ports.ts';
import { runCommand } from '../../src/embedded/run-command.ts';
import { leaksInFolder } from './leaks/files.ts';
import { note } from './leaks/watch.ts';
import { s3Program } from './s3-program.ts';
import { secretText } from './secrets.ts';

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

/** A real server of the S3 protocol on loopback, with one empty bucket. */
export async function startS3(): Promise<S3Server> {
  const program = await s3Program();
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
