import { afterAll, beforeAll } from 'vitest';
import { startGateway, type TestGateway, type TestGatewayOptions } from '../../support/gateway.ts';
import { secretText } from '../../support/secrets.ts';
import { browserEndsWithItsFile } from './browser.ts';

/** Tokens of users with fewer rights. */
export const tokens = { operator: secretText('operator-token'), reader: secretText('reader-token') };

/** Starts one gateway for the tests of a file, and stops it and the browser afterwards. */
export function consoleGateway(options: TestGatewayOptions = {}): () => TestGateway {
  let gateway: TestGateway;
  browserEndsWithItsFile();
  beforeAll(async () => {
    gateway = await startGateway({
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
