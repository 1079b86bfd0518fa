import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCommand } from './run-command.ts';
import type { TemporalSource } from './temporal-source.ts';
import { temporalVersion } from './temporal-version.ts';

const downloader = fileURLToPath(new URL('./temporal-downloader.ts', import.meta.url));
/** Without the internet it fails at once; where packets are just dropped, nothing arrives and this is the end. */
const stalledMs = 20_000;
const lookMs = 1_000;
const noticeMs = 10_000;
/** 90 MB over a slow line. */
const limitMs = 30 * 60_000;

/**
 * Downloads the program the way Temporal's SDK does, in a process of its own: the SDK's runtime can be set up only once in a
 * process, and a download that hangs can be ended with everything that it started. The SDK gets it from https://temporal.download;
 * it checks the TLS certificates of that host and of the archive's, and no checksum.
 */
export const downloadTemporal: TemporalSource = async ({ folder, onProgress, signal }) => {
  const stalled = new AbortController();
  const startedAt = Date.now();
  let [bytes, grewAt, noticedAt] = [0, startedAt, startedAt];
  onProgress('Downloading Temporal, once …');
  const watch = setInterval(async () => {
    const now = Date.now();
    const size = await sizeOf(folder);
    if (size > bytes) [bytes, grewAt] = [size, now];
    if (now - grewAt > stalledMs) stalled.abort();
    if (now - noticedAt < noticeMs) return;
    noticedAt = now;
    onProgress(`Downloading Temporal, once … ${Math.round((now - startedAt) / 1000)} s, ${Math.round(bytes / 1e6)} MB`);
  }, lookMs);
  try {
    const result = await runCommand(process.execPath, [downloader, folder, temporalVersion], {
      limitMs,
      signal: signal ? AbortSignal.any([signal, stalled.signal]) : stalled.signal,
    });
    if (stalled.signal.aborted) return { ok: false, reason: `nothing arrived for ${stalledMs / 1000} s` };
    if (!result.ok) return { ok: false, reason: shortened(result.reason) };
    const [name] = await readdir(folder);
    return name === undefined ? { ok: false, reason: 'nothing arrived' } : { ok: true, file: join(folder, name) };
  } finally {
    clearInterval(watch);
  }
};

async function sizeOf(folder: string): Promise<number> {
  const names = await readdir(folder).catch(() => []);
  const sizes = await Promise.all(
    names.map(async (name) => (await stat(join(folder, name)).catch(() => null))?.size ?? 0),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** The SDK's error names the address twice and the cause last. */
function shortened(reason: string): string {
  return reason.length > 200 ? `… ${reason.slice(-200)}` : reason;
}
