import type { Pause } from '../events/pause.ts';

export interface Welcome {
  baseUrl: string;
  /** The token that was generated; null when the operator has set tokens and knows them. */
  adminToken: string | null;
  webUiUrl: string | null;
  dataDir: string;
  allowedNetworks: readonly string[];
  /** Where e-mail is written instead of being sent; null when it is sent. */
  outboxDir: string | null;
  backups: {
    /** Where they go. */
    place: string;
    /** Where the key is that they are worthless without: a file or a setting. */
    key: string;
  };
  /** Null while deliveries go on. */
  pause: Pause | null;
}

/** What `npm start` says when everything runs: addresses, token, and three commands to paste. */
export function welcome(settings: Welcome): string {
  const { baseUrl, adminToken, webUiUrl, dataDir, allowedNetworks, outboxDir, backups, pause } = settings;
  const token = adminToken ?? '$ADMIN_TOKEN';
  const quoted = adminToken === null ? '"X-Admin-Token: $ADMIN_TOKEN"' : `'X-Admin-Token: ${token}'`;
  const account = JSON.stringify({
    provider: 'generic',
    account_slug: 'hello',
    app_key: 'first-steps',
    signing_secret_current: 'change-me',
    delivery_url: `${baseUrl}/health/live`,
  });
  const paused = pause
    ? `\n  Deliveries     PAUSED ${sinceAndWhy(pause)}; resume with: curl -X POST ${baseUrl}/admin/delivery/resume -H ${quoted}`
    : '';
  return `
The webhook gateway is up.

  Gateway        ${baseUrl}
  Dashboard      ${baseUrl}/dashboard
  Admin token    ${adminToken ?? 'as you set it in ADMIN_TOKEN or ADMIN_TOKENS'}
  Temporal UI    ${webUiUrl ?? 'wherever your Temporal shows it (TEMPORAL_UI_URL)'}
  Data           ${dataDir}
  Backups        ${backups.place}; worthless without ${backups.key}: keep a copy of the key elsewhere
  Deliveries to  public addresses${allowedNetworks.length > 0 ? ` and ${allowedNetworks.join(', ')} (DELIVERY_ALLOWED_NETWORKS)` : ' only'}${outboxDir === null ? '' : `\n  E-mail         written to ${outboxDir} (set SENDGRID_API_KEY to send it)`}${paused}

Try it, in another terminal: make an account, send it a webhook, see what became of it.

  curl -X POST ${baseUrl}/admin/accounts -H ${quoted} -H 'Content-Type: application/json' -d '${account}'

  curl -X POST ${baseUrl}/generic/hello -H 'X-Webhook-Secret: change-me' -H 'Content-Type: application/json' -d '{"id":"hello-1","type":"greeting"}'

  curl ${baseUrl}/admin/events -H ${quoted}

Or watch a whole delivery with two failures on the way: npm run demo
Ctrl-C stops everything; the next start finds all of it again.
`;
}

/** On one line, whatever somebody gave as the reason. */
function sinceAndWhy({ since, reason }: Pause): string {
  const why = reason.replaceAll(/\p{Cc}+/gu, ' ');
  return `since ${since.toISOString()}${why === '' ? '' : ` (${why})`}`;
}
