import { Eye, PencilLine } from 'lucide-react';
import { useMemo, useState } from 'react';
import { LintList } from '@/components/template-editor/lint-list';
import { TemplateEditor } from '@/components/template-editor/template-editor';
import { Button } from '@/components/ui/button';
import { TemplateText } from '@/components/ui/template-text';
import { sizeNote } from '@/features/prompts/template-size';
import { compile } from '@/lib/compile/compile';

interface TemplateFieldProps {
  value: string;
  error?: string | undefined;
  onChange: (value: string) => void;
}

/** The template with its preview: what it compiles to while its own variables are still open. */
export function TemplateField({ value, error, onChange }: TemplateFieldProps) {
  const [preview, setPreview] = useState(false);
  const size = sizeNote(value);
  return (
    <div className="relative">
      <Button
        size="sm"
        variant="ghost"
        className="absolute -top-1.5 right-0 z-10 h-7 px-2 pointer-coarse:h-8"
        onClick={() => {
          setPreview(!preview);
        }}
      >
        {preview ? <PencilLine aria-hidden="true" /> : <Eye aria-hidden="true" />}
        {preview ? 'Edit' : 'Preview'}
      </Button>
      {preview ? (
        <Preview template={value} />
      ) : (
        <>
          <TemplateEditor
            label="Template"
            required
            value={value}
            hint={size.hint}
            error={size.problem ?? error}
            placeholder="e.g. You are a helpful assistant. Answer {question} in a {tone} tone."
            onChange={onChange}
          />
          <LintList template={value} onFix={onChange} />
        </>
      )}
    </div>
  );
}

function Preview({ template }: { template: string }) {
  const output = useMemo(() => compile(template).output, [template]);
  return (
    <section aria-label="Preview" className="grid gap-1.5">
      <p className="text-sm font-medium">Preview</p>
      <div className="max-h-[36rem] min-h-64 overflow-auto rounded-md border bg-raised px-3 py-3">
        {output === '' ? (
          <p className="text-sm text-muted">Nothing to preview yet.</p>
        ) : (
          <TemplateText text={output} className="block text-sm leading-[1.6]" />
        )}
      </div>
      <p className="text-xs text-muted">
        System variables are filled in. Your own stay open until the prompt is compiled.
      </p>
    </section>
  );
}
