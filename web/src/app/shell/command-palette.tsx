import { Command } from 'cmdk';
import { Keyboard, LogIn, Plus, SquareArrowRight } from 'lucide-react';
import { Dialog as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { useNavigate } from 'react-router-dom';
import { DialogOverlay } from '@/components/ui/dialog';
import { paths } from '@/config/paths';
import { useAuth } from '@/features/auth/auth-context';
import { useReturnFocus } from '@/hooks/use-return-focus';
import { SEARCH_LIMIT } from '@/lib/limits';
import { THEME_LABEL, THEMES, setTheme } from '@/lib/theme';
import { NAVIGATION } from './navigation';
import { PromptResults } from './prompt-results';
import { THEME_ICON } from './theme-icons';

type CommandPaletteProps = { onClose: () => void; onHelp: () => void };

const itemStyles =
  'flex min-h-10 cursor-pointer items-center gap-3 rounded-sm px-3 text-sm data-[selected=true]:bg-raised pointer-coarse:min-h-11 [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-muted';
const groupStyles =
  'p-1 [&_[cmdk-group-heading]]:px-3 [&_[cmdk-group-heading]]:py-1.5 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:font-medium [&_[cmdk-group-heading]]:text-muted';

/** Ctrl/Cmd+K: go anywhere, find a prompt, change the theme. */
export default function CommandPalette({ onClose, onHelp }: CommandPaletteProps) {
  const { user } = useAuth();
  const navigate = useNavigate();
  const returnFocus = useReturnFocus();
  const run = (action: () => void) => () => {
    onClose();
    action();
  };
  const go = (href: string) => run(() => void navigate(href));

  return (
    <Radix.Root open onOpenChange={(open) => !open && onClose()}>
      <Radix.Portal>
        <DialogOverlay />
        <Radix.Content
          aria-describedby={undefined}
          {...returnFocus}
          className="fixed inset-x-4 top-[12vh] z-50 mx-auto max-w-xl animate-appear overflow-hidden rounded-lg border bg-surface"
        >
          <Radix.Title className="sr-only">Command palette</Radix.Title>
          <Command label="Command palette" loop>
            <Command.Input
              placeholder="Type a command or search prompts..."
              maxLength={SEARCH_LIMIT}
              className="h-12 w-full border-b bg-transparent px-4 text-base outline-none focus-visible:outline-none"
            />
            <Command.List className="max-h-[50vh] overflow-y-auto">
              <Command.Empty className="px-4 py-8 text-center text-sm text-muted">
                Nothing matches.
              </Command.Empty>
              <Command.Group heading="Go to" className={groupStyles}>
                {NAVIGATION.map(({ label, href, chord }) => (
                  <Item key={href} icon={<SquareArrowRight />} onSelect={go(href)} hint={chord}>
                    {label}
                  </Item>
                ))}
                <Item icon={<Plus />} onSelect={go(paths.promptNew.getHref())} hint="c">
                  Create prompt
                </Item>
                {!user && (
                  <Item icon={<LogIn />} onSelect={go(paths.signIn.getHref())}>
                    Sign in
                  </Item>
                )}
              </Command.Group>
              {user && (
                <PromptResults groupClass={groupStyles} itemClass={itemStyles} onChoose={go} />
              )}
              <Command.Group heading="Theme" className={groupStyles}>
                {THEMES.map((theme) => (
                  <Item key={theme} icon={THEME_ICON[theme]} onSelect={run(() => setTheme(theme))}>
                    {THEME_LABEL[theme]} theme
                  </Item>
                ))}
              </Command.Group>
              <Command.Group heading="Help" className={groupStyles}>
                <Item icon={<Keyboard />} onSelect={run(onHelp)} hint="?">
                  Keyboard shortcuts
                </Item>
              </Command.Group>
            </Command.List>
          </Command>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

type ItemProps = { icon: ReactNode; hint?: string; onSelect: () => void; children: ReactNode };

function Item({ icon, hint, onSelect, children }: ItemProps) {
  return (
    <Command.Item onSelect={onSelect} className={itemStyles}>
      {icon}
      {children}
      {hint && <kbd className="ml-auto font-mono text-xs text-muted">{hint}</kbd>}
    </Command.Item>
  );
}
