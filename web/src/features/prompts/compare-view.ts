/** Which two versions are compared and how; all of it stands in the address. */
import type { PromptVersion } from '@/lib/prompt-api/schemas';

export type Layout = 'split' | 'unified';

export interface CompareView {
  from: number;
  to: number;
  layout: Layout;
  ignoreWhitespace: boolean;
}

const LAYOUT_KEY = 'wildfire:diff-layout';

function rememberedLayout(): Layout {
  try {
    return window.localStorage.getItem(LAYOUT_KEY) === 'unified' ? 'unified' : 'split';
  } catch {
    return 'split';
  }
}

export function rememberLayout(layout: Layout): void {
  try {
    window.localStorage.setItem(LAYOUT_KEY, layout);
  } catch {
    // Refused storage: the choice lasts as long as the address.
  }
}

function readNumber(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name) ?? '';
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/** The view an address asks for; by default the newest version against the one before it. */
export function readView(query: URLSearchParams, newest: number): CompareView {
  const to = readNumber(query, 'to') ?? newest;
  const layout = query.get('view');
  return {
    from: readNumber(query, 'from') ?? Math.max(0, to - 1),
    to,
    layout: layout === 'split' || layout === 'unified' ? layout : rememberedLayout(),
    ignoreWhitespace: query.get('w') === '1',
  };
}

export function writeView({ from, to, layout, ignoreWhitespace }: CompareView): URLSearchParams {
  const query = new URLSearchParams({ from: String(from), to: String(to), view: layout });
  if (ignoreWhitespace) query.set('w', '1');
  return query;
}

/** The text of a version; version 0 is the empty text before the first one. */
export function templateOf(versions: readonly PromptVersion[], number: number): string | undefined {
  if (number === 0) return '';
  return versions.find(({ version }) => version === number)?.template;
}
