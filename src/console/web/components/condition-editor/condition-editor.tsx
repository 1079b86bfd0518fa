import type { EditorView } from '@codemirror/view';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { answer, api } from '../../api/client.ts';
import { createEditor } from '../code/code-root.ts';
import { namesRead } from './completion.ts';
import styles from './condition-editor.module.css';
import { ConditionHelp } from './condition-help.tsx';
import { ConditionResult } from './condition-result.tsx';
import { editorExtensions } from './editor-extensions.ts';
import { markError } from './error-mark.ts';
import { type Owner, useConditionPreview } from './use-condition-preview.ts';

/**
 * An editor for the condition of a destination or a consumer. It checks the condition while the user writes, completes it, and shows
 * which of the account's last events or webhooks it matches.
 *
 * @param initial the condition when the editor opens. Later values are ignored: the text belongs to the editor.
 */
export function ConditionEditor(props: {
  accountId: string;
  label: string;
  initial: string;
  of?: Owner;
  onChange(text: string): void;
}) {
  const { accountId, label, initial, of = 'destination' } = props;
  const [text, setText] = useState(initial);
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const preview = useConditionPreview(accountId, text, of);
  const names = useQuery({
    queryKey: ['condition-names', accountId, of],
    queryFn: ({ signal }) =>
      answer(api.conditions.names.get({ query: { account_id: accountId, of }, fetch: { signal } })),
    staleTime: 60_000,
  });
  const latest = useRef({ names: names.data, onChange: props.onChange });
  latest.current = { names: names.data, onChange: props.onChange };

  // biome-ignore lint/correctness/useExhaustiveDependencies: the initial text is only for a new editor
  useEffect(() => {
    if (!host.current) return;
    const editor = createEditor(host.current, {
      doc: initial,
      extensions: editorExtensions({
        label,
        example: of === 'consumer' ? 'all webhooks' : 'delivery_failed',
        names: () => latest.current.names,
        onChange: (changed) => {
          setText(changed);
          latest.current.onChange(changed);
        },
      }),
    });
    view.current = editor;
    return () => editor.destroy();
  }, [label, of]);

  useEffect(() => {
    if (names.data) view.current?.dispatch({ effects: namesRead.of(null) });
  }, [names.data]);

  const { isSettled } = preview;
  const offset = preview.data?.error?.offset ?? null;
  useEffect(() => {
    if (isSettled) view.current?.dispatch({ effects: markError.of(offset) });
  }, [offset, isSettled]);

  return (
    <div className={styles.editor}>
      <div className={styles.label} aria-hidden="true">
        {label}
      </div>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: shortcuts of the page do not hold while the user writes */}
      <div ref={host} className={styles.host} onKeyDown={(event) => event.stopPropagation()} />
      <ConditionResult text={text} of={of} preview={preview} />
      <ConditionHelp of={of} />
    </div>
  );
}
