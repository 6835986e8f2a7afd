import { Skeleton } from '@/components/ui/skeleton';
import { CARD_HEIGHT } from './prompt-card';

/** Cards on their way, in the places they will take. */
export function ListSkeleton() {
  return (
    <div>
      <p role="status" className="mb-3 text-sm text-muted">
        Loading prompts...
      </p>
      <div
        aria-hidden="true"
        className="grid animate-fade grid-cols-[repeat(auto-fill,minmax(min(18rem,100%),1fr))] gap-4 [animation-delay:200ms] [animation-fill-mode:backwards]"
      >
        {[1, 2, 3, 4, 5, 6].map((card) => (
          <div
            key={card}
            style={{ height: CARD_HEIGHT }}
            className="flex flex-col gap-3 rounded-lg border bg-surface p-4"
          >
            <Skeleton className="h-5 w-2/3" />
            <Skeleton className="h-3 w-1/3" />
            <Skeleton className="mt-1 h-9 w-full" />
            <Skeleton className="h-5 w-1/2" />
            <Skeleton className="mt-auto h-7 w-full" />
          </div>
        ))}
      </div>
    </div>
  );
}
