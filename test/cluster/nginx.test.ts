import { expect, test } from 'vitest';
import { configurationFor } from './nginx.ts';

test('the configuration of the compose file is used with the addresses of this machine', () => {
  const text = configurationFor({ apis: [29_000, 29_001], port: 31_000, folder: '/tmp/cluster/nginx' });
  expect(text).toContain('server 127.0.0.1:29000 max_fails=1 fail_timeout=1s;');
  expect(text).toContain('server 127.0.0.1:29001 max_fails=1 fail_timeout=1s;');
  expect(text).toContain('listen 127.0.0.1:31000;');
  expect(text).toContain('proxy_temp_path /tmp/cluster/nginx/proxy;');
  // The rest is as it is in production.
  for (const line of ['keepalive 64;', 'proxy_http_version 1.1;', 'location = /metrics { return 404; }'])
    expect(text).toContain(line);
  expect(text).not.toMatch(/api:8080|real-ip|0\.0\.0\.0/);
});

test('without an api there is an upstream on which nothing listens', () => {
  expect(configurationFor({ apis: [], port: 31_000, folder: '/tmp/nginx' })).toContain(
    'server 127.0.0.1:1 max_fails=1',
  );
});
