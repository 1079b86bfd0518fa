import { describe, expect, test } from 'vitest';
import type { Create } from '../support/destination-client.ts';
import { apiKey, destinationTests, hookTo, kinds, mailTo, posts } from '../support/destination-tests.ts';
import type { TestGateway } from '../support/gateway.ts';
import { hang } from '../support/replies.ts';
import { useGateway } from '../support/use-gateway.ts';

const { withKey, withoutMail, mailService, service, tryOut } = destinationTests();
/** The others wait for an answer for longer than a busy machine takes. */
const impatient = useGateway({ worker: false, timeLimitMs: 5_000 });

describe('502', () => {
  /** The 502 problem of a destination that refuses the message, and the details of its audit entry. */
  async function refusal(gateway: TestGateway, body: Create) {
    const { answer, account, destination_id, details } = await tryOut(gateway, body);
    expect(answer.response.headers.get('content-type')).toBe('application/problem+json');
    if (answer.error?.status !== 502) throw new Error(`it was ${answer.status}`);
    const problem = answer.error.value;
    expect(problem).toMatchObject({
      code: 'delivery_unreachable',
      status: 502,
      title: 'The test message was not accepted',
    });
    const common = { account_id: account.id, destination_id, status: 502, code: 'delivery_unreachable' };
    expect(details).toEqual({ ...common, outcome: expect.any(String), response_code: problem.response_code ?? null });
    return { problem, outcome: details?.outcome };
  }

  test.each([400, 404, 429, 500])('shows the body of the service’s answer %i', async (status) => {
    for (const type of kinds) {
      const { port, deliveries } = await service((response, { url }) => response.writeHead(status).end(`no: ${url}`));
      const { problem, outcome } = await refusal(withKey, posts[type](port));
      expect(outcome).toBe('http_error');
      expect(problem).toMatchObject({ response_code: status, response_body: expect.stringContaining('no: ') });
      expect(problem.detail).toMatch(new RegExp(`^127\\.0\\.0\\.1:${port} answered ${status} .*: no: `));
      expect(JSON.stringify(problem)).not.toContain('very-secret');
      expect(deliveries).toHaveLength(1);
    }
  });

  test('shows the error of SendGrid', async () => {
    const answer = JSON.stringify({ errors: [{ message: `wrong sender for ${apiKey}`, field: 'from' }] });
    mailService.replies = [(response) => response.writeHead(403).end(answer)];
    const { problem } = await refusal(withKey, mailTo());
    expect(problem.detail).toBe(`127.0.0.1:${mailService.port} answered 403 Forbidden: wrong sender for [masked]`);
    expect(problem.response_body).toBe(answer.replace(apiKey, '[masked]'));
  });

  test.each<[outcome: string, words: string, url: () => Promise<string>, gateway: TestGateway]>([
    ['timeout', 'did not answer within 5 s', async () => (await service(hang)).url, impatient],
    [
      'connection_error',
      'closed the connection',
      async () => (await service((response) => response.destroy())).url,
      withKey,
    ],
    ['dns_failure', 'could not be resolved', async () => 'http://nobody.invalid/very-secret', withKey],
  ])('without an answer: %s, %s', async (outcome, words, url, gateway) => {
    const { problem, outcome: noted } = await refusal(gateway, hookTo(await url()));
    expect(noted).toBe(outcome);
    expect(problem.detail).toContain(words);
    expect(problem).not.toHaveProperty('response_code');
    expect(problem).not.toHaveProperty('response_body');
    expect(JSON.stringify(problem)).not.toContain('very-secret');
  });

  test('for e-mail without a key or an outbox, with the settings to make', async () => {
    const { problem, outcome } = await refusal(withoutMail, mailTo());
    expect(outcome).toBe('mail_not_configured');
    expect(problem.detail).toContain('SENDGRID_API_KEY');
  });
});
