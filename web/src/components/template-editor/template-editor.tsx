/**
 * The field templates are written in: a plain text area that becomes a code editor once its chunk
 * is there, and stays a text area if the chunk never comes.
 */
import { Suspense, lazy, useId, useState } from 'react';
import { cn } from '@/lib/cn';
import { PlainEditor, type EditorProps } from './plain-editor';

const CodeEditor = lazy(() =>
  import('./code-editor').then(
    (module) => ({ default: module.CodeEditor }),
    (error: unknown) => {
      console.warn('The code editor could not be loaded; a text field stands in.', error);
      return { default: PlainEditor };
    },
  ),
);

interface TemplateEditorProps {
  label: string;
  /** Keeps the label for screen readers only, where a heading already names the field. */
  labelHidden?: boolean;
  value: string;
  onChange: (value: string) => void;
  placeholder?: string;
  suggestions?: readonly string[];
  hint?: string | undefined;
  error?: string | undefined;
  required?: boolean;
  className?: string;
}

const NONE: readonly string[] = [];

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
  const [caret, setCaret] = useState<number | null>(null);
  const described =
    [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ') || undefined;
  const editor: EditorProps = {
    id,
    labelledBy: `${id}-label`,
    describedBy: described,
    invalid: Boolean(error),
    value,
    placeholder,
    suggestions,
    initialCaret: caret,
    onChange,
    onCaret: setCaret,
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
        <Suspense fallback={<PlainEditor {...editor} />}>
          <CodeEditor {...editor} />
        </Suspense>
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
