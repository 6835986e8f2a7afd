import { Skeleton } from '@/components/ui/skeleton';
import { Spinner } from '@/components/ui/spinner';

/** A prompt on its way, in the shape it will have. */
export function DetailSkeleton() {
  return (
    <div className="animate-fade [animation-delay:200ms] [animation-fill-mode:backwards]">
      <h1 className="sr-only">Prompt</h1>
      <Spinner label="Loading prompt..." visible className="h-6" />
      <div aria-hidden="true" className="mt-2 mb-6">
        <Skeleton className="h-8 w-64 max-w-full" />
        <Skeleton className="mt-2 h-4 w-40" />
      </div>
      <div aria-hidden="true" className="grid grid-cols-1 gap-6 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <Skeleton className="h-80 rounded-lg" />
        <div className="grid content-start gap-6">
          <Skeleton className="h-40 rounded-lg" />
          <Skeleton className="h-24 rounded-lg" />
          <Skeleton className="h-40 rounded-lg" />
        </div>
      </div>
    </div>
  );
}
