import type { Header } from '../../../providers/inbound-request.ts';
import issuesOpened from './github/issues-opened.json' with { type: 'json' };
import pullRequestOpened from './github/pull-request-opened.json' with { type: 'json' };
import push from './github/push.json' with { type: 'json' };
import type { ProviderSamples } from './sample.ts';

const headersOf = (event: string, id: string): Header[] => [
  ['User-Agent', 'GitHub-Hookshot/044aadd'],
  ['X-GitHub-Event', event],
  ['X-GitHub-Delivery', id],
  ['X-GitHub-Hook-ID', '292430182'],
];

/** Examples of the package `@octokit/webhooks-examples`. */
export const github: ProviderSamples = {
  provider: 'github',
  source: 'https://github.com/octokit/webhooks',
  samples: {
    push: ({ id }) => ({ headers: headersOf('push', id), fields: push }),
    'issues.opened': ({ id }) => ({ headers: headersOf('issues', id), fields: issuesOpened }),
    'pull_request.opened': ({ id }) => ({ headers: headersOf('pull_request', id), fields: pullRequestOpened }),
  },
};
