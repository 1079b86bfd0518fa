import { trialPath } from '../http/trial-path.ts';
import type { Ready } from './role-context.ts';

export interface Welcome {
  baseUrl: string;
  /** Why deliveries to the gateway itself, as the commands to paste make them, are refused; null if they are not. */
  refused: string | null;
  /** The generated token; null when it is not shown, or the operator has set tokens. */
  adminToken: string | null;
  /** The file of the generated token; null when the operator has set tokens. */
  tokenFile: string | null;
  webUiUrl: string | null;
  dataDir: string;
  allowedNetworks: readonly string[];
  /** The folder to which e-mail is written instead of being sent; null when it is sent. */
  outboxDir: string | null;
  backups: {
    /** The place of the backups. */
    place: string;
    /** The place of the key that is needed to restore them: a file or a setting. */
    key: string;
  };
  /** Null when deliveries are not paused. */
  pause: NonNullable<Ready['pause']> | null;
}

/** The text of `npm start` when everything runs: addresses, token, and three commands to paste if they work here. */
export function welcome(settings: Welcome): string {
  const { baseUrl, refused, adminToken, tokenFile, webUiUrl, dataDir, allowedNetworks, outboxDir, backups, pause } =
    settings;
  const quoted = adminToken === null ? '"X-Admin-Token: $ADMIN_TOKEN"' : `'X-Admin-Token: ${adminToken}'`;
  const place = tokenFile === null ? 'as you set it in ADMIN_TOKEN or ADMIN_TOKENS' : `in ${tokenFile}`;
  const paused = pause
    ? `\n  Deliveries     PAUSED ${sinceAndWhy(pause)}; resume with: curl -X POST ${baseUrl}/admin/delivery/resume -H ${quoted}`
    : '';
  return `
The webhook gateway is up.

  Gateway        ${baseUrl}
  Console        ${baseUrl}/dashboard
  Admin token    ${adminToken ?? place}
  Temporal UI    ${webUiUrl ?? 'wherever your Temporal shows it (TEMPORAL_UI_URL)'}
  Data           ${dataDir}
  Backups        ${backups.place}; worthless without ${backups.key}: keep a copy of the key elsewhere
  Deliveries to  public addresses${allowedNetworks.length > 0 ? ` and ${allowedNetworks.join(', ')} (DELIVERY_ALLOWED_NETWORKS)` : ' only'}${outboxDir === null ? '' : `\n  E-mail         written to ${outboxDir} (set SENDGRID_API_KEY to send it)`}${paused}

${refused === null ? firstSteps(baseUrl, quoted) : `Try it in the console, which guides you to a first event. Deliveries to this gateway itself are refused: ${refused}.`}

Or watch a whole delivery with two failures on the way: npm run demo
Ctrl-C stops everything; the next start continues with the same data.
`;
}

function firstSteps(baseUrl: string, token: string): string {
  const account = JSON.stringify({
    provider: 'generic',
    account_slug: 'hello',
    app_key: 'first-steps',
    signing_secret_current: 'change-me',
    delivery_url: baseUrl + trialPath,
  });
  return `Try it in the console, which guides you to a first delivered event. Or in another terminal: create an account, send it a webhook, and list the events.

  curl -X POST ${baseUrl}/admin/accounts -H ${token} -H 'Content-Type: application/json' -d '${account}'

  curl -X POST ${baseUrl}/generic/hello -H 'X-Webhook-Secret: change-me' -H 'Content-Type: application/json' -d '{"id":"hello-1","type":"greeting"}'

  curl ${baseUrl}/admin/events -H ${token}`;
}

/** The start of the pause and its reason, without line breaks. */
function sinceAndWhy({ since, reason }: NonNullable<Ready['pause']>): string {
  const why = reason.replaceAll(/\p{Cc}+/gu, ' ');
  return `since ${since}${why === '' ? '' : ` (${why})`}`;
}
