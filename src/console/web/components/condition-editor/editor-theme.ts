import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { codeTheme } from '../code/code-theme.ts';

/** The editor looks like a field. In a shadow root only the variables of the page hold. */
const fieldTheme = EditorView.theme({
  '&': {
    border: '1px solid var(--strong-line)',
    backgroundColor: 'var(--panel)',
    fontSize: '13px',
  },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '2px' },
  '.cm-scroller': { lineHeight: '20px', maxHeight: '220px' },
  '.cm-content': { padding: '6px 0', minHeight: '52px' },
  '.cm-line': { padding: '0 10px' },
  '.cm-placeholder': { color: 'var(--aside)' },
  '.cm-mistake': {
    textDecoration: 'underline wavy var(--bad) 1.5px',
    textUnderlineOffset: '3px',
    background: 'var(--bad-ground)',
  },
  '.cm-tooltip': {
    border: '1px solid var(--line)',
    borderRadius: 'var(--radius)',
    background: 'var(--raised)',
    boxShadow: 'var(--shadow)',
    overflow: 'hidden',
  },
  '.cm-completions': {
    maxHeight: '208px',
    maxWidth: 'min(440px, calc(100vw - 40px))',
    margin: '0',
    padding: '4px',
    overflowY: 'auto',
    listStyle: 'none',
    font: '12.5px / 20px var(--mono)',
  },
  '.cm-completions li': {
    display: 'flex',
    justifyContent: 'space-between',
    gap: '20px',
    padding: '2px 8px',
    borderRadius: 'var(--small-radius)',
    cursor: 'pointer',
    overflowWrap: 'anywhere',
  },
  '.cm-completions li[aria-selected="true"]': { background: 'var(--accent-ground)', color: 'var(--accent)' },
  '.cm-completions span': { color: 'var(--aside)', fontFamily: 'var(--font)', whiteSpace: 'nowrap' },
});

/** The shared theme of code, with what is different in a field. */
export const editorTheme: Extension = [fieldTheme, codeTheme];
