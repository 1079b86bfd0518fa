import { createServer } from 'node:http';
import Provider from 'oidc-provider';
import { listenForTest } from '../listen-for-test.ts';

/** How a client of the server names itself. */
interface Client {
  id: string;
  secret: string;
  auth: 'client_secret_basic' | 'client_secret_post';
}

/** A real OAuth 2 server, for one test, that gives tokens for client credentials. */
export async function oidcServer(clients: readonly Client[]) {
  const asked: string[] = [];
  const server = createServer();
  const port = await listenForTest(server);
  const issuer = `http://127.0.0.1:${port}`;
  const provider = new Provider(issuer, {
    clients: clients.map(({ id, secret, auth }) => ({
      ...{ client_id: id, client_secret: secret, token_endpoint_auth_method: auth },
      ...{ grant_types: ['client_credentials'], redirect_uris: [], response_types: [] },
    })),
    features: { clientCredentials: { enabled: true }, devInteractions: { enabled: false } },
    scopes: ['hooks:write'],
    ttl: { ClientCredentials: 3_600 },
  });
  provider.on('grant.success', ({ oidc }) => asked.push(`${oidc.client?.clientId} ${oidc.params?.scope ?? ''}`.trim()));
  server.on('request', provider.callback());
  return {
    tokenUrl: `${issuer}/token`,
    /** The client and the scope of each token that was given. */
    asked,
    /** Whether the server has given this token, and it is valid still. */
    isValid: async (token: string) => (await provider.ClientCredentials.find(token))?.isValid === true,
    async revoke(token: string) {
      await (await provider.ClientCredentials.find(token))?.destroy();
    },
    /** From now on, hangs up on each request. */
    goAway() {
      server.removeAllListeners('request');
      server.on('request', ({ socket }) => socket.destroy());
    },
  };
}
