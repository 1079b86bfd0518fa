import { afterAll, beforeAll } from 'vitest';
import { readConfig } from '../../../src/config/config.ts';
import { settingsInForce } from '../../../src/config/in-force.ts';
import { startGateway, type TestGateway, type TestGatewayOptions } from '../../support/gateway.ts';
import { secretText } from '../../support/secrets.ts';
import { browserEndsWithItsFile } from './browser.ts';

/** Tokens of users with fewer rights. */
export const tokens = { operator: secretText('operator-token'), reader: secretText('reader-token') };

/** The settings of `npm start` without a variable in its environment. */
const settings = settingsInForce(readConfig('all', {}), {}, new Set());

/** Starts one gateway for the tests of a file, and stops it and the browser afterwards. */
export function consoleGateway(options: TestGatewayOptions = {}): () => TestGateway {
  let gateway: TestGateway;
  browserEndsWithItsFile();
  beforeAll(async () => {
    gateway = await startGateway({
      settings,
      ...options,
      adminTokens: [
        { name: 'olga', token: tokens.operator, role: 'operate' },
        { name: 'rita', token: tokens.reader, role: 'read' },
      ],
    });
  });
  afterAll(() => gateway.stop());
  return () => gateway;
}
