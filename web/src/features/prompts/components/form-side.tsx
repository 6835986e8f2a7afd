import { useMemo, type ReactNode } from 'react';
import { Card, CardBody, CardHeader } from '@/components/ui/card';
import { TemplateText } from '@/components/ui/template-text';
import { templateStats } from '@/features/prompts/template-stats';
import { variableNames } from '@/lib/compile/compile';

const NUMBER = new Intl.NumberFormat();

/** The cards beside both forms: what the template holds and how to write one. */
export function FormSide({ template, children }: { template: string; children?: ReactNode }) {
  return (
    <section
      aria-label="About the template"
      className="grid min-w-0 grid-cols-1 content-start gap-4"
    >
      {children}
      <DetectedVariables template={template} />
      <Tips />
      <Stats template={template} />
    </section>
  );
}

function DetectedVariables({ template }: { template: string }) {
  const names = useMemo(() => variableNames(template), [template]);
  return (
    <Card>
      <CardHeader title="Detected Variables" />
      <CardBody className="pt-2">
        {names.length === 0 ? (
          <p className="text-sm text-muted">
            None yet. Write a name in braces, such as <TemplateText text="{topic}" />.
          </p>
        ) : (
          <ul className="flex max-h-48 flex-wrap gap-1.5 overflow-y-auto">
            {names.map((name) => (
              <li key={name} className="max-w-full text-xs">
                <TemplateText text={`{${name}}`} />
              </li>
            ))}
          </ul>
        )}
      </CardBody>
    </Card>
  );
}

function Tips() {
  return (
    <Card>
      <CardHeader title="Tips" />
      <CardBody className="pt-2">
        <ul className="grid gap-2 text-sm text-muted">
          <li>
            Put variables in single braces: <TemplateText text="{user_name}" className="text-xs" />
          </li>
          <li>
            System variables fill themselves in:{' '}
            <TemplateText text="{TODAY}, {NOW}, {DATE}, {TIME}" className="text-xs" />
          </li>
          <li>
            To print braces, double them: <TemplateText text="{{name}}" className="text-xs" />
          </li>
        </ul>
      </CardBody>
    </Card>
  );
}

function Stats({ template }: { template: string }) {
  const { characters, lines, variables } = useMemo(() => templateStats(template), [template]);
  return (
    <Card>
      <CardHeader title="Template Stats" />
      <CardBody className="pt-3">
        <dl className="grid grid-cols-3 gap-2 text-center">
          <Stat label="Characters" value={characters} />
          <Stat label="Lines" value={lines} />
          <Stat label="Variables" value={variables} />
        </dl>
      </CardBody>
    </Card>
  );
}

function Stat({ label, value }: { label: string; value: number }) {
  return (
    <div className="flex flex-col-reverse">
      <dt className="text-xs text-muted">{label}</dt>
      <dd className="text-xl font-semibold">{NUMBER.format(value)}</dd>
    </div>
  );
}
