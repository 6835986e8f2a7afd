import { useQuery } from '@tanstack/react-query';
import { PageHeader } from '@/components/page-header';
import { Skeleton } from '@/components/ui/skeleton';
import type { SharedState } from '@/features/playground/share-state';
import { useSource, type Source } from '@/features/playground/use-source';
import type { VariableInputs } from '@/features/playground/variables';
import { usePageTitle } from '@/hooks/use-page-title';
import { friendlyMessage } from '@/lib/prompt-api/errors';
import { promptByKeyQuery } from '@/lib/prompt-api/queries';
import { PlaygroundWorkbench } from './playground-workbench';

/** Fill in a template and see what code would receive. */
export function PlaygroundScreen() {
  usePageTitle('Playground');
  const source = useSource();
  return <SourceLoader key={source.id} source={source} />;
}

function inputsOf(shared: SharedState | undefined): VariableInputs {
  if (shared === undefined) return {};
  const names = new Set([...Object.keys(shared.values), ...Object.keys(shared.types)]);
  return Object.fromEntries(
    [...names].map((name) => {
      const chosenType = shared.types[name];
      return [name, { value: shared.values[name] ?? '', ...(chosenType ? { chosenType } : {}) }];
    }),
  );
}

function noticeOf({ damaged }: Source, error: Error | null): string | undefined {
  if (damaged) return 'This shared link is damaged or too long, so there is nothing to restore.';
  return error === null ? undefined : friendlyMessage(error, 'Failed to load data');
}

/** Waits for the prompt the address names, so that the workbench starts with its text. */
function SourceLoader({ source }: { source: Source }) {
  const { promptKey = '' } = source;
  const wanted = useQuery({ ...promptByKeyQuery(promptKey), enabled: promptKey !== '' });
  if (wanted.isLoading) return <PlaygroundSkeleton />;
  return (
    <PlaygroundWorkbench
      initial={{
        prompt: wanted.data,
        template: source.template ?? wanted.data?.current_version?.template ?? '',
        inputs: inputsOf(source.shared),
      }}
      notice={noticeOf(source, wanted.error)}
    />
  );
}

function PlaygroundSkeleton() {
  return (
    <>
      <PageHeader title="Playground" subtitle="Fill in a template and compile it" />
      <p role="status" className="sr-only">
        Loading prompt...
      </p>
      <div className="grid grid-cols-1 gap-6 lg:grid-cols-[minmax(0,1fr)_22rem]">
        <Skeleton className="h-96 rounded-lg" />
        <Skeleton className="h-64 rounded-lg" />
      </div>
    </>
  );
}
