import { useRef } from 'react';

/** What both halves of the template editor take. */
export interface EditorProps {
  id: string;
  labelledBy: string;
  describedBy: string | undefined;
  invalid: boolean;
  value: string;
  placeholder: string;
  /** Names offered after `{`, besides those the template already uses. */
  suggestions: readonly string[];
  /** Where the caret was in the field this one replaces; null when that had no focus. */
  initialCaret: number | null;
  onChange: (value: string) => void;
  /** Reports the caret, null when the field loses the focus. */
  onCaret: (caret: number | null) => void;
}

/** The plain text area: shown until the code editor is there, and instead of it if it never is. */
export function PlainEditor(props: EditorProps) {
  const { id, describedBy, invalid, value, placeholder, onChange, onCaret } = props;
  const field = useRef<HTMLTextAreaElement>(null);
  const reportCaret = () => {
    if (field.current === document.activeElement) onCaret(field.current?.selectionStart ?? null);
  };
  return (
    <textarea
      ref={field}
      id={id}
      value={value}
      placeholder={placeholder}
      aria-describedby={describedBy}
      aria-invalid={invalid}
      spellCheck
      className="block field-sizing-content min-h-[inherit] w-full resize-none bg-transparent px-3 py-3 font-mono leading-[1.6] outline-none"
      onChange={(event) => {
        onChange(event.target.value);
        reportCaret();
      }}
      onFocus={reportCaret}
      onSelect={reportCaret}
      onBlur={() => {
        onCaret(null);
      }}
    />
  );
}
