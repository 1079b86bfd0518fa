import { Elysia, NotFoundError } from 'elysia';
import type { AccountRow } from '../accounts/account-entity.ts';
import { accountRoutes } from '../accounts/account-routes.ts';
import type { AccountStore } from '../accounts/account-store.ts';
import type { AddressRules } from '../accounts/address-rules.ts';
import { compareRoutes } from '../accounts/compare-routes.ts';
import { secretRoutes } from '../accounts/secret-routes.ts';
import type { AdminCalls } from '../audit/admin-calls.ts';
import { auditLogRoutes, type LongAuditCalls } from '../audit/audit-routes.ts';
import { backupRoutes } from '../backups/backup-routes.ts';
import { accountPauseRoutes } from '../consumers/account-pause-routes.ts';
import { accountConsumerRoutes } from '../consumers/consumer-routes.ts';
import type { ConsumerStore, TestedConsumer } from '../consumers/consumer-store.ts';
import type { Database } from '../database/database.ts';
import { consumerRoutes } from '../delivery/consumers/consumer-routes.ts';
import type { TestDelivery } from '../delivery/test-delivery.ts';
import { testDeliveryRoutes } from '../delivery/test-delivery-routes.ts';
import { backfillRoutes } from '../events/backfill/backfill-routes.ts';
import { bulkRoutes } from '../events/bulk/bulk-routes.ts';
import { deliveryRoutes } from '../events/delivery-routes.ts';
import { eventRoutes, type FindWorkflow } from '../events/event-routes.ts';
import type { Feed } from '../events/feed/feed.ts';
import type { FeedReaders } from '../events/feed/feed-readers.ts';
import { feedRoutes } from '../events/feed/feed-routes.ts';
import { EventLists } from '../events/lists.ts';
import { rejectedRoutes } from '../events/rejected-routes.ts';
import type { RejectionLimits } from '../events/rejection-limits.ts';
import { searchRoutes } from '../events/search/search-routes.ts';
import type { ChangeFeed } from '../events/stream/change-feed.ts';
import { streamRoutes } from '../events/stream/stream-routes.ts';
import { summaryRoutes } from '../events/summary/summary-routes.ts';
import { addressOf } from '../http/address.ts';
import { CallLimit } from '../http/admin/call-limit.ts';
import { readJsonBody } from '../http/admin/json-body.ts';
import type { BodyReader } from '../http/bodies/body-reader.ts';
import { problemOf } from '../http/errors.ts';
import type { AdminOperation } from '../http/operation.ts';
import type { TellIncidents } from '../incidents/incident.ts';
import { incidentRoutes } from '../incidents/incident-routes.ts';
import type { CheckDeps } from '../ingest/check-rejected.ts';
import { checkRoutes } from '../ingest/check-routes.ts';
import type { Maintenance } from '../maintenance/maintenance.ts';
import { maintenanceRoutes } from '../maintenance/maintenance-routes.ts';
import { conditionRoutes } from '../notifications/destinations/conditions/condition-routes.ts';
import { destinationRoutes } from '../notifications/destinations/destination-routes.ts';
import type { Destination, DestinationStore } from '../notifications/destinations/destination-store.ts';
import { incidentMessageRoutes } from '../notifications/incident-messages/message-routes.ts';
import type { Said } from '../notifications/notice.ts';
import { testDestinationRoutes } from '../notifications/test-destination-routes.ts';
import { processRoutes } from '../processes/process-routes.ts';
import type { Provider } from '../providers/provider.ts';
import { providerRoutes } from '../providers/provider-routes.ts';
import { isId } from '../shared/is-id.ts';
import type { Log } from '../shared/log.ts';
import type { KnownTokens } from '../tokens/known-tokens.ts';
import { tokenInUseRoutes } from '../tokens/token-in-use-routes.ts';
import { tokenRoutes } from '../tokens/token-routes.ts';
import { type AskEngineState, gatewayHealthRoutes } from './health-routes.ts';
import { describedBy } from './openapi/document.ts';
import { type OwnSettings, settingsRoutes } from './settings-routes.ts';

export interface AdminDeps extends LongAuditCalls {
  database: Database;
  accounts: AccountStore;
  consumers: ConsumerStore;
  destinations: DestinationStore;
  calls: AdminCalls;
  tokens: KnownTokens;
  bodies: BodyReader;
  providers: ReadonlyMap<string, Provider>;
  /** Whether deliveries may go to a URL. */
  addresses: AddressRules;
  /** The gateway's public URL, without a trailing slash. */
  baseUrl: () => string;
  findWorkflow: FindWorkflow;
  ownSettings: OwnSettings;
  /** Null when no Temporal is configured for this process. */
  engineState: AskEngineState;
  changes: ChangeFeed;
  feed: Feed;
  feedReaders: FeedReaders;
  /** DROPPED_HEADERS. */
  droppedHeaders: readonly string[];
  rejectionLimits: RejectionLimits;
  /** What checks of rejected webhooks need. */
  checks: CheckDeps;
  testDelivery: (account: AccountRow, consumer: TestedConsumer) => Promise<TestDelivery>;
  testDestination: (account: AccountRow, destination: Destination) => Promise<Said>;
  tellIncidents: TellIncidents;
  /** Aborted when the process is about to stop, with the problem for calls that this ends. */
  draining: AbortSignal;
  /** Null when no Temporal is configured for this process. */
  maintenance: Maintenance | null;
  log: Log;
}

/** Half of the connections for operators' lists. The other counts wait, at most for four of 3 s. */
const counting = { kind: 'counts', atOnce: 2, maxWaiting: 8 };
/**
 * What orders count for 3 s at most. Apart from the other counts, which are open to tokens of the role `read`: many of
 * those hold up no order. One connection is left for lists.
 */
