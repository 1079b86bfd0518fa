import { type Extension, StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView } from '@codemirror/view';
import { tokensOf } from './condition-tokens.ts';

/** Underlines the mistake at an offset of the text, or with null takes the line away. */
export const markError = StateEffect.define<number | null>();

const mark = Decoration.mark({ class: 'cm-mistake' });

/** The token at the mistake, or the last character when the text ends too early. */
function rangeAt(text: string, offset: number): { from: number; to: number } | null {
  const token = tokensOf(text).find(({ from, to }) => from <= offset && offset < to);
  if (token) return { from: offset, to: token.to };
  const end = text.trimEnd().length;
  return end === 0 ? null : { from: end - 1, to: end };
}

const marks = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(shown, { changes, effects, newDoc }) {
    let next = shown.map(changes);
    for (const effect of effects) {
      if (!effect.is(markError)) continue;
      const range = effect.value === null ? null : rangeAt(newDoc.toString(), effect.value);
      next = range ? Decoration.set(mark.range(range.from, range.to)) : Decoration.none;
    }
    return next;
  },
  provide: (field) => [
    EditorView.decorations.from(field),
    EditorView.contentAttributes.from(field, (shown) => ({ 'aria-invalid': String(shown.size > 0) })),
  ],
});

/** The line below a mistake. */
export const errorMark: Extension = marks;
