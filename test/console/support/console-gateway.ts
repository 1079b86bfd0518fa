import { readConfig } from '../../../src/config/config.ts';
import { settingsInForce } from '../../../src/config/in-force.ts';
import type { TestGateway } from '../../support/gateway.ts';
import type { TestGatewayOptions } from '../../support/gateway-options.ts';
import { secretText } from '../../support/secrets.ts';
import { useGateway } from '../../support/use-gateway.ts';
import { browserEndsWithItsFile } from './browser.ts';

/** Tokens of users with fewer rights. */
export const tokens = { operator: secretText('operator-token'), reader: secretText('reader-token') };

/** The settings of `npm start` without a variable in its environment. */
const settings = settingsInForce(readConfig('all', {}), {}, new Set());

/** One gateway for the tests of a file; the browser ends with the file too. */
export function consoleGateway(options: TestGatewayOptions = {}): TestGateway {
  browserEndsWithItsFile();
  return useGateway({
    settings,
    ...options,
    adminTokens: [
      { name: 'olga', token: tokens.operator, role: 'operate' },
      { name: 'rita', token: tokens.reader, role: 'read' },
    ],
  });
}
