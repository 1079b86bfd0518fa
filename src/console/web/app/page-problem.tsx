import { useMutation } from '@tanstack/react-query';
import { answer, api } from '../api/client.ts';
import { ProblemNotice } from '../components/notice.tsx';
import { Page } from '../components/page.tsx';

/**
 * In place of a page that could not be loaded or shown. The navigation and the banners stay. The tab is reloaded only
 * when the gateway answers: before that, it would end at an error page of the browser.
 */
export function PageProblem({ error }: { error: unknown }) {
  const again = useMutation({
    mutationFn: () => answer(api.me.get()),
    onSuccess: () => location.reload(),
  });
  return (
    <Page title="This page cannot be shown">
      <ProblemNotice error={again.error ?? error} retry={() => again.mutate()} />
    </Page>
  );
}
