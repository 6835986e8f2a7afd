/** The entries of the navigation: screens that exist, and no others. */
import { paths } from '@/config/paths';
import { screens } from '@/app/screens';

export const NAVIGATION = [
  { label: 'Dashboard', href: paths.dashboard.getHref(), chord: 'g d', screen: screens.dashboard },
  { label: 'Prompts', href: paths.prompts.getHref(), chord: 'g p', screen: screens.promptList },
  {
    label: 'Playground',
    href: paths.playground.getHref(),
    chord: 'g y',
    screen: screens.playground,
  },
] as const;
