import { useEffect } from 'react';
import { BRAND } from '@/config/brand';

/** Titles the tab "Name · Prompts · Wildfire"; without parts, the brand and its line. */
export function usePageTitle(...parts: string[]): void {
  const title = parts.length > 0 ? [...parts, BRAND.name] : [BRAND.name, BRAND.line];
  const text = title.join(' · ');
  useEffect(() => {
    document.title = text;
  }, [text]);
}
