import { Elysia } from 'elysia';
import { z } from 'zod';
import type { AdminCalls } from '../audit/admin-calls.ts';
import type { Database } from '../database/database.ts';
import { isUniqueViolation } from '../database/errors.ts';
import { defaultLimit } from '../http/admin/query-schemas.ts';
import { noBody, noQuery, operation } from '../http/operation.ts';
import { Problem } from '../http/problem.ts';
import { isId } from '../shared/is-id.ts';
import type { TellIncidents } from './incident.ts';
import { type Changed, changeByOperator } from './incident-changes.ts';
import { countedView, listIncidents, readIncident } from './incident-rows.ts';
import { incident, incidentChange, incidentListQuery } from './incident-schemas.ts';
import { changesOf } from './told-changes.ts';

const incidentNotFound = () => new Problem('not_found', 'there is no incident with this id');

function existingIncidentId(given: string): string {
  if (!isId(given)) throw incidentNotFound();
  return given;
}

/** @throws Problem for an order that cannot be followed */
function followed(changed: Changed) {
  if (changed.ok) return changed.change;
  switch (changed.reason) {
    case 'not_found':
      throw incidentNotFound();
    case 'resolved':
      throw new Problem('conflict', 'the incident is resolved; open it again first');
    case 'other_open':
      throw new Problem('conflict', `the incident ${changed.id} of the same cause is open`);
    default:
      return changed satisfies never;
  }
}

/** `/admin/incidents` (docs/incidents.md). */
export function incidentRoutes(deps: { database: Database; calls: AdminCalls; tellIncidents: TellIncidents }) {
  const { database, calls, tellIncidents } = deps;
  const shown = async (id: string) => {
    const row = await readIncident(database.reader, id);
    if (!row) throw incidentNotFound();
    return countedView(row);
  };
  return new Elysia({ name: 'incidents', prefix: '/incidents' })
    .get(
      '/',
      async ({ query, request }) => {
        const call = calls.of(request);
        call.note({ query });
        const { accountIds } = call;
        const rows = await listIncidents(database.reader, { ...query, accountIds, limit: query.limit ?? defaultLimit });
        return rows.map(countedView);
      },
      operation('incident.list', {
        role: 'read',
        scope: 'list',
        summary: 'List incidents',
        description: 'Newest first. An incident must match all filters. Ended ones are kept for 90 days.',
        body: noBody,
        query: incidentListQuery,
        success: { 200: z.array(incident) },
      }),
    )
    .get(
      '/:incident_id',
      async ({ params }) => shown(existingIncidentId(params.incident_id)),
      operation('incident.read', {
        role: 'read',
        scope: 'path',
        summary: 'Get an incident',
        body: noBody,
        query: noQuery,
        success: { 200: incident },
        errors: ['not_found'],
      }),
    )
    .patch(
      '/:incident_id',
      async ({ params, body, request }) => {
        const id = existingIncidentId(params.incident_id);
        const call = calls.of(request);
        const { state, note } = body;
        const changed = () =>
          database.transaction(async (sql) => {
            const change = followed(await changeByOperator(sql, id, { state, note, actor: call.actor }));
            if (change) await tellIncidents(sql, await changesOf(sql, [{ id, change }]));
            const fields = note === undefined ? {} : { note: note !== null };
            await call.record(sql, 'incident.update', { status: 200, ...(state && { state }), ...fields });
          });
        await changed().catch((error: unknown) => {
          if (!isUniqueViolation(error)) throw error;
          // The gateway has opened another of the same cause in between, which is found now.
          return changed();
        });
        return shown(id);
      },
      operation('incident.update', {
        role: 'operate',
        scope: 'path',
        summary: 'Acknowledge, close or reopen an incident',
        description:
          'Has no effect on events. To close one that has resolved by itself, with events left, takes it from the list of those that are not finished. A resolved one cannot be acknowledged.',
        body: incidentChange,
        query: noQuery,
        success: { 200: incident },
        errors: ['not_found', 'conflict'],
        examples: { body: { state: 'acknowledged', note: 'the shop deploys a fix' } },
      }),
    );
}
