import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { StartError } from '../shared/start-error.ts';

/** A file of the console, as sent to browsers. */
export interface ConsoleFile {
  bytes: Uint8Array<ArrayBuffer>;
  /** The same, compressed with gzip at the first call; null where that saves nothing. */
  gzip(): Promise<Uint8Array<ArrayBuffer> | null>;
  type: string;
  /** Changes with the content. */
  etag: string;
}

const compress = promisify(gzip);

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** The folder that `npm run console` writes. */
const built = new URL('../console/dist/', import.meta.url);

interface ConsoleFiles {
  shell: ConsoleFile;
  assets: ReadonlyMap<string, ConsoleFile>;
}

/** Read once, also by a process that starts several apis, as tests do. */
let files: ConsoleFiles | null = null;

/**
 * Reads all files of the built console at the start, so that a missing one is detected then.
 *
 * @throws StartError when the console was not built.
 */
export function readConsoleFiles(): ConsoleFiles {
  files ??= readAll();
  return files;
}

function readAll(): ConsoleFiles {
  try {
    const assets = readdirSync(new URL('assets/', built));
    return {
      shell: read('index.html'),
      assets: new Map(assets.map((name) => [name, read(`assets/${name}`)])),
    };
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    throw new StartError(
      'The console is not built. `npm ci --include=dev` builds it, unless it is told to run no scripts. Afterwards ' +
        '`npm prune --omit=dev` removes what only builds it.',
      { cause: error },
    );
  }
}

function read(name: string): ConsoleFile {
  const type = types[extname(name)];
  if (type === undefined) throw new Error(`the console has a file of an unknown type: ${name}`);
  const bytes = readFileSync(new URL(name, built));
  const digest = createHash('sha256').update(bytes).digest('base64url');
  // Most processes never send most files, and to compress all would be a tenth of the work of a start.
  let compressed: Promise<Uint8Array<ArrayBuffer> | null> | null = null;
  const compressOnce = async () => {
    const smaller = await compress(bytes, { level: 9 });
    return smaller.length < bytes.length ? smaller : null;
  };
  return { bytes, gzip: () => (compressed ??= compressOnce()), type, etag: `"${digest.slice(0, 22)}"` };
}
