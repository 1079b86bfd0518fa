import { EditorState, type Extension } from '@codemirror/state';
import { EditorView, type KeyBinding, keymap, placeholder } from '@codemirror/view';
import { completion, completionKeys } from './completion.ts';
import type { Names } from './completions.ts';
import { conditionLanguage } from './condition-language.ts';
import { editorTheme } from './editor-theme.ts';
import { errorMark } from './error-mark.ts';
import { historyKeys, undoHistory } from './history.ts';

const newLine: KeyBinding = {
  key: 'Enter',
  run: (view) => {
    view.dispatch(view.state.replaceSelection('\n'), { userEvent: 'input', scrollIntoView: true });
    return true;
  },
};

/** What makes a CodeMirror editor one of conditions. */
export function editorExtensions(options: {
  label: string;
  /** What an empty text stands for. */
  example: string;
  names(): Names | undefined;
  onChange(text: string): void;
}): Extension {
  const { label, example, names, onChange } = options;
  return [
    keymap.of([...completionKeys(names), newLine, ...historyKeys]),
    undoHistory,
    completion(names),
    conditionLanguage,
    errorMark,
    editorTheme,
    placeholder(example),
    EditorView.lineWrapping,
    EditorState.tabSize.of(2),
    EditorView.contentAttributes.of({
      'aria-label': label,
      'aria-description': 'Control and Space complete. Tab leaves the editor.',
      spellcheck: 'false',
      autocapitalize: 'off',
    }),
    EditorView.updateListener.of(({ docChanged, state }) => docChanged && onChange(state.doc.toString())),
  ];
}
