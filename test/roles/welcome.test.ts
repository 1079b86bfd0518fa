import { expect, test } from 'vitest';
import { welcome } from '../../src/roles/welcome.ts';

const settings = {
  baseUrl: 'http://127.0.0.1:8080',
  adminToken: null,
  webUiUrl: null,
  dataDir: '/d',
  outboxDir: '/d/outbox',
  pause: null,
};

test('without a key for e-mail the start says where it goes, and how to send it', () => {
  expect(welcome({ ...settings, allowedNetworks: ['10.0.0.0/8'] })).toContain(
    [
      '  Deliveries to  public addresses and 10.0.0.0/8 (DELIVERY_ALLOWED_NETWORKS)',
      '  E-mail         written to /d/outbox (set SENDGRID_API_KEY to send it)\n\n',
    ].join('\n'),
  );
});

test('the dashboard is where the gateway is', () => {
  expect(welcome({ ...settings, allowedNetworks: [] })).toContain('  Dashboard      http://127.0.0.1:8080/dashboard\n');
});

test('with one it says nothing of e-mail', () => {
  expect(welcome({ ...settings, allowedNetworks: [], outboxDir: null })).toContain(
    '  Deliveries to  public addresses only\n\n',
  );
});
