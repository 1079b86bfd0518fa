import { Elysia, NotFoundError } from 'elysia';
import type { AccountRow } from '../accounts/account-entity.ts';
import { accountRoutes } from '../accounts/account-routes.ts';
import type { AccountStore } from '../accounts/account-store.ts';
import type { AdminCalls } from '../audit/admin-calls.ts';
import { auditLogRoutes } from '../audit/audit-routes.ts';
import type { NotedPoint, Verification } from '../audit/verify.ts';
import { backupRoutes } from '../backups/backup-routes.ts';
import type { Database } from '../database/database.ts';
import type { TestDelivery } from '../delivery/test-delivery.ts';
import { testDeliveryRoutes } from '../delivery/test-delivery-routes.ts';
import { conditionRoutes } from '../destinations/conditions/condition-routes.ts';
import { destinationRoutes } from '../destinations/destination-routes.ts';
import type { Destination, DestinationStore } from '../destinations/destination-store.ts';
import { deliveryRoutes } from '../events/delivery-routes.ts';
import { eventRoutes, type FindWorkflow } from '../events/event-routes.ts';
import type { RejectionLimits } from '../events/rejection-limits.ts';
import { addressOf } from '../http/address.ts';
import { readJsonBody } from '../http/admin/json-body.ts';
import { isId } from '../http/admin/query-schemas.ts';
import type { BodyReader } from '../http/bodies/body-reader.ts';
import type { Maintenance } from '../maintenance/maintenance.ts';
import { maintenanceRoutes } from '../maintenance/maintenance-routes.ts';
import type { Said } from '../notifications/notice.ts';
import { testDestinationRoutes } from '../notifications/test-destination-routes.ts';
import type { Provider } from '../providers/provider.ts';
import { providerRoutes } from '../providers/provider-routes.ts';
import type { Log } from '../shared/log.ts';
import { describedBy } from './openapi/document.ts';

export interface AdminDeps {
  database: Database;
  accounts: AccountStore;
  destinations: DestinationStore;
  calls: AdminCalls;
  bodies: BodyReader;
  providers: ReadonlyMap<string, Provider>;
  /** As people reach the gateway, without a slash at its end. */
  baseUrl: () => string;
  findWorkflow: FindWorkflow;
  rejectionLimits: RejectionLimits;
  testDelivery: (account: AccountRow) => Promise<TestDelivery>;
  testDestination: (account: AccountRow, destination: Destination) => Promise<Said>;
  verifyAuditLogs: (head: NotedPoint | undefined) => Promise<Verification>;
  purgeAuditLogs: (options: { olderThanDays: number; actor: string; ipAddress: string }) => Promise<number>;
  /** Null: this process knows of no Temporal. */
  maintenance: Maintenance | null;
  log: Log;
}

/** `/admin`: everything for operators. Each call needs a token and leaves one entry in the audit log. */
export function adminRoutes(deps: AdminDeps) {
  const { calls } = deps;
  /** Asks for the token; the entry of a call names the ids of its path, also when it is refused. */
  const admit = (request: Request, route: string, params: Record<string, string> | undefined) => {
    // A path without parameters has none, whatever Elysia's types say.
    if (params) smallLetters(params);
    return calls.authorize(request, route, params);
  };
  const admin = new Elysia({ name: 'admin', prefix: '/admin' })
    // Before body or query are looked at: who has no token learns nothing, not even what they should look like.
    .onParse(async ({ request, route, params, contentType }) => {
      await admit(request, route, params);
      return readJsonBody(deps.bodies, request, contentType);
    })
    // Elysia prepares for every route what any handler may use. One that takes the context as a whole may use it all:
    // then headers and cookies are parsed for each webhook, too.
    .onTransform(async ({ request, route, params, query }) => {
      await admit(request, route, params);
      const { pathname, searchParams } = addressOf(request);
      // `replay-failed` is no id: with another method than its own there is nothing at that address.
      if (route !== pathname && fixedPaths().has(pathname)) throw new NotFoundError();
      for (const name of Object.keys(query)) delete query[name];
      // Its type is Elysia's reading of a query without a schema: one text each.
      Object.assign(query, queryOf(searchParams));
    })
    .onAfterHandle(async ({ request, route, response, set }) => {
      const status = response instanceof Response ? response.status : Number(set.status ?? 200);
      await calls.succeeded(request, actionOf(request.method, route), { status });
    })
    .use(accountRoutes(deps))
    .use(testDeliveryRoutes(deps))
    .use(providerRoutes(deps))
    .use(destinationRoutes(deps))
    .use(testDestinationRoutes(deps))
    .use(conditionRoutes(deps))
    .use(eventRoutes(deps))
    .use(deliveryRoutes(deps))
    .use(auditLogRoutes({ ...deps, verify: deps.verifyAuditLogs, purge: deps.purgeAuditLogs }))
    .use(backupRoutes(deps))
    .use(maintenanceRoutes(deps));

  let fixed: Set<string> | null = null;
  /** The addresses of routes without parameters. */
  const fixedPaths = () => {
    fixed ??= new Set(admin.routes.filter(({ path }) => !/:|\/$/.test(path)).map(({ path }) => path));
    return fixed;
  };

  /** What the audit log calls a request to this route. */
  const actionOf = (method: string, path: string) => {
    // Elysia answers HEAD by the route of GET.
    const asked = method === 'HEAD' ? 'GET' : method;
    const route = admin.routes.find((candidate) => candidate.method === asked && candidate.path === path);
    return (route && describedBy(route)?.action) ?? 'unknown';
  };
  return { admin, actionOf };
}

/** The query as it was sent: Elysia reads a list into `a,b` and JSON into `{"a":1}`, but a filter may have to be just that. */
function queryOf(given: URLSearchParams): Record<string, string | string[]> {
  const oneOrMore = (name: string) => {
    const [first = '', ...more] = given.getAll(name);
    return more.length === 0 ? first : [first, ...more];
  };
  return Object.fromEntries([...new Set(given.keys())].map((name) => [name, oneOrMore(name)]));
}

/** UUIDs are taken in either case (RFC 9562, section 4). From here on they are as stored: seals and workflow ids hold them. */
function smallLetters(params: Record<string, string>): void {
  for (const [name, value] of Object.entries(params)) if (isId(value)) params[name] = value.toLowerCase();
}

export type AdminApp = ReturnType<typeof adminRoutes>['admin'];
