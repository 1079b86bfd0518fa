import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';

/**
 * Creates an editor in a shadow root of `host`: there, CodeMirror adopts constructed style sheets. In the document, it
 * would write a `<style>` element, which the policy of the pages refuses.
 */
export function createEditor(host: HTMLElement, options: { doc: string; extensions: Extension }): EditorView {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  return new EditorView({ doc: options.doc, extensions: options.extensions, root, parent: root });
}
