import { type Extension, StateEffect, StateField } from '@codemirror/state';
import { EditorView, showTooltip, type Tooltip, type ViewUpdate } from '@codemirror/view';
import type { Completions, Option } from './completions.ts';

/** The list of completions with the selected option; -1 selects none. */
export interface OpenList extends Completions {
  selected: number;
}

/** Opens a list, or with null closes it. */
export const setList = StateEffect.define<OpenList | null>();

/** Unique in the shadow root, which has one list at most. */
const listId = 'completions';
const optionId = (index: number) => `completion-${index}`;

/** The open list. A change of the text closes it; `completion.ts` opens the next one. */
const openList = StateField.define<OpenList | null>({
  create: () => null,
  update(value, transaction) {
    for (const effect of transaction.effects) if (effect.is(setList)) return effect.value;
    return transaction.docChanged || transaction.selection ? null : value;
  },
  provide: (field) => [
    showTooltip.compute([field], (state) => tooltipOf(state.field(field))),
    EditorView.contentAttributes.compute([field], (state) => attributesOf(state.field(field))),
  ],
});

function attributesOf(list: OpenList | null): Record<string, string> {
  const closed = { 'aria-autocomplete': 'list', 'aria-haspopup': 'listbox' };
  if (!list) return closed;
  const open = { ...closed, 'aria-controls': listId };
  return list.selected < 0 ? open : { ...open, 'aria-activedescendant': optionId(list.selected) };
}

const tooltipOf = (list: OpenList | null): Tooltip | null =>
  list && { pos: list.from, create: (view) => renderList(view, list) };

/** Replaces what the user has written by the option. */
export function accept(view: EditorView, { from, to }: Completions, { insert, back = 0 }: Option): void {
  view.dispatch({
    changes: { from, to, insert },
    selection: { anchor: from + insert.length - back },
    userEvent: 'input.complete',
    scrollIntoView: true,
  });
  view.focus();
}

function renderList(view: EditorView, list: OpenList) {
  const dom = document.createElement('ul');
  dom.id = listId;
  dom.className = 'cm-completions';
  dom.setAttribute('role', 'listbox');
  dom.setAttribute('aria-label', 'Completions');
  const items = list.options.map((option, index) => {
    const item = renderOption(option, index);
    item.addEventListener('mousedown', (event) => {
      // Keeps the focus in the editor.
      event.preventDefault();
      accept(view, list, option);
    });
    return item;
  });
  dom.append(...items);
  const select = (selected: number) => {
    for (const [index, item] of items.entries()) item.setAttribute('aria-selected', String(index === selected));
    items[selected]?.scrollIntoView({ block: 'nearest' });
  };
  return {
    dom,
    mount: () => select(list.selected),
    update: ({ state }: ViewUpdate) => select(state.field(openList)?.selected ?? -1),
  };
}

function renderOption({ label, detail }: Option, index: number): HTMLLIElement {
  const item = document.createElement('li');
  item.id = optionId(index);
  item.setAttribute('role', 'option');
  // Values come from webhooks, and may have letters of any direction.
  const text = document.createElement('bdi');
  text.textContent = label;
  const aside = document.createElement('span');
  aside.textContent = detail;
  item.append(text, ' ', aside);
  return item;
}

/** Whether an editor shows a list, for its keys. */
export const listOf = (view: EditorView): OpenList | null => view.state.field(openList, false) ?? null;

export const completionList: Extension = openList;
