import { Elysia } from 'elysia';
import { z } from 'zod';
import type { Database } from '../../database/database.ts';
import { noBody, noQuery, operation } from '../../http/operation.ts';
import { Problem } from '../../http/problem.ts';
import { isId } from '../../shared/is-id.ts';
import { incidentMessage } from './message-schemas.ts';

const findIncident = { name: '', text: 'select id from incidents where id = $1' };

const readMessages = {
  name: '',
  text: `
    select m.id, m.destination_id, m.name, m.destination_type, m.kind, m.reminder, m.status, m.attempts, m.error, m.happened_at as created_at,
      m.due_at as next_attempt_at, m.sent_at,
      (select count(*)::integer from incident_messages o where o.place = m.place and o.sent_at = m.sent_at and o.batch_id = m.batch_id
        and o.id <> m.id) as sent_with
    from incident_messages m where m.incident_id = $1 order by m.happened_at, m.id limit $2`,
};

/** An open incident has six reminders a day for each destination: enough for weeks. */
const mostListed = 1_000;

type Shown = z.infer<typeof incidentMessage>;
type Row = Omit<Shown, 'created_at' | 'next_attempt_at' | 'sent_at'> & {
  created_at: Date;
  next_attempt_at: Date | null;
  sent_at: Date | null;
};

/** `/admin/incidents/{incident_id}/messages`: what destinations were told of an incident. */
export function incidentMessageRoutes({ database }: { database: Pick<Database, 'reader'> }) {
  return new Elysia({ name: 'incident-messages', prefix: '/incidents' }).get(
    '/:incident_id/messages',
    async ({ params: { incident_id: id } }): Promise<Shown[]> => {
      if (!isId(id) || (await database.reader.query(findIncident, [id])).length === 0)
        throw new Problem('not_found', 'there is no incident with this id');
      const rows = await database.reader.query<Row>(readMessages, [id, mostListed]);
      return rows.map(({ created_at, next_attempt_at, sent_at, ...row }) => ({
        ...row,
        created_at: created_at.toISOString(),
        next_attempt_at: next_attempt_at?.toISOString() ?? null,
        sent_at: sent_at?.toISOString() ?? null,
      }));
    },
    operation('incident.messages', {
      role: 'read',
      scope: 'path',
      summary: 'List the messages about an incident',
      description: 'What destinations were told of it, oldest first, at most 1,000. Kept for 90 days.',
      body: noBody,
      query: noQuery,
      success: { 200: z.array(incidentMessage) },
      errors: ['not_found'],
    }),
  );
}
