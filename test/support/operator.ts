import type { AdminClient } from './admin-client.ts';

export const lostError = 'lost in the warehouse';
export const deadError = 'never again';

/** An operator's commands. Each is one call of the admin API. */
export function operatorOf(admin: AdminClient) {
  return {
    ack: (id: string) => admin.post(`/admin/events/${id}/ack`),
    fail: (id: string) => admin.post(`/admin/events/${id}/fail`, { error: lostError }),
    dead: (id: string) => admin.post(`/admin/events/${id}/fail`, { error: deadError, dead: true }),
    replay: (id: string) => admin.post(`/admin/events/${id}/replay`),
    retry: (id: string) => admin.post(`/admin/delivery/retry/${id}`),
    deleteAccount: (id: string) => admin.request('DELETE', `/admin/accounts/${id}`),
    setEnabled: (id: string, enabled: boolean) => admin.request('PATCH', `/admin/accounts/${id}`, { enabled }),
  };
}
