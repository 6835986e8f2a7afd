import { ArrowRight, Lock } from 'lucide-react';
import type { ReactNode } from 'react';
import { TemplateText } from '@/components/ui/template-text';
import type { SpecimenKind } from './content';

const arrow = <ArrowRight className="size-3.5 shrink-0 text-muted" aria-hidden="true" />;

const SPECIMENS: Record<SpecimenKind, ReactNode> = {
  diff: (
    <>
      <Line sign="-" className="text-danger">
        Be <TemplateText text="{tone}" />.
      </Line>
      <Line sign="+" className="text-success">
        Be <TemplateText text="{tone}" />. One next step.
      </Line>
    </>
  ),
  fill: (
    <Row>
      <TemplateText text="Hi {customer}," />
      {arrow}
      <span>Hi Ada,</span>
    </Row>
  ),
  values: (
    <Row>
      <span className="text-muted">tone</span>
      <span className="flex-1 rounded-sm border border-control/70 bg-surface px-2 py-0.5">
        warm and brief
      </span>
    </Row>
  ),
  fetch: (
    <Row>
      <span className="font-semibold text-info">GET</span>
      <span className="min-w-0 truncate">prompts/by-key/support-reply</span>
    </Row>
  ),
  publish: (
    <Row>
      <span className="text-muted">v3</span>
      {arrow}
      <span className="font-semibold">v4</span>
      <span className="text-muted">without a release</span>
    </Row>
  ),
  access: (
    <Row>
      <Lock className="size-3.5 shrink-0 text-muted" aria-hidden="true" />
      <span>support-reply</span>
      <span className="text-muted">team only</span>
    </Row>
  ),
};

/** A small piece of the real interface: shows what the words of a card mean. */
export function Specimen({ kind }: { kind: SpecimenKind }) {
  return (
    <div
      aria-hidden="true"
      className="mt-auto grid min-h-15 content-center gap-1 rounded-md border bg-surface px-3 py-2 font-mono text-xs"
    >
      {SPECIMENS[kind]}
    </div>
  );
}

function Row({ children }: { children: ReactNode }) {
  return <div className="flex items-center gap-2.5">{children}</div>;
}

type LineProps = { sign: '+' | '-'; className: string; children: ReactNode };

function Line({ sign, className, children }: LineProps) {
  return (
    <div className="flex gap-2">
      <span className={className}>{sign}</span>
      <span className="min-w-0 truncate">{children}</span>
    </div>
  );
}
