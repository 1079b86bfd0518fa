import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import getPort from 'get-port';
import { onTestFinished } from 'vitest';
import { startContainerNames } from './container-names.ts';
import { readProjectFile } from './files.ts';
import { inFolder } from './nginx-places.ts';

const startLimitMs = 90_000;

interface NginxOptions {
  /** The port of all apis. */
  apiPort: number;
  /** Their addresses on loopback, which DNS has for the name `api`. */
  addresses: readonly string[];
  proxyInFront?: string;
}

/** The configuration of docker/nginx, filled in as by its image, with the ports and folder of this test. */
function configuration(folder: string, ports: { listen: number; dns: number }, options: NginxOptions): string {
  const realIp = join(folder, 'real-ip.conf');
  const template = readProjectFile('docker/nginx/templates/real-ip.conf.template');
  writeFileSync(realIp, template.replaceAll('${' + 'PROXY_IN_FRONT}', options.proxyInFront ?? 'unix:'));
  const text = readProjectFile('docker/nginx/nginx.conf')
    .replace('listen 8080;', `listen 127.0.0.1:${ports.listen};`)
    .replace('server api:8080', `server api:${options.apiPort}`)
    .replace('resolver 127.0.0.11', `resolver 127.0.0.1:${ports.dns}`)
    .replace('/etc/nginx/conf.d/real-ip.conf', realIp);
  return inFolder(text, folder);
}

/**
 * Starts a real nginx before servers in the place of the apis, until the end of the test. It waits until a request is
 * answered with success.
 */
export async function startNginx(options: NginxOptions) {
  const names = await startContainerNames(options.addresses);
  const folder = mkdtempSync(join(tmpdir(), 'gateway-nginx-'));
  chmodSync(folder, 0o755);
  mkdirSync(join(folder, 'logs'));
  const listen = await getPort();
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, configuration(folder, { listen, dns: names.port }, options));
  const child = spawn('nginx', ['-c', file, '-p', folder, '-e', 'stderr'], { stdio: ['ignore', 'inherit', 'pipe'] });
  let said = '';
  child.stderr.on('data', (text: Buffer) => {
    said += text;
  });
  onTestFinished(async () => {
    await ended(child);
    rmSync(folder, { recursive: true, force: true });
  });
  for (const end = Date.now() + startLimitMs; !(await answers(listen)); await sleep(50))
    if (child.exitCode !== null || Date.now() > end) throw new Error(`nginx did not start: ${said}`);
  return {
    port: listen,
    baseUrl: `http://127.0.0.1:${listen}`,
    /** Replaces the addresses of the name `api`. */
    rename(addresses: readonly string[]) {
      names.addresses = addresses;
    },
  };
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  await exit;
}

async function answers(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/`)).ok;
  } catch {
    return false;
  }
}
