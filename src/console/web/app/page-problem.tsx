import { useMutation } from '@tanstack/react-query';
import { useEffect } from 'react';
import { answer, api } from '../api/client.ts';
import { notLoaded } from '../components/load-code.ts';
import { ProblemNotice } from '../components/notice.tsx';
import { Page } from '../components/page.tsx';

const reloadedKey = 'webhook-gateway-reloaded-at';
/** Between two reloads that the user has not asked for: code that is missing after a reload, too, must not reload the tab for ever. */
const leastMs = 60_000;

/** Reloads the tab if the gateway answers. After an upgrade, it has the code of a page under another name. */
async function reloadAfterUpgrade(): Promise<void> {
  if (Date.now() - Number(sessionStorage.getItem(reloadedKey)) < leastMs) return;
  await answer(api.me.get());
  sessionStorage.setItem(reloadedKey, String(Date.now()));
  location.reload();
}

/**
 * In place of a page that could not be loaded or shown. The navigation and the banners stay. The tab is reloaded only
 * when the gateway answers: before that, it would end at an error page of the browser.
 */
export function PageProblem({ error }: { error: unknown }) {
  const again = useMutation({
    mutationFn: () => answer(api.me.get()),
    onSuccess: () => location.reload(),
  });
  useEffect(() => {
    // The page says already what is wrong.
    if (error === notLoaded) void reloadAfterUpgrade().catch(() => undefined);
  }, [error]);
  return (
    <Page title="This page cannot be shown">
      <ProblemNotice error={again.error ?? error} retry={() => again.mutate()} />
    </Page>
  );
}
