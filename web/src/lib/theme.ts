/**
 * Light, dark or the system's choice. `public/theme.js` applies the stored choice before the
 * first paint; this module changes it and follows the system and other tabs.
 */
import { useSyncExternalStore } from 'react';
import { BRAND } from '@/config/brand';

export const THEMES = ['light', 'dark', 'auto'] as const;
export type Theme = (typeof THEMES)[number];

export const THEME_LABEL: Record<Theme, string> = { light: 'Light', dark: 'Dark', auto: 'Auto' };

const STORAGE_KEY = `${BRAND.slug}-theme`;
const listeners = new Set<() => void>();

const isTheme = (value: unknown): value is Theme => THEMES.some((theme) => theme === value);

function readTheme(): Theme {
  try {
    const stored = window.localStorage.getItem(STORAGE_KEY);
    return isTheme(stored) ? stored : 'auto';
  } catch {
    return 'auto';
  }
}

function apply(): void {
  const theme = readTheme();
  const system = window.matchMedia('(prefers-color-scheme: dark)').matches;
  const root = document.documentElement;
  // All at once: colours that faded in would be hard to read on the other theme's background.
  root.classList.add('theme-switching');
  root.classList.toggle('dark', theme === 'dark' || (theme === 'auto' && system));
  // Asking for a size makes the new styles count before transitions are back.
  void root.offsetHeight;
  root.classList.remove('theme-switching');
  listeners.forEach((listener) => listener());
}

export function setTheme(theme: Theme): void {
  try {
    window.localStorage.setItem(STORAGE_KEY, theme);
  } catch {
    // Blocked storage: the choice holds for as long as the page does not ask again.
  }
  apply();
}

/** Follows the system's theme and the choice made in another tab. */
export function watchTheme(): () => void {
  const query = window.matchMedia('(prefers-color-scheme: dark)');
  const onStorage = (event: StorageEvent) => {
    if (event.key === STORAGE_KEY || event.key === null) apply();
  };
  query.addEventListener('change', apply);
  window.addEventListener('storage', onStorage);
  return () => {
    query.removeEventListener('change', apply);
    window.removeEventListener('storage', onStorage);
  };
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The chosen theme and a way to change it. */
export function useTheme(): [Theme, (theme: Theme) => void] {
  return [useSyncExternalStore(subscribe, readTheme), setTheme];
}
