import { describe, expect, test } from 'vitest';
import type { Role } from '../../src/config/config.ts';
import { at, mistakes, temporal, tomlFile } from './settings.ts';

describe('profiles', () => {
  const text = `
    [profile.default]
    address = "default.test:7233"
    namespace = "of-default"
    [profile.other]
    address = "other.test:7233"
    api_key = "hush"
    [profile.other.tls]
    server_name = "name.test"
    [profile.other.grpc_meta]
    x-kept = "kept"
    x-gone = "gone"`;

  test.each<Role>(['api', 'worker'])("%s uses the default profile of the user's file", (role) => {
    expect(temporal(tomlFile(text).home, role)).toMatchObject({
      address: 'default.test:7233',
      namespace: 'of-default',
    });
  });

  test('TEMPORAL_PROFILE and TEMPORAL_CONFIG_FILE select a profile, and variables override it', () => {
    const env = { TEMPORAL_CONFIG_FILE: tomlFile(text).file, TEMPORAL_PROFILE: 'other' };
    expect(temporal(env)).toMatchObject({
      ...{ address: 'other.test:7233', namespace: 'default', apiKey: 'hush' },
      ...{ tls: { serverNameOverride: 'name.test' }, metadata: { 'x-kept': 'kept', 'x-gone': 'gone' } },
    });
    const more = { ...at, TEMPORAL_NAMESPACE: 'n', TEMPORAL_API_KEY: 'k', TEMPORAL_GRPC_META_X_GONE: '' };
    expect(temporal({ ...env, ...more })).toMatchObject({
      ...{ address: 't:7233', namespace: 'n', apiKey: 'k', metadata: { 'x-kept': 'kept' } },
    });
  });

  test('a file without any profile is accepted', () => {
    expect(mistakes({ ...at, ...tomlFile('').home })).toEqual([]);
  });

  test.each<Role>(['all', 'migrate', 'restore'])('%s, which uses no external Temporal, ignores the file', (role) => {
    const nothing = { address: null, apiKey: null, tls: false, metadata: {}, namespace: 'default' };
    const variables = {
      ...{ TEMPORAL_API_KEY: 'k', TEMPORAL_TLS: 'true', TEMPORAL_PROFILE: 'missing', TEMPORAL_GRPC_META_X: 'x' },
      TEMPORAL_TLS_CLIENT_CERT_PATH: '/nowhere',
    };
    expect(temporal({ ...tomlFile('broken [').home, ...variables }, role)).toMatchObject(nothing);
  });

  test('all with TEMPORAL_ADDRESS uses the file like the other roles', () => {
    expect(temporal({ ...at, ...tomlFile(text).home, TEMPORAL_PROFILE: 'other' }, 'all')).toMatchObject({
      ...{ address: 't:7233', apiKey: 'hush', tls: { serverNameOverride: 'name.test' } },
    });
  });
});
