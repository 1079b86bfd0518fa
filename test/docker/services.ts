import { compose, exampleEnv, type Service } from './files.ts';

/** The variables of a completed copy of .env.example. */
export const filled = {
  ...exampleEnv(),
  SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
  ADMIN_TOKEN: 'a-token-of-an-operator',
  POSTGRES_PASSWORD: '0123456789abcdef',
  GATEWAY_POSTGRES_PASSWORD: 'fedcba9876543210',
  TEMPORAL_POSTGRES_PASSWORD: '00112233445566778899',
};

export const { services, volumes, networks } = compose(filled);
export const names = Object.keys(services);

export function service(name: string): Service {
  const found = services[name];
  if (!found) throw new Error(`there is no service ${name}`);
  return found;
}
