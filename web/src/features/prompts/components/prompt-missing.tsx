import { FileQuestion } from 'lucide-react';
import { Link } from 'react-router-dom';
import { QueryError } from '@/components/query-error';
import { Button } from '@/components/ui/button';
import { EmptyState } from '@/components/ui/empty-state';
import { paths } from '@/config/paths';
import { statusOf } from '@/lib/prompt-api/errors';

interface PromptMissingProps {
  /** Why the prompt is not there; null when its address names none. */
  error: Error | null;
  onRetry: () => unknown;
}

/** In place of a prompt that does not exist or could not be loaded. */
export function PromptMissing({ error, onRetry }: PromptMissingProps) {
  const back = (
    <Button asChild size="sm">
      <Link to={paths.prompts.getHref()}>Back to Prompts</Link>
    </Button>
  );
  if (error === null || statusOf(error) === 404) {
    return (
      <>
        <h1 className="sr-only">Prompt</h1>
        <EmptyState icon={<FileQuestion />} title="Prompt not found" actions={back}>
          {error?.message ?? 'The address names no prompt.'}
        </EmptyState>
      </>
    );
  }
  return (
    <>
      <h1 className="sr-only">Prompt</h1>
      <QueryError error={error} fallback="Failed to load prompt" onRetry={onRetry}>
        {back}
      </QueryError>
    </>
  );
}
