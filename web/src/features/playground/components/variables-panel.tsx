import { Play } from 'lucide-react';
import { Button } from '@/components/ui/button';
import { Card, CardBody, CardHeader } from '@/components/ui/card';
import { TemplateText } from '@/components/ui/template-text';
import type { Playground } from '@/features/playground/use-playground';
import { VariableField } from './variable-field';

/** One field per variable, and the button that fills them in. */
export function VariablesPanel({ playground }: { playground: Playground }) {
  const { variables, setInput, compiling, canCompile, run } = playground;
  const filled = variables.filter(({ value }) => value !== '').length;
  return (
    <Card>
      <CardHeader
        title="Variables"
        actions={
          variables.length > 0 && (
            <span className="text-sm text-muted">
              {filled} of {variables.length} filled
            </span>
          )
        }
      />
      <CardBody className="grid gap-4 pt-3">
        {variables.length === 0 ? (
          <p className="text-sm text-muted">
            None yet. Names in braces, such as <TemplateText text="{topic}" className="text-xs" />,
            show up here.
          </p>
        ) : (
          <div className="-mx-5 grid max-h-[60vh] gap-4 overflow-y-auto px-5 py-1">
            {variables.map((variable) => (
              <VariableField
                key={variable.name}
                variable={variable}
                onChange={(part) => {
                  setInput(variable.name, part);
                }}
              />
            ))}
          </div>
        )}
        <Button
          variant="primary"
          className="w-full"
          disabled={!canCompile}
          pending={compiling}
          aria-keyshortcuts="Control+Enter Meta+Enter"
          onClick={() => void run()}
        >
          {!compiling && <Play aria-hidden="true" />}
          {compiling ? 'Compiling...' : 'Compile Template'}
        </Button>
      </CardBody>
    </Card>
  );
}
