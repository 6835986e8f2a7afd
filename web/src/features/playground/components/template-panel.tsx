import { Copy, Plus } from 'lucide-react';
import { useDeferredValue, useMemo } from 'react';
import { LintList } from '@/components/template-editor/lint-list';
import { TemplateEditor } from '@/components/template-editor/template-editor';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Card, CardBody } from '@/components/ui/card';
import { SUGGESTIONS, suggestVariables } from '@/features/playground/suggestions';
import type { Playground } from '@/features/playground/use-playground';
import { copyText } from '@/lib/copy-text';
import { PromptPicker } from './prompt-picker';

const SUGGESTED_NAMES = SUGGESTIONS.map(({ name }) => name);

/** Where a template comes from and how it reads. */
export function TemplatePanel({ playground }: { playground: Playground }) {
  const { prompt, template, edited, values, setTemplate } = playground;
  return (
    <Card>
      <CardBody className="grid gap-4">
        <div className="flex flex-wrap items-end gap-3">
          <PromptPicker chosen={prompt} onChoose={playground.choose} />
          {edited && (
            <Badge tone="warning" className="mb-1.5">
              Edited, not saved
            </Badge>
          )}
        </div>
        <div className="relative">
          <Button
            size="sm"
            variant="ghost"
            className="absolute -top-1.5 right-0 h-7 px-2 pointer-coarse:h-8"
            disabled={template === ''}
            onClick={() => void copyText(template)}
          >
            <Copy aria-hidden="true" />
            Copy Template
          </Button>
          <TemplateEditor
            label="Template"
            value={template}
            placeholder="Choose a prompt above, or paste a template such as: Hello {user_name}, today is {TODAY}."
            suggestions={SUGGESTED_NAMES}
            onChange={setTemplate}
          />
          <LintList template={template} names={Object.keys(values)} onFix={setTemplate} />
        </div>
        <Suggestions template={template} onAdd={setTemplate} />
      </CardBody>
    </Card>
  );
}

interface SuggestionsProps {
  template: string;
  /** Takes the template with the variable at its end. */
  onAdd: (template: string) => void;
}

/** Chips for variables the text seems to call for. Nothing is added without a click. */
function Suggestions({ template, onAdd }: SuggestionsProps) {
  const settled = useDeferredValue(template);
  const suggestions = useMemo(() => suggestVariables(settled), [settled]);
  if (suggestions.length === 0) return null;
  return (
    <div className="flex flex-wrap items-center gap-1.5">
      <span id="suggested-variables" className="mr-1 text-xs text-muted">
        Suggested
      </span>
      <ul aria-labelledby="suggested-variables" className="contents">
        {suggestions.map(({ name }) => (
          <li key={name}>
            <button
              type="button"
              aria-label={`Add {${name}}`}
              className="inline-flex h-7 items-center gap-1 rounded-sm border border-dashed px-1.5 font-mono text-xs text-muted hover:border-accent-line hover:bg-accent-soft hover:text-accent pointer-coarse:h-11"
              onClick={() => {
                onAdd(`${template}${/\s$/.test(template) ? '' : ' '}{${name}}`);
              }}
            >
              <Plus aria-hidden="true" className="size-3" />
              {name}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
