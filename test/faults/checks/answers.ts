import { z } from 'zod';
import type { Rows } from '../rows.ts';
import type { Stage } from '../stage.ts';

const answer = z.object({
  total: z.number(),
  pending: z.number(),
  delivered: z.number(),
  failed: z.number(),
  attempts: z.number(),
});

/** The statistics that operators read are those of the rows. */
export async function checkAnswers(stage: Stage, { events, attempts }: Rows): Promise<string[]> {
  const having = (status: string) => events.filter(({ deliveryStatus }) => deliveryStatus === status).length;
  const wanted = {
    total: events.length,
    pending: having('pending'),
    delivered: having('delivered'),
    failed: having('failed'),
    attempts: attempts.length,
  };
  const failures: string[] = [];
  for (const url of stage.apiUrls) {
    const response = await fetch(`${url}/admin/delivery/stats`, { headers: { 'x-admin-token': stage.adminToken } });
    const text = await response.text();
    const found = response.ok ? JSON.stringify(answer.parse(JSON.parse(text))) : `${response.status} ${text}`;
    if (found !== JSON.stringify(wanted))
      failures.push(`GET /admin/delivery/stats answers ${found}, and the rows count ${JSON.stringify(wanted)}`);
  }
  return failures;
}
