import { useNavigate, useSearch } from '@tanstack/react-router';

/** The secrets that are rotated one at a time. */
export type Rotated = 'signing' | 'delivery' | 'project';

/**
 * Where the new signing secret is until the rotation ends: `current` with the old one as the previous, or `previous`
 * in addition to the old one, for users who no longer have the old secret.
 */
export type NewPlace = 'current' | 'previous';

/** The rotation that is open stands in the address, so that a colleague can go on with it. */
export function useRotation() {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const go = (change: { rotate?: Rotated | undefined; place?: NewPlace | undefined }) =>
    void navigate({ to: '.', search: { ...search, ...change }, replace: true, resetScroll: false });
  const { rotate, place } = search;
  const rotated: Rotated | null = rotate === 'signing' || rotate === 'delivery' || rotate === 'project' ? rotate : null;
  const newPlace: NewPlace | null = place === 'current' || place === 'previous' ? place : null;
  return {
    rotated,
    place: newPlace,
    open: (secret: Rotated) => go({ rotate: secret, place: undefined }),
    close: () => go({ rotate: undefined, place: undefined }),
    setPlace: (chosen: NewPlace) => go({ rotate: 'signing', place: chosen }),
  };
}
