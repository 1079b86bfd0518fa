import { expect, test } from 'vitest';
import { welcome } from '../../src/roles/welcome.ts';

const settings = {
  baseUrl: 'http://127.0.0.1:8080',
  refused: null,
  adminToken: null,
  tokenFile: null,
  webUiUrl: null,
  dataDir: '/d',
  outboxDir: '/d/outbox',
  backups: { place: '/d/backups', key: '/d/secrets/secrets-key' },
  pause: null,
};

test('without a key for e-mail the start says where e-mail is written, and how to send it', () => {
  expect(welcome({ ...settings, allowedNetworks: ['10.0.0.0/8'] })).toContain(
    [
      '  Deliveries to  public addresses and 10.0.0.0/8 (DELIVERY_ALLOWED_NETWORKS)',
      '  E-mail         written to /d/outbox (set SENDGRID_API_KEY to send it)\n\n',
    ].join('\n'),
  );
});

test('the dashboard has the address of the gateway', () => {
  expect(welcome({ ...settings, allowedNetworks: [] })).toContain('  Console        http://127.0.0.1:8080/dashboard\n');
});

test('the start says where backups are written, and that they need the key', () => {
  expect(welcome({ ...settings, allowedNetworks: [] })).toContain(
    '  Backups        /d/backups; worthless without /d/secrets/secrets-key: keep a copy of the key elsewhere\n',
  );
});

test('a pause is shown with the command that ends it', () => {
  const pause = { since: '2026-11-21T02:30:00.000Z', reason: 'restored from\n\u001b[2Jbackup' };
  const resume = 'curl -X POST http://127.0.0.1:8080/admin/delivery/resume -H';
  expect(welcome({ ...settings, allowedNetworks: [], pause })).toContain(
    `  Deliveries     PAUSED since 2026-11-21T02:30:00.000Z (restored from [2Jbackup); resume with: ${resume} "X-Admin-Token: $ADMIN_TOKEN"\n\n`,
  );
  expect(welcome({ ...settings, allowedNetworks: [], pause: { ...pause, reason: '' }, adminToken: 'token' })).toContain(
    `since 2026-11-21T02:30:00.000Z; resume with: ${resume} 'X-Admin-Token: token'\n`,
  );
  expect(welcome({ ...settings, allowedNetworks: [] })).not.toContain('PAUSED');
});

test('with a key for e-mail the start does not mention e-mail', () => {
  expect(welcome({ ...settings, allowedNetworks: [], outboxDir: null })).toContain(
    '  Deliveries to  public addresses only\n\n',
  );
});
