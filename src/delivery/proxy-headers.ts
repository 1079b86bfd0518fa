import { cloudHeaders } from './cloud-headers.ts';
import type { ProxyHeaders } from './trusted-headers.ts';

/**
 * Inbound headers that are never forwarded, because a consumer behind a proxy trusts them. They tell it who the client
 * or the logged-in user is, how the request arrived, or what it requests. `docs/dropped-headers.md` shows this table.
 *
 * A wildcard is used where all names with a prefix belong to the proxy. Webhook providers use some of these prefixes
 * too (`x-goog-channel-id`, `x-vercel-signature`, `x-amz-sns-…`, `tailscale-webhook-signature`); there, names are
 * listed one by one.
 */
export const proxyHeaders: readonly ProxyHeaders[] = [
  {
    names: ['forwarded', 'forwarded-*'],
    believedBy: 'servers that follow RFC 7239',
    source: 'https://www.rfc-editor.org/rfc/rfc7239',
  },
  {
    names: ['x-forwarded', 'x-forwarded-*'],
    believedBy: 'nearly all proxies and frameworks: client, host, scheme, port, prefix, user, client certificate',
    source: 'https://developer.mozilla.org/en-US/docs/Web/HTTP/Reference/Headers/X-Forwarded-For',
  },
  {
    names: ['via'],
    believedBy: 'proxies and caches: the route of the inbound request, of which a delivery is no part',
    source: 'https://www.rfc-editor.org/rfc/rfc9110#section-7.6.3',
  },
  {
    names: ['cdn-loop'],
    believedBy: 'content delivery networks: they refuse what seems to loop, as where both sides use the same one',
    source: 'https://www.rfc-editor.org/rfc/rfc8586',
  },
  {
    names: ['client-cert', 'client-cert-chain'],
    believedBy: 'servers that follow RFC 9440: certificate of the client',
    source: 'https://www.rfc-editor.org/rfc/rfc9440',
  },
  {
    names: ['proxy'],
    believedBy: 'CGI programs: it becomes HTTP_PROXY, through which they make their own requests (httpoxy)',
    source: 'https://httpoxy.org/',
  },
  {
    names: ['x-real-*'],
    believedBy: 'nginx and what stands behind it: address and port of the client',
    source: 'https://nginx.org/en/docs/http/ngx_http_realip_module.html',
  },
  {
    names: ['client-ip', 'x-client-ip', 'x-cluster-client-ip', 'true-client-ip', 'x-originating-ip', 'x-proxyuser-ip'],
    believedBy: 'load balancers and frameworks (Rails, PHP, Akamai, Cloudflare): address of the client',
    source: 'https://api.rubyonrails.org/classes/ActionDispatch/RemoteIp/GetIp.html',
  },
  {
    names: ['x-original-for', 'x-original-host', 'x-original-proto', 'x-original-prefix'],
    believedBy: 'ASP.NET Core: what it was before its middleware for forwarded headers',
    source: 'https://learn.microsoft.com/en-us/aspnet/core/host-and-deploy/proxy-load-balancer',
  },
  {
    names: ['x-original-uri', 'x-original-method', 'x-original-forwarded-for'],
    believedBy: 'services that answer for ingress-nginx whether a request may pass',
    source: 'https://kubernetes.github.io/ingress-nginx/user-guide/nginx-configuration/annotations/',
  },
  {
    names: ['x-rewrite-url', 'x-waws-unencoded-url'],
    believedBy: 'IIS and frameworks (Zend, older Symfony): the path that the request is for',
    source: 'https://symfony.com/blog/cve-2018-14773-remove-support-for-legacy-and-risky-http-headers',
  },
  {
    names: ['x-host', 'x-http-host-override', 'x-scheme', 'x-url-scheme', 'x-proto', 'front-end-https'],
    believedBy: 'applications behind proxies: host and scheme of the request',
    source: 'https://developer.mozilla.org/en-US/docs/Web/HTTP/Reference/Headers/X-Forwarded-Proto',
  },
  {
    names: ['x-http-method-override', 'x-http-method', 'x-method-override'],
    believedBy: 'Express, Rails, ASP.NET and others: a POST becomes another method',
    source: 'https://expressjs.com/en/resources/middleware/method-override.html',
  },
  {
    names: ['script-name', 'path-info', 'x-script-name'],
    believedBy: 'Gunicorn and WSGI applications: where the application is mounted, and so its paths',
    source: 'https://docs.gunicorn.org/en/stable/settings.html#forwarder-headers',
  },
  {
    names: ['x-sendfile-type', 'x-accel-mapping'],
    believedBy: 'Rack: which files the proxy is told to send',
    source: 'https://rack.github.io/rack/3.2/Rack/Sendfile.html',
  },
  {
    names: ['x-middleware-*'],
    believedBy: 'Next.js: which middleware, authorization included, has run already',
    source: 'https://nextjs.org/blog/cve-2025-29927',
  },
  {
    names: ['remote-*'],
    believedBy: 'Authelia, and what knows REMOTE_USER as a header: user, groups, e-mail address',
    source: 'https://www.authelia.com/integration/trusted-header-sso/introduction/',
  },
  {
    names: ['x-remote-*', 'impersonate-*'],
    believedBy: 'Kubernetes: user and groups from an authenticating proxy',
    source: 'https://kubernetes.io/docs/reference/access-authn-authz/authentication/#authenticating-proxy',
  },
  {
    names: ['x-auth-request-*'],
    believedBy: 'what stands behind OAuth2 Proxy: user, groups, tokens',
    source: 'https://oauth2-proxy.github.io/oauth2-proxy/configuration/overview',
  },
  {
    names: [
      ...['x-auth-audience', 'x-auth-email', 'x-auth-expiresin', 'x-auth-groups', 'x-auth-roles', 'x-auth-subject'],
      ...['x-auth-user', 'x-auth-userid', 'x-auth-username'],
    ],
    believedBy: 'what stands behind Gatekeeper (Keycloak): claims of the user',
    source: 'https://github.com/gogatekeeper/gatekeeper',
  },
  {
    names: ['x-webauth-*'],
    believedBy: 'Grafana and Gitea: the user whom a proxy has logged in',
    source:
      'https://grafana.com/docs/grafana/latest/setup-grafana/configure-security/configure-authentication/auth-proxy/',
  },
  {
    names: ['x-authentik-*'],
    believedBy: 'what stands behind authentik: user and groups',
    source: 'https://docs.goauthentik.io/add-secure-apps/providers/proxy',
  },
  {
    names: ['x-pomerium-*'],
    believedBy: 'what stands behind Pomerium: identity and claims',
    source: 'https://www.pomerium.com/docs/reference/pass-identity-headers',
  },
  {
    names: ['x-vouch-*'],
    believedBy: 'what stands behind Vouch Proxy: user and claims',
    source: 'https://github.com/vouch/vouch-proxy',
  },
  {
    names: ['x-authenticated-*', 'x-consumer-*', 'x-credential-*', 'x-anonymous-consumer'],
    believedBy: 'what stands behind Kong or APISIX: consumer, user and scope',
    source: 'https://apisix.apache.org/docs/apisix/plugins/key-auth',
  },
  {
    names: ['oidc-*', 'x-userinfo', 'x-id-token'],
    believedBy: 'what stands behind mod_auth_openidc or a gateway that speaks OpenID Connect: claims of the user',
    source: 'https://github.com/OpenIDC/mod_auth_openidc/wiki',
  },
  {
    names: ['shib-*', 'mellon-*', 'cas-user'],
    believedBy: 'what stands behind Shibboleth, mod_auth_mellon or mod_auth_cas: attributes of the user',
    source: 'https://shibboleth.atlassian.net/wiki/spaces/SP3/pages/2065335257/AttributeAccess',
  },
  {
    names: ['sm-*', 'smuser', 'oam-*', 'iv-*'],
    believedBy: 'what stands behind SiteMinder, Oracle Access Manager or IBM WebSEAL: user, groups, credentials',
    source: 'https://www.ibm.com/docs/en/sva/10.0.8?topic=headers-client-identity-in-http-bas',
  },
  {
    names: ['$ws*'],
    believedBy: 'WebSphere: address, user and certificate from its web server plug-in',
    source: 'https://portal2portal.blogspot.com/2011/01/websphere-application-server-exploring.html',
  },
  {
    names: ['wl-proxy-*'],
    believedBy: 'WebLogic: address and certificate from its proxy plug-in',
    source: 'https://docs.oracle.com/en/middleware/standalone/weblogic-server/14.1.1.0/wlssw/index.html',
  },
  {
    names: ['tailscale-user-*', 'tailscale-app-capabilities'],
    believedBy: 'what stands behind Tailscale Serve: user and capabilities',
    source: 'https://tailscale.com/kb/1312/serve',
  },
  {
    names: ['x-client-cert*', 'x-client-dn', 'x-client-subject*', 'x-client-issuer*', 'x-client-verif*'],
    believedBy: 'applications behind a proxy that ends TLS: certificate of the client',
    source:
      'https://www.haproxy.com/documentation/haproxy-configuration-tutorials/security/ssl-tls/client-side-encryption/',
  },
  {
    names: ['ssl-client-*', 'ssl-session-id', 'x-ssl', 'x-ssl-*', 'x-tls-*'],
    believedBy: 'ingress-nginx, HAProxy, Apache and IIS: TLS and certificate of the client',
    source:
      'https://kubernetes.github.io/ingress-nginx/user-guide/nginx-configuration/annotations/#client-certificate-authentication',
  },
  {
    names: ['x-envoy-*'],
    believedBy: 'Envoy and Istio: internal or not, retries, timeouts, original path',
    source: 'https://www.envoyproxy.io/docs/envoy/latest/configuration/http/http_conn_man/headers',
  },
  {
    names: ['l5d-*'],
    believedBy: 'Linkerd: identity of the client, routing',
    source: 'https://linkerd.io/2/features/automatic-mtls/',
  },
  ...cloudHeaders,
];

/** Headers that match the table above but are forwarded, unless DROPPED_HEADERS names them. */
export const keptHeaders: readonly { name: string; because: string }[] = [
  {
    name: 'x-original-url',
    because: 'the address that a chat service called, with its `key` masked; consumers of `support_chat` read it',
  },
  { name: 'cf-webhook-auth', because: "the secret that Cloudflare's notifications carry, for consumers that check it" },
];
