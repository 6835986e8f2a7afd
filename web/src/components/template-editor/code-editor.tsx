/**
 * The CodeMirror half of the template editor, in a chunk of its own.
 *
 * Tab is not bound, so the keyboard can leave the field, and Ctrl/Cmd+Enter is left to the screen.
 */
import { autocompletion, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { search, searchKeymap } from '@codemirror/search';
import {
  Annotation,
  Compartment,
  EditorState,
  Prec,
  RangeSetBuilder,
  type Extension,
} from '@codemirror/state';
import {
  Decoration,
  EditorView,
  ViewPlugin,
  drawSelection,
  keymap,
  placeholder as placeholderText,
  type DecorationSet,
  type ViewUpdate,
} from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { MARK_CLASS, markOf, type TemplateMark } from '@/components/ui/template-text';
import { scan } from '@/lib/compile/tokens';
import { completionsFor } from './completions';
import type { EditorProps } from './plain-editor';

/** Marks a change that came in through `value`, so that it is not reported back. */
const fromOutside = Annotation.define<boolean>();

const MARKS = Object.fromEntries(
  Object.entries(MARK_CLASS).map(([mark, name]) => [mark, Decoration.mark({ class: name })]),
) as Record<TemplateMark, Decoration>;

/** Only what is on screen is scanned: no token spans lines, so a visible range stands alone. */
function decorate(view: EditorView): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  for (const { from, to } of view.visibleRanges) {
    for (const token of scan(view.state.sliceDoc(from, to))) {
      const start = from + token.start + token.opening - token.depth;
      const end = from + token.end - token.closing + token.depth;
      builder.add(start, end, MARKS[markOf(token)]);
    }
  }
  return builder.finish();
}

const highlighting = ViewPlugin.define(
  (view) => ({
    decorations: decorate(view),
    update(update: ViewUpdate) {
      if (update.docChanged || update.viewportChanged) this.decorations = decorate(update.view);
    },
  }),
  { decorations: (plugin) => plugin.decorations },
);

const theme = EditorView.theme({
  '&': { backgroundColor: 'transparent', color: 'var(--foreground)', fontSize: 'inherit' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', lineHeight: '1.6', overflow: 'auto' },
  '.cm-content': { padding: '12px 0', caretColor: 'var(--accent)', minHeight: 'inherit' },
  '.cm-line': { padding: '0 12px' },
  '.cm-placeholder': { color: 'var(--muted)' },
  '.cm-cursor': { borderLeftColor: 'var(--accent)', borderLeftWidth: '2px' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground':
    { background: 'var(--accent-line)' },
  '.cm-searchMatch': {
    backgroundColor: 'var(--warning-soft)',
    outline: '1px solid var(--warning)',
  },
  '.cm-panels': { backgroundColor: 'var(--raised)', color: 'var(--foreground)' },
  '.cm-panels.cm-panels-bottom': { borderTop: '1px solid var(--border)' },
  '.cm-textfield, .cm-button': {
    background: 'var(--surface)',
    color: 'var(--foreground)',
    border: '1px solid var(--control)',
    borderRadius: '6px',
    fontSize: '0.75rem',
  },
  '.cm-tooltip': {
    backgroundColor: 'var(--surface)',
    border: '1px solid var(--border)',
    borderRadius: '6px',
    overflow: 'hidden',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    fontFamily: 'var(--font-mono)',
    fontSize: '0.75rem',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '4px 10px' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    backgroundColor: 'var(--accent-soft)',
    color: 'var(--accent)',
  },
  '.cm-completionDetail': { color: 'var(--muted)', fontStyle: 'normal', marginLeft: '1rem' },
});

const fixedExtensions: Extension = [
  history(),
  drawSelection(),
  EditorView.lineWrapping,
  search(),
  highlighting,
  theme,
  Prec.highest(keymap.of([{ key: 'Mod-Enter', run: () => true }])),
  keymap.of([...completionKeymap, ...searchKeymap, ...historyKeymap, ...defaultKeymap]),
];

type Attributes = Pick<EditorProps, 'id' | 'labelledBy' | 'describedBy' | 'invalid'>;

function attributes({ id, labelledBy, describedBy, invalid }: Attributes): Extension {
  return EditorView.contentAttributes.of({
    id,
    'aria-labelledby': labelledBy,
    'aria-invalid': String(invalid),
    ...(describedBy === undefined ? {} : { 'aria-describedby': describedBy }),
    spellcheck: 'true',
  });
}

/** A controlled CodeMirror: the document follows `value`, edits are reported by `onChange`. */
export function CodeEditor(props: EditorProps) {
  const { id, labelledBy, describedBy, invalid, value } = props;
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const latest = useRef(props);
  const labels = useRef(new Compartment());

  useEffect(() => {
    latest.current = props;
  });

  useEffect(() => {
    const start = latest.current;
    const caret = Math.min(start.initialCaret ?? 0, start.value.length);
    const editor = new EditorView({
      parent: host.current ?? document.createElement('div'),
      state: EditorState.create({
        doc: start.value,
        selection: { anchor: caret },
        extensions: [
          fixedExtensions,
          placeholderText(start.placeholder),
          autocompletion({
            override: [completionsFor(() => latest.current.suggestions)],
            icons: false,
          }),
          labels.current.of(attributes(start)),
          EditorView.updateListener.of((update) => {
            const isOwn = update.transactions.every(
              (step) => step.annotation(fromOutside) !== true,
            );
            if (update.docChanged && isOwn) latest.current.onChange(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.current = editor;
    if (start.initialCaret !== null) editor.focus();
    return () => {
      editor.destroy();
    };
  }, []);

  useEffect(() => {
    const extension = attributes({ id, labelledBy, describedBy, invalid });
    view.current?.dispatch({ effects: labels.current.reconfigure(extension) });
  }, [id, labelledBy, describedBy, invalid]);

  useEffect(() => {
    const editor = view.current;
    if (editor === null || editor.state.doc.toString() === value) return;
    editor.dispatch({
      changes: { from: 0, to: editor.state.doc.length, insert: value },
      annotations: fromOutside.of(true),
    });
  }, [value]);

  return <div ref={host} className="template-editor-host min-h-[inherit]" />;
}
