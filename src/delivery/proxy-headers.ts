/**
 * Inbound headers that are never forwarded, because a consumer behind a proxy trusts them. They tell it who the client
 * or the logged-in user is, how the request arrived, or what it requests. `docs/dropped-headers.md` says of each which
 * software trusts it, with the public page that documents it. A final `*` matches any rest.
 *
 * A wildcard is used where all names with a prefix belong to the proxy. Webhook providers use some of these prefixes
 * too (`x-goog-channel-id`, `x-vercel-signature`, `x-amz-sns-…`, `tailscale-webhook-signature`); there, names are
 * listed one by one.
 */
export const proxyHeaders: readonly string[] = [
  // The client, and how the request arrived.
  ...['forwarded', 'forwarded-*', 'x-forwarded', 'x-forwarded-*', 'via', 'cdn-loop'],
  ...['client-cert', 'client-cert-chain'],
  ...['proxy', 'x-real-*', 'client-ip', 'x-client-ip', 'x-cluster-client-ip', 'true-client-ip', 'x-originating-ip'],
  ...['x-proxyuser-ip', 'x-original-for', 'x-original-host', 'x-original-proto', 'x-original-prefix'],
  // What the request is for.
  ...['x-original-uri', 'x-original-method', 'x-original-forwarded-for', 'x-rewrite-url', 'x-waws-unencoded-url'],
  ...['x-host', 'x-http-host-override', 'x-scheme', 'x-url-scheme', 'x-proto', 'front-end-https'],
  ...['x-http-method-override', 'x-http-method', 'x-method-override', 'script-name', 'path-info', 'x-script-name'],
  ...['x-sendfile-type', 'x-accel-mapping', 'x-middleware-*'],
  // The user, as proxies that log users in tell it.
  ...['remote-*', 'x-remote-*', 'impersonate-*', 'x-auth-request-*'],
  ...['x-auth-audience', 'x-auth-email', 'x-auth-expiresin', 'x-auth-groups', 'x-auth-roles', 'x-auth-subject'],
  ...['x-auth-user', 'x-auth-userid', 'x-auth-username'],
  ...['x-webauth-*', 'x-authentik-*', 'x-pomerium-*', 'x-vouch-*'],
  ...['x-authenticated-*', 'x-consumer-*', 'x-credential-*', 'x-anonymous-consumer'],
  ...['oidc-*', 'x-userinfo', 'x-id-token', 'shib-*', 'mellon-*', 'cas-user', 'sm-*', 'smuser', 'oam-*', 'iv-*'],
  ...['$ws*', 'wl-proxy-*', 'tailscale-user-*', 'tailscale-app-capabilities'],
  // TLS and the certificate of the client.
  ...['x-client-cert*', 'x-client-dn', 'x-client-subject*', 'x-client-issuer*', 'x-client-verif*'],
  ...['ssl-client-*', 'ssl-session-id', 'x-ssl', 'x-ssl-*', 'x-tls-*'],
  // Service meshes.
  ...['x-envoy-*', 'l5d-*'],
  // Content delivery networks and cloud platforms.
  ...['cf-*', 'fastly-*', 'akamai-*', 'x-akamai-*', 'incap-*', 'x-sucuri-*', 'do-connecting-ip', 'cloudfront-*'],
  ...['x-amzn-oidc-*', 'x-amzn-mtls-*', 'x-amzn-tls-*'],
  ...['x-apigateway-*', 'x-amzn-request-context', 'x-amzn-lambda-context', 'x-endpoint-api-*'],
  ...['x-goog-iap-*', 'x-goog-authenticated-user-*', 'x-serverless-authorization', 'x-appengine-*'],
  ...['x-ms-client-principal*', 'x-ms-token-*', 'x-arr-*', 'x-azure-clientip', 'x-azure-socketip', 'x-azure-fdid'],
  ...['x-azure-requestchain', 'x-fd-healthprobe', 'fly-*', 'x-nf-*'],
  ...['x-vercel-forwarded-for', 'x-vercel-proxied-for', 'x-vercel-ip-*', 'x-vercel-protection-bypass'],
  ...['x-vercel-oidc-token', 'x-vercel-trusted-oidc-idp-token'],
];

/**
 * Headers that match a wildcard above but are forwarded, unless DROPPED_HEADERS names them, because consumers read them:
 * the address that a chat service called, the secret of Cloudflare's notifications, and the signatures of the webhooks of
 * Envoy (visitor management) and SurveyMonkey.
 */
export const keptHeaders: readonly string[] = [
  ...['x-original-url', 'cf-webhook-auth', 'x-envoy-signature', 'sm-signature', 'sm-apikey'],
];
