import { json } from '@codemirror/lang-json';
import { openSearchPanel, search, searchKeymap } from '@codemirror/search';
import { EditorState } from '@codemirror/state';
import { drawSelection, EditorView, highlightSpecialChars, keymap } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { Button } from '../button.tsx';
import styles from './code.module.css';
import { createEditor } from './code-root.ts';
import { codeTheme } from './code-theme.ts';

/** Beyond this length of a text, colours cost more than they help. */
const colouredLength = 300_000;
/** Marks that change the direction of text, besides those that the library shows as signs by itself. */
const directionMarks = /[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]/g;

/**
 * A text that can be read, searched and copied, not changed. Only the visible part is in the document, so a text of one
 * line of a megabyte is shown as fast as a short one. Control characters and marks of direction are shown as signs.
 */
export function CodeView({ label, text, isJson }: { label: string; text: string; isJson: boolean }) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  useEffect(() => {
    if (!host.current) return;
    const created = createEditor(host.current, {
      doc: text,
      extensions: [
        EditorState.readOnly.of(true),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': label, 'aria-readonly': 'true', dir: 'ltr', tabindex: '0' }),
        highlightSpecialChars({ addSpecialChars: directionMarks }),
        ...[drawSelection(), search({ top: true }), keymap.of(searchKeymap), codeTheme],
        isJson && text.length <= colouredLength ? json() : [],
      ],
    });
    view.current = created;
    return () => {
      created.destroy();
      view.current = null;
    };
  }, [label, text, isJson]);
  return (
    <div className={styles.code}>
      {/* Above the text, whose height changes while it is measured. */}
      <Button tone="quiet" onClick={() => view.current && openSearchPanel(view.current)}>
        Search in the text
      </Button>
      <div ref={host} className={styles.host} />
    </div>
  );
}
