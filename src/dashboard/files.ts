import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** A file of the dashboard, as sent to browsers. */
export interface DashboardFile {
  bytes: Uint8Array<ArrayBuffer>;
  type: string;
  /** Changes with the content. */
  etag: string;
}

const script = 'text/javascript; charset=utf-8';
const assets = {
  'dashboard.css': 'text/css; charset=utf-8',
  'icon.svg': 'image/svg+xml',
  'main.js': script,
  'api.js': script,
  'screen.js': script,
  'dom.js': script,
  'format.js': script,
  'event-page.js': script,
  'event-actions.js': script,
  'event-tables.js': script,
  'list-page.js': script,
  'list-filters.js': script,
  'pause-banner.js': script,
  'providers-page.js': script,
  'rejection-reasons.js': script,
} as const;

/** Reads all files of the dashboard at the start, so that a missing one is detected then. */
export function readDashboardFiles(): { shell: DashboardFile; assets: ReadonlyMap<string, DashboardFile> } {
  return {
    shell: read('shell.html', 'text/html; charset=utf-8'),
    assets: new Map(Object.entries(assets).map(([name, type]) => [name, read(name, type)])),
  };
}

function read(name: string, type: string): DashboardFile {
  const bytes = readFileSync(new URL(`browser/${name}`, import.meta.url));
  const digest = createHash('sha256').update(bytes).digest('base64url');
  return { bytes, type, etag: `"${digest.slice(0, 22)}"` };
}
