import type { Treaty } from '@elysia/eden';
import type { api } from '../../../api/client.ts';

type Routes = ReturnType<(typeof api)['accounts']>['consumers'];

/** Where the events of an account are delivered. */
export type Consumer = Treaty.Data<Routes['get']>[number];
export type NewConsumer = NonNullable<Parameters<Routes['post']>[0]>;
export type ConsumerChange = NonNullable<Parameters<ReturnType<Routes>['patch']>[0]>;

/** The consumer that every account has. Its URL and secret are those of the account. */
export const defaultName = 'default';
