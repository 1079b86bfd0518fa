import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../src/embedded/ports.ts';
import { endWithThis } from '../bench/children.ts';
import { processesBelow } from '../bench/proc.ts';
import { readProjectFile } from '../docker/files.ts';
import { inFolder } from '../docker/nginx-places.ts';
import { until } from '../support/until.ts';

const ports = 31_000;

/**
 * The configuration of the compose file, for apis on ports of this machine. Only their addresses, the port and the folders
 * differ.
 *
 * @throws Error when the file no longer has a line that is replaced.
 */
export function configurationFor(options: { apis: readonly number[]; port: number; folder: string }): string {
  const { apis, port, folder } = options;
  // nginx refuses an empty upstream. Nothing listens on this port.
  const addresses = apis.length === 0 ? [1] : apis;
  const replaced: [string, string][] = [
    [
      'server api:8080 resolve',
      addresses.map((api) => `server 127.0.0.1:${api}`).join(' max_fails=1 fail_timeout=1s;\n    '),
    ],
    ['listen 8080;', `listen 127.0.0.1:${port};`],
    ['include /etc/nginx/conf.d/real-ip.conf;', ''],
  ];
  const configuration = replaced.reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`docker/nginx/nginx.conf has no '${from}'`);
    return text.replace(from, to);
  }, readProjectFile('docker/nginx/nginx.conf'));
  return inFolder(configuration, folder);
}

/** Starts nginx 1.27.3 or newer before the apis, without any at first. */
export async function startNginx(options: { program: string; folder: string; port: number }) {
  const folder = join(options.folder, 'nginx');
  mkdirSync(folder, { mode: 0o755 });
  const port = options.port || (await freePort([], ports));
  const configuration = join(folder, 'nginx.conf');
  const write = (apis: readonly number[]) => writeFileSync(configuration, configurationFor({ apis, port, folder }));
  write([]);
  const log = openSync(join(folder, 'error.log'), 'a');
  const master = endWithThis(
    spawn(options.program, ['-p', folder, '-c', configuration, '-e', join(folder, 'error.log')], {
      stdio: ['ignore', log, log],
    }),
  );
  const pid = master.pid ?? 0;
  const workers = () => processesBelow(pid).flatMap((each) => (each.pid === pid ? [] : [each.pid]));
  const running = (before: readonly number[]) =>
    until(`nginx runs (${join(folder, 'error.log')})`, () => {
      if (master.exitCode !== null)
        throw new Error(`nginx ended with code ${master.exitCode}: ${readFileSync(join(folder, 'error.log'), 'utf8')}`);
      const now = workers();
      return now.length > 0 && !now.some((worker) => before.includes(worker));
    });
  await running([]);
  return {
    pid,
    port,
    async use(apis: readonly number[]) {
      const before = workers();
      write(apis);
      master.kill('SIGHUP');
      await running(before);
    },
    async stop() {
      if (master.exitCode !== null) return;
      master.kill('SIGTERM');
      await once(master, 'exit');
    },
  };
}
