import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCommand } from './run-command.ts';
import type { TemporalSource } from './temporal-source.ts';
import { temporalVersion } from './temporal-version.ts';

const downloader = fileURLToPath(new URL('./temporal-downloader.ts', import.meta.url));
/** A download without progress for this long is aborted. This happens where a firewall drops packets. */
const stalledMs = 20_000;
const checkIntervalMs = 1_000;
const noticeMs = 10_000;
/** Enough for 90 MB over a slow connection. */
const limitMs = 30 * 60_000;

/**
 * Downloads the program through Temporal's SDK in a separate process: the SDK's runtime can be set up only once per
 * process, and a hanging download can be killed together with its children. The SDK downloads from
 * https://temporal.download. It verifies TLS certificates, but no checksum.
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
  }, checkIntervalMs);
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

/** Keeps the end of the SDK's error, which has the cause. */
function shortened(reason: string): string {
  return reason.length > 200 ? `… ${reason.slice(-200)}` : reason;
}
