import { type Extension, StateEffect } from '@codemirror/state';
import { EditorView, type KeyBinding } from '@codemirror/view';
import { accept, completionList, listOf, setList } from './completion-list.ts';
import { completionsAt, type Names } from './completions.ts';

/** Opens the list at the cursor. `asked`: the user wants it, so that Enter takes its first option. */
function open(view: EditorView, names: Names | undefined, asked: boolean): boolean {
  const { main } = view.state.selection;
  const found = names && main.empty ? completionsAt(view.state.doc.toString(), main.head, names) : null;
  if (!found && !listOf(view)) return asked;
  // Without a written letter, Enter ends the line instead of taking an option.
  view.dispatch({ effects: setList.of(found && { ...found, selected: asked || found.prefix !== '' ? 0 : -1 }) });
  return true;
}

function move(view: EditorView, by: 1 | -1): boolean {
  const list = listOf(view);
  if (!list) return false;
  const { length } = list.options;
  const selected = list.selected < 0 && by < 0 ? length - 1 : (list.selected + by + length) % length;
  view.dispatch({ effects: setList.of({ ...list, selected }) });
  return true;
}

function take(view: EditorView): boolean {
  const list = listOf(view);
  const option = list?.options[list.selected];
  if (!list || !option) return false;
  accept(view, list, option);
  return true;
}

function close(view: EditorView): boolean {
  if (!listOf(view)) return false;
  view.dispatch({ effects: setList.of(null) });
  return true;
}

/** The keys of the list. Tab is not among them: it leaves the editor. */
export const completionKeys = (names: () => Names | undefined): KeyBinding[] => [
  { key: 'Ctrl-Space', run: (view) => open(view, names(), true) },
  { key: 'ArrowDown', run: (view) => move(view, 1) },
  { key: 'ArrowUp', run: (view) => move(view, -1) },
  { key: 'Enter', run: take },
  { key: 'Escape', run: close, stopPropagation: true },
];

/** Says that the names have been read. */
export const namesRead = StateEffect.define<null>();

/** Completes names, methods, operators and values while the user writes, also what was written before the names were read. */
export function completion(names: () => Names | undefined): Extension {
  let isWaiting = false;
  return [
    completionList,
    EditorView.updateListener.of(({ view, docChanged, selectionSet, transactions }) => {
      const isInput = docChanged && transactions.some((one) => one.isUserEvent('input') || one.isUserEvent('delete'));
      const isRead = transactions.some(({ effects }) => effects.some((effect) => effect.is(namesRead)));
      // An update cannot begin another one.
      if (isInput || (isRead && isWaiting && view.hasFocus))
        queueMicrotask(() => view.dom.isConnected && open(view, names(), false));
      if (docChanged || selectionSet) isWaiting = isInput && names() === undefined;
      else if (isRead) isWaiting = false;
    }),
    EditorView.domEventHandlers({ blur: (_, view) => void queueMicrotask(() => close(view)) }),
  ];
}
