import { useNavigate, useSearch } from '@tanstack/react-router';

/** The secrets that are rotated one at a time. */
export type Rotated = 'signing' | 'delivery' | 'project';

/** The rotation that is open stands in the address, so that a colleague can go on with it. */
export function useRotation() {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const go = (rotate: Rotated | undefined) =>
    void navigate({ to: '.', search: { ...search, rotate }, replace: true, resetScroll: false });
  const { rotate } = search;
  const rotated: Rotated | null = rotate === 'signing' || rotate === 'delivery' || rotate === 'project' ? rotate : null;
  return {
    rotated,
    open: (secret: Rotated) => go(secret),
    close: () => go(undefined),
  };
}
