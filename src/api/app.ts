import { node } from '@elysia/node';
import { Elysia } from 'elysia';
import { z } from 'zod';
import { AdminCalls } from '../audit/admin-calls.ts';
import type { AuditWriter } from '../audit/audit-writer.ts';
import type { DeniedCalls } from '../audit/denied/denied-calls.ts';
import type { RepeatedReads } from '../audit/repeated-reads.ts';
import { addressOf } from '../http/address.ts';
import { clientNetworks } from '../http/admin/client-address.ts';
import type { SlowAnswers } from '../http/admin/slow-answers.ts';
import { withdrawAnswer } from '../http/direct-answer.ts';
import { problemOf } from '../http/errors.ts';
import { healthRoutes } from '../http/health.ts';
import { allowedMethods } from '../http/method-not-allowed.ts';
import { metricsRoutes } from '../http/metrics.ts';
import { Problem } from '../http/problem.ts';
import { ingestionMethods } from '../ingest/handshake.ts';
import type { IngestDeps } from '../ingest/ingest.ts';
import { largeWebhookWarnings } from '../ingest/large-webhooks.ts';
import { ingestRoutes } from '../ingest/routes.ts';
import type { Log } from '../shared/log.ts';
import { plainWords } from '../shared/plain-words.ts';
import { version } from '../shared/version.ts';
import { accountsOf, requireWithin } from '../tokens/scope-reach.ts';
import { type AdminDeps, adminRoutes } from './admin-routes.ts';
import { consoleRoutes } from './console-routes.ts';
import { docsRoutes } from './openapi/docs.ts';
import { openApiDocument } from './openapi/document.ts';

export interface AppDeps extends Omit<AdminDeps, 'calls' | 'providers' | 'checks'> {
  /** CIDRs of the proxies whose `X-Forwarded-For` is trusted. */
  trustedProxies: readonly string[];
  audit: AuditWriter;
  denied: DeniedCalls;
  reads: RepeatedReads;
  /** Delays the responses to wrong tokens; closed when the gateway stops. */
  slowAnswers: SlowAnswers;
  ingest: IngestDeps;
  maxPayloadBytes: number;
  /** The URL at which providers reach the gateway; null: derived from each request's `Host` header. */
  publicUrl: string | null;
  /** Gives the answer of `/metrics`; null when it is on another port. */
  scrape: (() => Promise<Uint8Array>) | null;
  log: Log;
}

/** The whole HTTP side as one Elysia app. */
export function createApp(deps: AppDeps) {
  // Elysia passes no options to zod, so the error messages are configured globally.
  z.config({ customError: plainWords });
  const { audit, denied, reads, slowAnswers, trustedProxies, log } = deps;
  const { reader } = deps.database;
  const calls = new AdminCalls({
    ...{ audit, denied, reads, slowAnswers, tokens: deps.tokens, trustedProxies, log },
    reach: {
      accountsOf: (scope) => accountsOf(reader, scope),
      requireWithin: (accountIds, ids) => requireWithin(reader, accountIds, ids),
    },
  });
  const { admin, actionOf } = adminRoutes({
    ...{ ...deps, calls, providers: deps.ingest.providers },
    checks: { ...deps.ingest, database: deps.database, publicUrl: deps.publicUrl },
  });

  const nothingHere = (method: string, pathname: string): Problem => {
    const methods = allowedMethods(app.routes, pathname, (name) => ingestionMethods(deps.ingest.providers.get(name)));
    if (methods.length === 0) return new Problem('not_found', 'there is nothing at this address');
    const allow = methods.join(', ');
    return new Problem('method_not_allowed', `this address accepts ${allow}, not ${method}`, { headers: { allow } });
  };

  // With the standard option, Elysia assumes a host of at least four characters; `http://gw/` is valid too.
  const app = new Elysia({ adapter: node(), handler: { standardHostname: false } })
    .onError(async ({ error, code, request, route }) => {
      withdrawAnswer(request);
      const { pathname } = addressOf(request);
      let problem = code === 'NOT_FOUND' ? nothingHere(request.method, pathname) : problemOf(error, code, log);
      if (isAdmin(pathname)) {
        // Without a valid token, unknown paths also get 401, so that clients cannot discover routes.
        if (code === 'NOT_FOUND')
          await calls.authorize(request, { route: 'unknown', operation: null }).catch((denied: unknown) => {
            problem = problemOf(denied, 'UNKNOWN', log);
          });
        const action = code === 'NOT_FOUND' ? 'unknown' : actionOf(request.method, route);
        await calls.failed(request, action, { status: problem.status, code: problem.code });
      }
      return problem.toResponse();
    })
    .use(healthRoutes({ sql: deps.database, draining: deps.draining }))
    .use(metricsRoutes(deps.scrape))
    .use(docsRoutes((): unknown => openApiDocument(app.routes, version)))
    .use(consoleRoutes())
    .use(admin)
    .use(
      ingestRoutes({
        ...deps.ingest,
        bodies: deps.bodies,
        maxPayloadBytes: deps.maxPayloadBytes,
        publicUrl: deps.publicUrl,
        clientOf: clientNetworks(trustedProxies),
        tooLarge: largeWebhookWarnings(log, deps.maxPayloadBytes),
      }),
    );
  return app;
}

const isAdmin = (pathname: string) => pathname === '/admin' || pathname.startsWith('/admin/');

export type App = ReturnType<typeof createApp>;
