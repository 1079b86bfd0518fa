import { Elysia } from 'elysia';
import { z } from 'zod';
import { flag, text } from '../http/admin/schemas/common.ts';
import { noBody, noQuery, operation } from '../http/operation.ts';

const setting = z.object({
  name: text.meta({ description: 'Name of the variable', example: 'DELIVERY_TIMEOUT' }),
  value: text.nullable().meta({
    description: 'Value in force; `null` for secrets, and if there is none. Addresses are without credentials',
    example: '15s',
  }),
  source: z.enum(['environment', 'env_file', 'profile', 'generated', 'default', 'none']).meta({
    description:
      "`env_file`: the `.env` file. `profile`: Temporal's configuration file. `generated`: `npm start` has its own server, key or token. `none`: not set, and no default",
  }),
  secret: flag.meta({ description: 'Whether the value is never shown; `source` still says whether it is set' }),
  roles: z
    .array(text)
    .meta({ description: 'Roles that use the variable; `all` also uses those of `api` and `worker`' }),
  description: text,
});

/** One setting of this process. */
export type Setting = z.infer<typeof setting>;

const settingsAnswer = z.object({ role: text, settings: z.array(setting) }).meta({
  id: 'Settings',
  examples: [
    {
      role: 'api',
      settings: [
        {
          name: 'DELIVERY_TIMEOUT',
          value: '15s',
          source: 'default' as const,
          secret: false,
          roles: ['api', 'worker'],
          description: 'Time limit of one attempt, and of one message to a destination, 100 ms to 2 m.',
        },
      ],
    },
  ],
});

/** The settings of a process, which never change while it runs. */
export interface OwnSettings {
  role: string;
  settings: Setting[];
}

/** `/admin/settings`. */
export function settingsRoutes({ ownSettings }: { ownSettings: OwnSettings }) {
  return new Elysia({ name: 'settings', prefix: '/settings' }).get(
    '/',
    async () => ownSettings,
    operation('settings.read', {
      role: 'read',
      summary: 'Get the settings of this process',
      description:
        'The settings of the process that answers: other processes may have others. Secrets are never shown, only where they come from.',
      body: noBody,
      query: noQuery,
      success: { 200: settingsAnswer },
    }),
  );
}
