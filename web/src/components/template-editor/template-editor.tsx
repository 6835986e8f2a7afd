/**
 * The field templates are written in: a plain text area that becomes a code editor once its chunk
 * is there, and stays a text area if the chunk never comes.
 */
import { useEffect, useId, useRef, useState, type ComponentType } from 'react';
import { cn } from '@/lib/cn';
import type { CodeEditorProps } from './code-editor';

interface TemplateEditorProps {
  label: string;
  /** Keeps the label for screen readers only, where a heading already names the field. */
  labelHidden?: boolean;
  value: string;
  onChange: (value: string) => void;
  placeholder?: string;
  suggestions?: readonly string[];
  hint?: string;
  error?: string | undefined;
  required?: boolean;
  className?: string;
}

type Editor = ComponentType<CodeEditorProps>;

const NONE: readonly string[] = [];

/** The code editor, once loaded. A chunk that fails to load leaves the text area in place. */
function useCodeEditor(): Editor | null {
  const [editor, setEditor] = useState<{ Component: Editor } | null>(null);
  useEffect(() => {
    let wanted = true;
    import('./code-editor').then(
      ({ CodeEditor }) => {
        if (wanted) setEditor({ Component: CodeEditor });
      },
      (error: unknown) => {
        console.warn('The code editor could not be loaded; a text field stands in.', error);
      },
    );
    return () => {
      wanted = false;
    };
  }, []);
  return editor?.Component ?? null;
}

export function TemplateEditor({
  label,
  labelHidden = false,
  value,
  onChange,
  placeholder = 'Hello {name}, …',
  suggestions = NONE,
  hint,
  error,
  required = false,
  className,
}: TemplateEditorProps) {
  const id = useId();
  const CodeEditor = useCodeEditor();
  const [caret, setCaret] = useState<number | null>(null);
  const textarea = useRef<HTMLTextAreaElement>(null);
  const described =
    [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ') || undefined;
  const trackCaret = () => {
    const field = textarea.current;
    setCaret(field !== null && field === document.activeElement ? field.selectionStart : null);
  };

  return (
    <div className="grid gap-1.5">
      <label
        id={`${id}-label`}
        htmlFor={id}
        className={labelHidden ? 'sr-only' : 'text-sm font-medium'}
      >
        {label}
        {required && <RequiredMark />}
      </label>
      <div
        className={cn(
          'max-h-[36rem] min-h-64 overflow-auto rounded-md border border-control/70 bg-surface text-sm transition-[border-color] duration-150 focus-within:border-accent focus-within:outline-2 focus-within:outline-accent hover:border-control max-md:text-base pointer-coarse:text-base',
          error && 'border-danger',
          className,
        )}
      >
        {CodeEditor === null ? (
          <textarea
            ref={textarea}
            id={id}
            value={value}
            placeholder={placeholder}
            aria-describedby={described}
            aria-invalid={Boolean(error)}
            spellCheck
            className="block field-sizing-content min-h-[inherit] w-full resize-none bg-transparent px-3 py-3 font-mono leading-[1.6] outline-none"
            onChange={(event) => {
              onChange(event.target.value);
              trackCaret();
            }}
            onSelect={trackCaret}
            onBlur={() => {
              setCaret(null);
            }}
          />
        ) : (
          <CodeEditor
            id={id}
            labelledBy={`${id}-label`}
            describedBy={described}
            invalid={Boolean(error)}
            value={value}
            placeholder={placeholder}
            suggestions={suggestions}
            initialCaret={caret}
            onChange={onChange}
          />
        )}
      </div>
      {hint && (
        <p id={`${id}-hint`} className="text-xs text-muted">
          {hint}
        </p>
      )}
      {error && (
        <p id={`${id}-error`} role="alert" className="text-sm text-danger">
          {error}
        </p>
      )}
    </div>
  );
}

function RequiredMark() {
  return (
    <span aria-hidden="true" className="ml-0.5 text-accent">
      *
    </span>
  );
}
