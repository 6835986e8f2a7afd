import type { ReactNode } from 'react';
import { TagList } from '@/components/tag-list';
import { Timestamp } from '@/components/timestamp';
import { Card, CardBody, CardHeader } from '@/components/ui/card';
import type { Prompt } from '@/lib/prompt-api/schemas';

/** Characters of a content hash shown beside a prompt. */
export const DETAIL_HASH_LENGTH = 16;

const NUMBER = new Intl.NumberFormat();

export function DetailSide({ prompt }: { prompt: Prompt }) {
  const { current_version: version, tags, updated_at, versions_count } = prompt;
  const hash = version?.content_hash ?? '';
  return (
    <section
      aria-label="About this prompt"
      className="grid min-w-0 grid-cols-1 content-start gap-6"
    >
      <Facts title="Details">
        <Fact label="Last updated">
          <Timestamp value={updated_at} />
        </Fact>
        <Fact label="Current version">
          <span className="font-mono">v{version?.version ?? 1}</span>
        </Fact>
        <Fact label="Content hash">
          <span className="font-mono" title={hash}>
            {hash.slice(0, DETAIL_HASH_LENGTH) || '—'}
          </span>
        </Fact>
      </Facts>
      <Card>
        <CardHeader title="Tags" />
        <CardBody className="pt-2">
          {tags.length > 0 ? (
            <TagList tags={tags} />
          ) : (
            <p className="text-sm text-muted">No tags</p>
          )}
        </CardBody>
      </Card>
      <Facts title="Usage Statistics">
        <Fact label="Total versions">{NUMBER.format(versions_count ?? version?.version ?? 1)}</Fact>
        <Fact label="Template length">
          {NUMBER.format(version?.template.length ?? 0)} characters
        </Fact>
        <Fact label="Tags">{NUMBER.format(tags.length)}</Fact>
      </Facts>
    </section>
  );
}

function Facts({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Card>
      <CardHeader title={title} />
      <CardBody className="pt-2">
        <dl className="divide-y text-sm">{children}</dl>
      </CardBody>
    </Card>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex items-baseline justify-between gap-4 py-2 first:pt-0 last:pb-0">
      <dt className="text-muted">{label}</dt>
      <dd className="min-w-0 truncate text-right">{children}</dd>
    </div>
  );
}
