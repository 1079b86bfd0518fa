import { Elysia, NotFoundError } from 'elysia';
import type { AccountRow } from '../../accounts/account-entity.ts';
import type { AccountStore } from '../../accounts/account-store.ts';
import type { NotedPoint, Verification } from '../../audit/verify.ts';
import type { Database } from '../../database/database.ts';
import type { TestDelivery } from '../../delivery/test-delivery.ts';
import type { DestinationStore } from '../../destinations/destination-store.ts';
import { describedBy } from '../api/document.ts';
import { accountRoutes } from './accounts.ts';
import type { AdminCalls } from './admin-calls.ts';
import { auditLogRoutes } from './audit-logs.ts';
import { deliveryRoutes } from './delivery.ts';
import { destinationRoutes } from './destinations.ts';
import { eventRoutes, type FindWorkflow } from './events.ts';
import { readJsonBody } from './json-body.ts';
import { isId } from './query-schemas.ts';

export interface AdminDeps {
  database: Database;
  accounts: AccountStore;
  destinations: DestinationStore;
  calls: AdminCalls;
  providerNames: readonly string[];
  findWorkflow: FindWorkflow;
  testDelivery: (account: AccountRow) => Promise<TestDelivery>;
  verifyAuditLogs: (head: NotedPoint | undefined) => Promise<Verification>;
  purgeAuditLogs: (options: { olderThanDays: number; actor: string; ipAddress: string }) => Promise<number>;
}

/** Elysia's own parser makes a list of whatever holds a comma; here only a repeated parameter is one. */
function queryOf(given: URLSearchParams): Record<string, string> {
  const query: Record<string, string | string[]> = Object.create(null);
  for (const name of new Set(given.keys())) {
    const [first = '', ...more] = given.getAll(name);
    query[name] = more.length === 0 ? first : [first, ...more];
  }
  // Elysia types what has not been validated yet as texts.
  return query as Record<string, string>;
}

/** `/admin`: everything for operators. Each call needs a token and leaves one entry in the audit log. */
export function adminRoutes(deps: AdminDeps) {
  const { calls } = deps;
  const admin = new Elysia({ name: 'admin', prefix: '/admin' })
    // Before body or query are looked at: who has no token learns nothing, not even what they should look like.
    .onParse(async ({ request, route, params, contentType }) => {
      smallLetters(params);
      await calls.authorize(request, route, params);
      return readJsonBody(request, contentType);
    })
    .onTransform(async (context) => {
      const { request, route, params } = context;
      smallLetters(params);
      await calls.authorize(request, route, params);
      const { pathname, searchParams } = new URL(request.url);
      // `replay-failed` is no id: with another method than its own there is nothing at that address.
      if (route !== pathname && fixedPaths().has(pathname)) throw new NotFoundError();
      context.query = queryOf(searchParams);
    })
    .onAfterHandle(async ({ request, route, response, set }) => {
      const status = response instanceof Response ? response.status : Number(set.status ?? 200);
      await calls.succeeded(request, actionOf(request.method, route), { status });
    })
    .use(accountRoutes({ ...deps, testDelivery: deps.testDelivery }))
    .use(destinationRoutes(deps))
    .use(eventRoutes(deps))
    .use(deliveryRoutes(deps))
    .use(auditLogRoutes({ ...deps, verify: deps.verifyAuditLogs, purge: deps.purgeAuditLogs }));

  let fixed: Set<string> | null = null;
  /** The addresses of routes without parameters. */
  const fixedPaths = () => {
    fixed ??= new Set(admin.routes.filter(({ path }) => !/:|\/$/.test(path)).map(({ path }) => path));
    return fixed;
  };

  /** What the audit log calls a request to this route. */
  const actionOf = (method: string, path: string) => {
    const route = admin.routes.find((candidate) => candidate.method === method && candidate.path === path);
    return (route && describedBy(route)?.action) ?? 'unknown';
  };
  return { admin, actionOf };
}

/** UUIDs are taken in either case (RFC 9562, section 4). From here on they are as stored: seals and workflow ids hold them. */
function smallLetters(params: Record<string, string> | undefined): void {
  // A path without parameters has none, whatever Elysia's types say.
  if (!params) return;
  for (const [name, value] of Object.entries(params)) if (isId(value)) params[name] = value.toLowerCase();
}

export type AdminApp = ReturnType<typeof adminRoutes>['admin'];
