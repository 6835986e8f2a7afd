import { Dialog, DialogContent } from '@/components/ui/dialog';
import { SHORTCUT_GROUPS } from '@/config/shortcuts';
import { setShortcutsEnabled, useShortcutsEnabled } from '@/lib/shortcuts';

/** All shortcuts, and the switch for those of a single key. */
export default function HelpSheet({ onClose }: { onClose: () => void }) {
  const enabled = useShortcutsEnabled();
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent title="Keyboard shortcuts">
        {SHORTCUT_GROUPS.map(({ title, shortcuts }) => (
          <section key={title}>
            <h3 className="text-sm tracking-normal text-muted">{title}</h3>
            <dl className="mt-1 divide-y">
              {shortcuts.map(({ keys, does }) => (
                <div key={does} className="flex items-center justify-between gap-4 py-2 text-sm">
                  <dt>{does}</dt>
                  <dd className="flex shrink-0 gap-1">
                    {keys.map((key) => (
                      <kbd
                        key={key}
                        className="min-w-6 rounded-sm border bg-raised px-1.5 py-0.5 text-center font-mono text-xs"
                      >
                        {key}
                      </kbd>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
        <label className="flex items-center gap-2 text-sm">
          <input
            type="checkbox"
            className="size-4 accent-accent"
            checked={enabled}
            onChange={(event) => setShortcutsEnabled(event.target.checked)}
          />
          Single-key shortcuts
        </label>
        <p className="text-xs text-muted">On a Mac, use ⌘ in place of Ctrl.</p>
      </DialogContent>
    </Dialog>
  );
}
