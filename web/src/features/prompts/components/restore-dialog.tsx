import { Button } from '@/components/ui/button';
import { Dialog, DialogContent, DialogFooter } from '@/components/ui/dialog';
import { friendlyMessage } from '@/lib/prompt-api/errors';
import { useRollback } from '@/lib/prompt-api/mutations';
import type { Prompt, PromptVersion } from '@/lib/prompt-api/schemas';
import { toast } from '@/lib/toast';

interface RestoreDialogProps {
  prompt: Prompt;
  /** The version to restore; null keeps the dialog closed. */
  version: PromptVersion | null;
  onClose: () => void;
}

/** Asks before an old text becomes the newest version. */
export function RestoreDialog({ prompt, version, onClose }: RestoreDialogProps) {
  const rollback = useRollback(prompt.id);
  const next = (prompt.current_version?.version ?? 1) + 1;
  const restore = async (number: number) => {
    try {
      const restored = await rollback.mutateAsync(number);
      const saved = restored.current_version?.version ?? next;
      toast.success(`Restored v${String(number)} as version ${String(saved)}`);
      onClose();
    } catch (error) {
      const description = friendlyMessage(error, 'Try again in a moment.');
      toast.error(`Failed to rollback prompt ${String(prompt.id)}`, { description });
    }
  };
  return (
    <Dialog
      open={version !== null}
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
    >
      {version && (
        <DialogContent
          title={`Restore v${String(version.version)}?`}
          description={`Its text becomes version ${String(next)}. Nothing is lost: all versions stay in the history.`}
        >
          <DialogFooter>
            <Button onClick={onClose}>Cancel</Button>
            <Button
              variant="primary"
              pending={rollback.isPending}
              onClick={() => void restore(version.version)}
            >
              {rollback.isPending ? 'Restoring...' : `Restore v${String(version.version)}`}
            </Button>
          </DialogFooter>
        </DialogContent>
      )}
    </Dialog>
  );
}