const ordering = { kind: 'orders', atOnce: 1, maxWaiting: 8 };

/** One plugin of its own: TypeScript does not follow the types of more than about thirty in one chain. */
const allEventRoutes = (deps: AdminDeps & { counts: CallLimit; orders: CallLimit; lists: EventLists }) =>
  new Elysia({ name: 'all-events' })
    .use(eventRoutes(deps))
    .use(rejectedRoutes(deps))
    .use(checkRoutes(deps))
    .use(summaryRoutes(deps))
    .use(searchRoutes(deps))
    .use(streamRoutes(deps))
    .use(feedRoutes(deps))
    .use(bulkRoutes(deps));

/** `/admin`: all routes for operators. Each call needs a token and writes one entry to the audit log. */
export function adminRoutes(deps: AdminDeps) {
  const { calls } = deps;
  const limited = {
    ...{ ...deps, lists: new EventLists(deps.database) },
    ...{ counts: new CallLimit(counting), orders: new CallLimit(ordering) },
  };
  /** Checks the token and its role. The audit entry has the ids in the path, even if the call fails later. */
  const admit = (request: Request, route: string, params: Record<string, string> | undefined) => {
    // Contrary to Elysia's types, `params` is undefined for a path without parameters.
    if (params) lowerCaseIds(params);
    return calls.authorize(request, {
      route,
      operation: operationOf(request.method, route),
      ...(params ? { ids: params } : {}),
    });
  };
  const admin = new Elysia({ name: 'admin', prefix: '/admin' })
    // The token and its role are checked before body and query, so that clients without a token get no validation errors.
    .onParse(async ({ request, route, params, contentType }) => {
      await admit(request, route, params).catch((error: unknown) => {
        // Elysia takes all that is thrown here for an error of the body, except a problem.
        throw problemOf(error, 'UNKNOWN', deps.log);
      });
      return readJsonBody(deps.bodies, request, contentType);
    })
    // These handlers destructure the context: if one used it as a whole, Elysia would parse headers and cookies for all
    // routes, including each webhook.
    .onTransform(async ({ request, route, params, query }) => {
      await admit(request, route, params);
      const { pathname, searchParams } = addressOf(request);
      // A fixed path such as `replay-failed` also matches routes with an id in its place, which must not handle it.
      if (route !== pathname && fixedPaths().has(pathname)) throw new NotFoundError();
      for (const name of Object.keys(query)) delete query[name];
      // Elysia's type of a query without a schema has one text for each name.
      Object.assign(query, queryOf(searchParams));
    })
    .onAfterHandle(async ({ request, route, response, set }) => {
      const status = response instanceof Response ? response.status : Number(set.status ?? 200);
      await calls.succeeded(request, actionOf(request.method, route), { status });
    })
    .use(tokenInUseRoutes(deps))
    .use(tokenRoutes(deps))
    .use(accountRoutes(deps))
    .use(secretRoutes(deps))
    .use(compareRoutes(deps))
    .use(accountPauseRoutes(deps))
    .use(accountConsumerRoutes(deps))
    .use(backfillRoutes(limited))
    .use(testDeliveryRoutes(deps))
    .use(providerRoutes(deps))
    .use(destinationRoutes(deps))
    .use(testDestinationRoutes(deps))
    .use(conditionRoutes(limited))
    .use(allEventRoutes(limited))
    .use(incidentRoutes(deps))
    .use(incidentMessageRoutes(deps))
    .use(deliveryRoutes(limited))
    .use(consumerRoutes(deps))
    .use(auditLogRoutes(deps))
    .use(backupRoutes(deps))
    .use(maintenanceRoutes(deps))
    .use(processRoutes(deps))
    .use(settingsRoutes(deps))
    .use(gatewayHealthRoutes(deps));

  let fixed: Set<string> | null = null;
  /** The paths of routes without parameters. */
  const fixedPaths = () => {
    fixed ??= new Set(admin.routes.filter(({ path }) => !/:|\/$/.test(path)).map(({ path }) => path));
    return fixed;
  };

  let operations: Map<string, AdminOperation> | null = null;
  /** The action and the role of a route; null if it has none. */
  const operationOf = (method: string, path: string) => {
    operations ??= new Map(
      admin.routes.flatMap((route) => {
        const operation = describedBy(route)?.admin;
        return operation ? [[`${route.method} ${route.path}`, operation]] : [];
      }),
    );
    // Elysia handles HEAD with the route of GET.
    return operations.get(`${method === 'HEAD' ? 'GET' : method} ${path}`) ?? null;
  };
  /** The action of a route in the audit log. */
  const actionOf = (method: string, path: string) => operationOf(method, path)?.action ?? 'unknown';
  return { admin, actionOf };
}

/**
 * The query as sent. Elysia would parse `a,b` as a list and `{"a":1}` as JSON, but these may be literal filter values.
 */
function queryOf(given: URLSearchParams): Record<string, string | string[]> {
  const oneOrMore = (name: string) => {
    const [first = '', ...more] = given.getAll(name);
    return more.length === 0 ? first : [first, ...more];
  };
  return Object.fromEntries([...new Set(given.keys())].map((name) => [name, oneOrMore(name)]));
}

/**
 * Converts UUIDs to lower case. Both cases are accepted (RFC 9562, section 4); stored values and workflow ids use one.
 */
function lowerCaseIds(params: Record<string, string>): void {
  for (const [name, value] of Object.entries(params)) if (isId(value)) params[name] = value.toLowerCase();
}

export type AdminApp = ReturnType<typeof adminRoutes>['admin'];
