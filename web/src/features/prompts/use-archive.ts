import { friendlyMessage } from '@/lib/prompt-api/errors';
import { useSetArchived } from '@/lib/prompt-api/mutations';
import type { Prompt } from '@/lib/prompt-api/schemas';
import { toast } from '@/lib/toast';

type Target = Pick<Prompt, 'id' | 'name'>;

/** Archives and unarchives with a way back, and tells when the server refused. */
export function useArchive() {
  const { mutateAsync } = useSetArchived();

  // Awaited and not given callbacks: the undo may run after the screen has gone.
  const set = async ({ id, name }: Target, archived: boolean): Promise<boolean> => {
    const verb = archived ? 'archive' : 'unarchive';
    try {
      await mutateAsync({ id, archived });
    } catch (error) {
      const message = `Failed to ${verb} prompt ${String(id)}`;
      console.warn(message, error);
      toast.error(message, { description: friendlyMessage(error, 'Try again in a moment.') });
      return false;
    }
    toast.undo(`${archived ? 'Archived' : 'Unarchived'} ${name}`, {
      label: 'Undo',
      onClick: () => void set({ id, name }, !archived),
    });
    return true;
  };

  return {
    /** Resolves to whether the server did it. */
    archive: (prompt: Target) => set(prompt, true),
    unarchive: (prompt: Target) => set(prompt, false),
  };
}
