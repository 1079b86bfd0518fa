import { node } from '@elysia/node';
import { Elysia } from 'elysia';
import { z } from 'zod';
import type { AccountStore } from '../accounts/account-store.ts';
import type { Sql } from '../database/database.ts';
import type { Log } from '../log.ts';
import { plainWords } from '../plain-words.ts';
import { accountRoutes } from './admin/accounts.ts';
import { type AdminToken, tokenChecker } from './admin/auth.ts';
import { deliveryRoutes, eventRoutes, type FindWorkflow } from './admin/events.ts';
import { readJsonBody } from './admin/json-body.ts';
import { problemOf } from './errors.ts';
import { healthRoutes } from './health.ts';
import type { IngestDeps } from './ingest/ingest.ts';
import { ingestRoutes } from './ingest/routes.ts';
import { allowedMethods } from './method-not-allowed.ts';
import { Problem } from './problem.ts';

export interface AppDeps {
  sql: Sql;
  accounts: AccountStore;
  adminTokens: readonly AdminToken[];
  findWorkflow: FindWorkflow;
  ingest: IngestDeps;
  maxPayloadBytes: number;
  log: Log;
}

/** The whole HTTP side as one Elysia app. */
export function createApp(deps: AppDeps) {
  // Elysia validates without asking how, so zod itself has to know the words.
  z.config({ customError: plainWords });
  const tokenName = tokenChecker(deps.adminTokens);
  const authorize = (request: Request) => {
    if (tokenName(request.headers.get('x-admin-token')) !== null) return;
    throw new Problem('unauthorized', 'the header X-Admin-Token holds no valid admin token');
  };
  const admin = new Elysia({ name: 'admin', prefix: '/admin' })
    // Before body or query are looked at: who has no token learns nothing, not even what they should look like.
    .onParse(({ request, contentType }) => {
      authorize(request);
      return readJsonBody(request, contentType);
    })
    .onTransform(({ request }) => authorize(request))
    .use(accountRoutes({ accounts: deps.accounts, providerNames: [...deps.ingest.providers.keys()] }))
    .use(eventRoutes({ sql: deps.sql, findWorkflow: deps.findWorkflow }))
    .use(deliveryRoutes({ sql: deps.sql }));

  // Elysia looks for the path behind hosts of four letters and more; `http://gw/` is one, too.
  const app = new Elysia({ adapter: node(), handler: { standardHostname: false } })
    .onError(({ error, code, request }) => {
      if (code !== 'NOT_FOUND') return problemOf(error, code, deps.log).toResponse();
      const { pathname } = new URL(request.url);
      const methods = allowedMethods(app.routes, pathname);
      if (methods.length === 0) return new Problem('not_found', 'there is nothing at this address').toResponse();
      const allow = methods.join(', ');
      return new Problem('method_not_allowed', `this address takes ${allow}`, { headers: { allow } }).toResponse();
    })
    .use(healthRoutes({ sql: deps.sql }))
    .use(admin)
    .use(ingestRoutes({ ...deps.ingest, maxPayloadBytes: deps.maxPayloadBytes }));
  return app;
}

export type App = ReturnType<typeof createApp>;
