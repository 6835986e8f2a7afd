/**
 * Single-key shortcuts and two-key chords ("g d"). One listener serves all of them. They rest
 * while one types and can be switched off altogether (WCAG 2.1.4).
 */
import { useEffect, useEffectEvent, useSyncExternalStore } from 'react';
import { BRAND } from '@/config/brand';

const STORAGE_KEY = `${BRAND.slug}-shortcuts`;
const CHORD_MS = 1000;

const handlers = new Map<string, (() => void)[]>();
const listeners = new Set<() => void>();
let pending: { key: string; at: number } | undefined;

function shortcutsEnabled(): boolean {
  try {
    return window.localStorage.getItem(STORAGE_KEY) !== 'off';
  } catch {
    return true;
  }
}

export function setShortcutsEnabled(enabled: boolean): void {
  try {
    window.localStorage.setItem(STORAGE_KEY, enabled ? 'on' : 'off');
  } catch {
    // Blocked storage: shortcuts stay on.
  }
  listeners.forEach((listener) => listener());
}

export function useShortcutsEnabled(): boolean {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, shortcutsEnabled);
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return (
    target.isContentEditable ||
    target.closest('input, textarea, select, [contenteditable="true"], [role="textbox"]') !== null
  );
}

/** A dialog or an open menu owns the keyboard. */
function isCovered(): boolean {
  return document.querySelector('[role="dialog"][data-state="open"], [role="menu"]') !== null;
}

function onKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === 'Shift' || isTyping(event.target) || isCovered() || !shortcutsEnabled()) return;
  const chord = pending && event.timeStamp - pending.at < CHORD_MS ? pending.key : undefined;
  pending = undefined;
  const handler =
    (chord && handlers.get(`${chord} ${event.key}`)?.at(-1)) ?? handlers.get(event.key)?.at(-1);
  if (handler) {
    event.preventDefault();
    handler();
    return;
  }
  const opensChord = [...handlers.keys()].some((keys) => keys.startsWith(`${event.key} `));
  if (opensChord) pending = { key: event.key, at: event.timeStamp };
}

function register(keys: string, handler: () => void): () => void {
  if (handlers.size === 0) window.addEventListener('keydown', onKeyDown);
  handlers.set(keys, [...(handlers.get(keys) ?? []), handler]);
  return () => {
    const rest = (handlers.get(keys) ?? []).filter((other) => other !== handler);
    if (rest.length > 0) handlers.set(keys, rest);
    else handlers.delete(keys);
    if (handlers.size === 0) window.removeEventListener('keydown', onKeyDown);
  };
}

/** Runs `handler` on a key ("c", "?") or chord ("g d") while the component is mounted. */
export function useShortcut(keys: string, handler: () => void, enabled = true): void {
  const run = useEffectEvent(handler);
  useEffect(() => {
    if (!enabled) return undefined;
    return register(keys, () => run());
  }, [keys, enabled]);
}
