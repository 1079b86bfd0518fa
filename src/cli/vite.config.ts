import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vite';

const root = join(import.meta.dirname, '../..');
const file = 'webhook-gateway.mjs';

/**
 * Bundles the command line with its packages into `build/webhook-gateway.mjs` (`npm run build:cli`), which needs Node 20
 * and nothing else.
 */
export default defineConfig({
  root,
  // No files besides the bundle.
  publicDir: false,
  ssr: { noExternal: true },
  plugins: [
    {
      name: 'executable',
      writeBundle: ({ dir }) => chmodSync(join(dir ?? root, file), 0o755),
    },
  ],
  build: {
    ssr: 'src/cli/main.ts',
    outDir: 'build',
    // The workflows are bundled into the same folder.
    emptyOutDir: false,
    target: 'node20',
    minify: false,
    rolldownOptions: {
      output: { entryFileNames: file, banner: '#!/usr/bin/env node', codeSplitting: false },
    },
  },
});
