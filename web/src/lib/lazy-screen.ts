/**
 * Screens loaded on demand. After a release the old page's chunks are gone; a screen that fails
 * to load therefore reloads the page once, silently, before it counts as an error.
 */
import { type ComponentType, lazy, type LazyExoticComponent } from 'react';

const RELOADED_AT = 'wildfire-reloaded-at';

/** A second failure within this time is a real one, not an old page. */
const RELOAD_PAUSE_MS = 60_000;

/** Apart, so that tests can watch it: jsdom's location cannot be replaced. */
export const page = { reload: () => window.location.reload() };

function mayReload(): boolean {
  try {
    const last = Number(window.sessionStorage.getItem(RELOADED_AT) ?? 0);
    if (Date.now() - last < RELOAD_PAUSE_MS) return false;
    window.sessionStorage.setItem(RELOADED_AT, String(Date.now()));
    return true;
  } catch {
    // Without a memory of the last reload a broken chunk would reload for ever.
    return false;
  }
}

/** Loads a module; a failed download reloads the page instead, once. */
export async function loadOrReload<Module>(load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    if (!mayReload()) throw error;
    page.reload();
    return new Promise<Module>(() => undefined);
  }
}

type Screen = ComponentType<Record<never, never>>;

export type LazyScreen = LazyExoticComponent<Screen> & { preload: () => void };

export function lazyScreen(load: () => Promise<{ default: Screen }>): LazyScreen {
  const preload = () => {
    // Only a head start: the screen itself reports a failure.
    load().catch(() => undefined);
  };
  return Object.assign(
    lazy(() => loadOrReload(load)),
    { preload },
  );
}
