import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

/** The look of code on all pages. Custom properties reach into the shadow root, so it follows the scheme by itself. */
export const codeTheme = [
  EditorView.theme({
    '&': {
      color: 'var(--text)',
      backgroundColor: 'var(--sunken)',
      borderRadius: 'var(--small-radius)',
      fontSize: '12.5px',
      maxHeight: '520px',
    },
    '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '1px' },
    '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55', overflow: 'auto' },
    '.cm-content': { padding: '8px 4px', caretColor: 'var(--text)' },
    '.cm-gutters': { color: 'var(--aside)', backgroundColor: 'transparent', border: '0' },
    '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'transparent' },
    '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
      backgroundColor: 'var(--accent-ground)',
    },
    '.cm-specialChar': { color: 'var(--bad)', backgroundColor: 'var(--bad-ground)' },
    '.cm-searchMatch': { color: 'inherit', backgroundColor: 'var(--open-ground)', outline: '1px solid var(--open)' },
    '.cm-panels': {
      color: 'var(--text)',
      backgroundColor: 'var(--raised)',
      borderColor: 'var(--line)',
      fontFamily: 'var(--font)',
    },
    '.cm-textfield': { color: 'var(--text)', backgroundColor: 'var(--panel)', border: '1px solid var(--strong-line)' },
    '.cm-button': { color: 'var(--text)', background: 'var(--calm-ground)', border: '1px solid var(--line)' },
    '.cm-panel.cm-search label': { fontSize: '12px' },
  }),
  syntaxHighlighting(
    HighlightStyle.define([
      { tag: tags.propertyName, color: 'var(--accent)' },
      { tag: tags.string, color: 'var(--string)' },
      { tag: [tags.number, tags.bool, tags.null], color: 'var(--open)' },
      { tag: [tags.keyword, tags.operator], color: 'var(--bad)' },
      { tag: tags.comment, color: 'var(--aside)' },
    ]),
  ),
];
