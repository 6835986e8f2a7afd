import { LogOut } from 'lucide-react';
import {
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuItem,
  DropdownMenuLabel,
  DropdownMenuRadioGroup,
  DropdownMenuRadioItem,
  DropdownMenuSeparator,
  DropdownMenuTrigger,
} from '@/components/ui/dropdown-menu';
import { useAuth } from '@/features/auth/auth-context';
import { logError } from '@/lib/error-log';
import { type Theme, THEME_LABEL, THEMES, useTheme } from '@/lib/theme';
import { toast } from '@/lib/toast';
import { avatarStyles } from './avatar-styles';
import { THEME_ICON } from './theme-icons';

/** Who is signed in, the theme, and the way out. */
export default function AccountMenu() {
  const { user, signOut } = useAuth();
  const [theme, setTheme] = useTheme();
  const email = user?.email ?? 'Signed in';

  const leave = () => {
    signOut().catch((error: unknown) => {
      logError('Sign-out failed', error);
      toast.error('Failed to sign out. Try again.');
    });
  };

  return (
    <DropdownMenu defaultOpen>
      <DropdownMenuTrigger aria-label={`Account of ${email}`} className={avatarStyles}>
        {email.slice(0, 1)}
      </DropdownMenuTrigger>
      <DropdownMenuContent>
        <DropdownMenuLabel className="max-w-64 truncate">{email}</DropdownMenuLabel>
        <DropdownMenuSeparator />
        <DropdownMenuLabel>Theme</DropdownMenuLabel>
        <DropdownMenuRadioGroup value={theme} onValueChange={(value) => setTheme(value as Theme)}>
          {THEMES.map((value) => (
            <DropdownMenuRadioItem key={value} value={value}>
              {THEME_ICON[value]}
              {THEME_LABEL[value]}
            </DropdownMenuRadioItem>
          ))}
        </DropdownMenuRadioGroup>
        <DropdownMenuSeparator />
        <DropdownMenuItem onSelect={leave}>
          <LogOut />
          Sign out
        </DropdownMenuItem>
      </DropdownMenuContent>
    </DropdownMenu>
  );
}
