import { type ChangeSet, EditorSelection, type Extension, StateEffect, StateField } from '@codemirror/state';
import { EditorView, type KeyBinding } from '@codemirror/view';

interface Step {
  /** What takes the change back. */
  changes: ChangeSet;
  /** Where the cursor was before. */
  anchor: number;
}

interface History {
  undone: Step[];
  done: Step[];
  lastMs: number;
}

const written = StateEffect.define<History>();

/** Changes within this time are undone together. */
const togetherMs = 500;
const maxSteps = 200;

const history = StateField.define<History>({
  create: () => ({ undone: [], done: [], lastMs: 0 }),
  update(value, transaction) {
    for (const effect of transaction.effects) if (effect.is(written)) return effect.value;
    if (!transaction.docChanged) return value;
    const { startState } = transaction;
    const step = { changes: transaction.changes.invert(startState.doc), anchor: startState.selection.main.anchor };
    const nowMs = Date.now();
    const previous = value.done.at(-1);
    const done =
      previous && nowMs - value.lastMs < togetherMs
        ? [...value.done.slice(0, -1), { changes: step.changes.compose(previous.changes), anchor: previous.anchor }]
        : [...value.done, step].slice(-maxSteps);
    return { undone: [], done, lastMs: nowMs };
  },
});

function go(view: EditorView, direction: 'undo' | 'redo'): boolean {
  const { done, undone } = view.state.field(history);
  const [from, to] = direction === 'undo' ? [done, undone] : [undone, done];
  const step = from.at(-1);
  if (!step) return true;
  const back = { changes: step.changes.invert(view.state.doc), anchor: view.state.selection.main.anchor };
  const [rest, longer] = [from.slice(0, -1), [...to, back]];
  view.dispatch({
    changes: step.changes,
    selection: EditorSelection.cursor(Math.min(step.anchor, step.changes.newLength)),
    effects: written.of({
      ...(direction === 'undo' ? { done: rest, undone: longer } : { done: longer, undone: rest }),
      lastMs: 0,
    }),
    scrollIntoView: true,
  });
  return true;
}

const undo = (view: EditorView) => go(view, 'undo');
const redo = (view: EditorView) => go(view, 'redo');

/** Keys that undo and redo. The browser's own undo does not know the changes of CodeMirror. */
export const historyKeys: KeyBinding[] = [
  { key: 'Mod-z', run: undo },
  { key: 'Mod-y', run: redo },
  { key: 'Mod-Shift-z', run: redo },
];

/** Remembers changes, also for the menu of the browser. */
export const undoHistory: Extension = [
  history,
  EditorView.domEventHandlers({
    beforeinput(event, view) {
      if (event.inputType !== 'historyUndo' && event.inputType !== 'historyRedo') return false;
      event.preventDefault();
      return go(view, event.inputType === 'historyUndo' ? 'undo' : 'redo');
    },
  }),
];
