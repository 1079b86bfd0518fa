import type { Treaty } from '@elysia/eden';
import type { api } from './client.ts';

// What the API answers, from its routes.

type Api = typeof api;

/** An event with payload, attempts and notifications. */
export type EventDetails = Treaty.Data<ReturnType<Api['events']>['get']>;
/** An event in a list. */
export type EventItem = Treaty.Data<Api['events']['get']>[number];
export type Account = Treaty.Data<ReturnType<Api['accounts']>['get']>;
export type Provider = Treaty.Data<Api['providers']['get']>[number];
export type BulkJob = Treaty.Data<ReturnType<Api['events']['bulk']>['get']>;
