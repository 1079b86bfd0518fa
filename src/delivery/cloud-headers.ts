import type { ProxyHeaders } from './trusted-headers.ts';

/** The headers that content delivery networks and cloud platforms set: a part of the table in proxy-headers.ts. */
export const cloudHeaders: readonly ProxyHeaders[] = [
  {
    names: ['cf-*'],
    believedBy: 'Cloudflare: address, certificate, country and (Access) user',
    source: 'https://developers.cloudflare.com/fundamentals/reference/http-headers/',
  },
  {
    names: ['fastly-*'],
    believedBy: 'Fastly: address of the client, TLS, whether another node has seen the request',
    source: 'https://www.fastly.com/documentation/reference/http/http-headers/Fastly-Client-IP/',
  },
  {
    names: ['akamai-*', 'x-akamai-*', 'incap-*', 'x-sucuri-*', 'do-connecting-ip'],
    believedBy: 'Akamai, Imperva, Sucuri and DigitalOcean: address and place of the client',
    source: 'https://docs.digitalocean.com/products/app-platform/how-to/configure-edge-settings/',
  },
  {
    names: ['cloudfront-*'],
    believedBy: 'Amazon CloudFront: address, scheme and place of the client',
    source: 'https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/adding-cloudfront-headers.html',
  },
  {
    names: ['x-amzn-oidc-*', 'x-amzn-mtls-*', 'x-amzn-tls-*'],
    believedBy: 'AWS load balancers: user, certificate, TLS',
    source: 'https://docs.aws.amazon.com/elasticloadbalancing/latest/application/header-modification.html',
  },
  {
    names: ['x-apigateway-*', 'x-amzn-request-context', 'x-amzn-lambda-context', 'x-endpoint-api-*'],
    believedBy: 'functions behind API gateways of AWS and Google: authorizer, user and context',
    source: 'https://cloud.google.com/api-gateway/docs/passing-data',
  },
  {
    names: ['x-goog-iap-*', 'x-goog-authenticated-user-*', 'x-serverless-authorization'],
    believedBy: 'Google Identity-Aware Proxy and Cloud Run: user and credentials',
    source: 'https://cloud.google.com/iap/docs/identity-howto',
  },
  {
    names: ['x-appengine-*'],
    believedBy: 'Google App Engine: user, application, cron and task queue',
    source: 'https://cloud.google.com/appengine/docs/standard/reference/request-headers',
  },
  {
    names: ['x-ms-client-principal*', 'x-ms-token-*'],
    believedBy: 'Azure App Service: user and tokens',
    source: 'https://learn.microsoft.com/en-us/azure/app-service/configure-authentication-user-identities',
  },
  {
    names: [
      'x-arr-*',
      'x-azure-clientip',
      'x-azure-socketip',
      'x-azure-fdid',
      'x-azure-requestchain',
      'x-fd-healthprobe',
    ],
    believedBy: 'Azure App Service and Front Door: certificate, address, and that the request came through Front Door',
    source: 'https://learn.microsoft.com/en-us/azure/frontdoor/front-door-http-headers-protocol',
  },
  {
    names: ['fly-*', 'x-nf-*'],
    believedBy: 'Fly.io and Netlify: address of the client, routing',
    source: 'https://fly.io/docs/networking/request-headers/',
  },
  {
    names: [
      ...['x-vercel-forwarded-for', 'x-vercel-proxied-for', 'x-vercel-ip-*', 'x-vercel-protection-bypass'],
      ...['x-vercel-oidc-token', 'x-vercel-trusted-oidc-idp-token'],
    ],
    believedBy: 'Vercel: address and place of the client, tokens',
    source: 'https://vercel.com/docs/headers/request-headers',
  },
];
