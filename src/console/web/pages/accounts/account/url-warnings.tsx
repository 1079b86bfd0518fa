import type { ReactNode } from 'react';
import { Notice } from '../../../components/notice.tsx';

/** The URLs of a consumer or a destination that lead to refused addresses, and what that means. */
export function UrlWarnings(props: { of: { warnings?: { path: string; message: string }[] }; children: ReactNode }) {
  // An api of the release before sends none.
  return props.of.warnings?.map(({ path, message }) => (
    <Notice key={path} tone="open">
      <span>
        <code>{path}</code> {message}. {props.children}
      </span>
    </Notice>
  ));
}
