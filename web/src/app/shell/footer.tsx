import { useId } from 'react';
import { Link } from 'react-router-dom';
import { Logo } from '@/components/mark';
import { BRAND } from '@/config/brand';
import { paths } from '@/config/paths';
import { THEME_LABEL, THEMES, useTheme } from '@/lib/theme';
import { THEME_ICON } from './theme-icons';

const linkStyles = 'inline-flex min-h-6 items-center hover:text-foreground pointer-coarse:min-h-11';

/** Below the public pages. */
export function Footer() {
  return (
    <footer className="border-t">
      <div className="mx-auto flex max-w-content flex-wrap items-center gap-x-8 gap-y-4 px-4 py-8 text-sm text-muted md:px-6">
        <div className="mr-auto grid gap-1">
          <span className="text-foreground">
            <Logo />
          </span>
          <span>{BRAND.line}</span>
        </div>
        <nav aria-label="Footer" className="flex flex-wrap gap-x-6 gap-y-1">
          <a href={paths.docs.getHref()} target="_blank" rel="noopener" className={linkStyles}>
            Documentation
          </a>
          <Link to={paths.waitlist.getHref()} className={linkStyles}>
            Waitlist
          </Link>
          <Link to={paths.terms.getHref()} className={linkStyles}>
            Terms
          </Link>
          <Link to={paths.privacy.getHref()} className={linkStyles}>
            Privacy
          </Link>
        </nav>
        <ThemeSwitch />
      </div>
    </footer>
  );
}

/** Three native radio buttons dressed as a segmented control. */
function ThemeSwitch() {
  const [theme, setTheme] = useTheme();
  const name = useId();
  return (
    <fieldset className="flex rounded-md border p-0.5">
      <legend className="sr-only">Theme</legend>
      {THEMES.map((value) => (
        <label
          key={value}
          title={THEME_LABEL[value]}
          className="grid size-8 cursor-pointer place-items-center rounded-sm has-checked:bg-raised has-checked:text-foreground has-focus-visible:outline-2 has-focus-visible:outline-accent hover:text-foreground pointer-coarse:size-11 [&_svg]:size-4"
        >
          <input
            type="radio"
            name={name}
            value={value}
            checked={theme === value}
            onChange={() => setTheme(value)}
            className="sr-only"
          />
          <span className="sr-only">{THEME_LABEL[value]}</span>
          {THEME_ICON[value]}
        </label>
      ))}
    </fieldset>
  );
}
