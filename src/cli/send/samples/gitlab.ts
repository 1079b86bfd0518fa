import type { Header } from '../../../providers/inbound-request.ts';
import type { ProviderSamples } from './sample.ts';

const project = {
  id: 15,
  name: 'shop',
  path_with_namespace: 'acme/shop',
  default_branch: 'main',
  web_url: 'https://gitlab.example/acme/shop',
};
const user = { id: 4, name: 'Jenny Rosen', username: 'jenny', email: 'jenny.rosen@example.com' };

const headersOf = (event: string, id: string): Header[] => [
  ['X-Gitlab-Event', event],
  ['X-Gitlab-Webhook-UUID', '02affd2d-2cba-4033-917d-ec22d5dc4b38'],
  ['X-Gitlab-Instance', 'https://gitlab.example'],
  ['Idempotency-Key', id],
];

export const gitlab: ProviderSamples = {
  provider: 'gitlab',
  source: 'https://docs.gitlab.com/user/project/integrations/webhook_events/',
  samples: {
    push: ({ id, at }) => ({
      headers: headersOf('Push Hook', id),
      fields: {
        object_kind: 'push',
        event_name: 'push',
        before: '95790bf891e76fee5e1747ab589903a6a1f80f22',
        after: id.padEnd(40, '0'),
        ref: 'refs/heads/main',
        user_id: user.id,
        user_name: user.name,
        user_username: user.username,
        project_id: project.id,
        project,
        commits: [
          {
            id: id.padEnd(40, '0'),
            message: 'Fix the total of an order',
            timestamp: at.toISOString(),
            author: { name: user.name, email: user.email },
            added: [],
            modified: ['src/order.ts'],
            removed: [],
          },
        ],
        total_commits_count: 1,
      },
    }),
    'merge_request.open': ({ id, at }) => ({
      headers: headersOf('Merge Request Hook', id),
      fields: {
        object_kind: 'merge_request',
        event_type: 'merge_request',
        user,
        project,
        object_attributes: {
          id: 99,
          iid: 1,
          title: 'Fix the total of an order',
          state: 'opened',
          action: 'open',
          source_branch: 'fix-total',
          target_branch: 'main',
          created_at: at.toISOString(),
          url: 'https://gitlab.example/acme/shop/-/merge_requests/1',
        },
        labels: [],
        changes: {},
      },
    }),
  },
};
