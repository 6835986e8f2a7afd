import { Monitor, Moon, Sun } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Theme } from '@/lib/theme';

export const THEME_ICON: Record<Theme, ReactNode> = {
  light: <Sun aria-hidden="true" />,
  dark: <Moon aria-hidden="true" />,
  auto: <Monitor aria-hidden="true" />,
};
