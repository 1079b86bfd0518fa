import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/**
 * Builds the console into `src/console/dist`, from which the gateway serves it (`npm run console`; `npm ci` does it, too).
 * Nothing is inlined: the policy of the pages (src/api/console-routes.ts) allows files of the gateway only.
 */
export default defineConfig({
  root: import.meta.dirname,
  base: '/dashboard/',
  plugins: [react()],
  // For development: `npx vite src/console/web` shows the pages with the data of `npm start`.
  server: { proxy: { '/admin': 'http://127.0.0.1:8080' } },
  css: { modules: { localsConvention: 'camelCaseOnly' } },
  build: {
    outDir: '../dist',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2022',
    reportCompressedSize: true,
  },
});
