import { type RefObject, useEffect } from 'react';
import { ApiProblem } from '../../../api/problem.ts';
import { Notice, ProblemNotice } from '../../../components/notice.tsx';

/** After a refused form, the focus goes to the first field that is wrong. */
export function useFocusOnError(form: RefObject<HTMLFormElement | null>, error: unknown): void {
  useEffect(() => {
    if (error) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [form, error]);
}

/**
 * Why the API refused a form.
 *
 * @param hasField whether a path has a field that shows its own error.
 */
export function FormNotice({ error, hasField }: { error: unknown; hasField(path: string): boolean }) {
  if (!error) return null;
  const inFields =
    error instanceof ApiProblem && error.errors.length > 0 && error.errors.every(({ path }) => hasField(path));
  if (!inFields) return <ProblemNotice error={error} />;
  return (
    <div role="alert">
      <Notice tone="bad">Nothing was saved. Correct the marked fields.</Notice>
    </div>
  );
}
