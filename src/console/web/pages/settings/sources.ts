import type { Treaty } from '@elysia/eden';
import type { api } from '../../api/client.ts';

/** The settings of the process that answers. */
export type Settings = Treaty.Data<(typeof api)['settings']['get']>;
export type Setting = Settings['settings'][number];
export type Source = Setting['source'];

/** Where a setting comes from, in words. */
export const sourceNames: Record<Source, string> = {
  environment: 'environment',
  env_file: '.env file',
  profile: "Temporal's configuration file",
  generated: 'made by npm start',
  default: 'default',
  none: 'not set',
};

/** Whether an operator, or `npm start`, has set it. */
export const isSet = ({ source }: Setting) => source !== 'default' && source !== 'none';

/** Whether a process with this role reads the setting. `all` is an `api` and a `worker` in one. */
export const isUsedBy = (role: string, { roles }: Setting) =>
  roles.includes(role) || (role === 'all' && (roles.includes('api') || roles.includes('worker')));
