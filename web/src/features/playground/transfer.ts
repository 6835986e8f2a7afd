/** Ways in and out of the playground: links, files and the clipboard. */
import { paths } from '@/config/paths';
import { downloadText } from '@/lib/download-text';
import { toast } from '@/lib/toast';
import { encodeShare } from './share-state';
import type { Playground } from './use-playground';
import type { VariableType } from './variable-types';

type Shown = Pick<Playground, 'prompt' | 'template' | 'inputs' | 'variables' | 'compiled'>;

/** A link that restores the template, the prompt and the values. */
export function shareLink({ prompt, template, inputs, variables }: Shown, origin: string): string {
  const values: Record<string, string> = {};
  const types: Record<string, VariableType> = {};
  for (const { name, value } of variables) {
    if (value !== '') values[name] = value;
    const chosen = inputs[name]?.chosenType;
    if (chosen) types[name] = chosen;
  }
  const encoded = encodeShare({ template, prompt: prompt?.key, values, types });
  return `${origin}${paths.playground.getHref()}#shared=${encoded}`;
}

/** Copies a link and says what it carries. */
export async function sharePlayground(shown: Shown): Promise<void> {
  try {
    await navigator.clipboard.writeText(shareLink(shown, window.location.origin));
    toast.success('Link copied', { description: 'It includes the values you entered.' });
  } catch (error) {
    console.warn('The playground could not be shared', error);
    toast.error('Failed to share playground');
  }
}

/** Downloads the compiled text, or the template while nothing is compiled. */
export function exportPlayground({ prompt, template, compiled }: Shown): void {
  downloadText(`${prompt?.key ?? 'template'}.txt`, compiled?.result.compiled_template ?? template);
}

/** The text on the clipboard; undefined when there is none, which the visitor is told. */
export async function readClipboard(): Promise<string | undefined> {
  let text: string;
  try {
    text = await navigator.clipboard.readText();
  } catch {
    toast.error('Unable to access clipboard. Please paste manually into the template editor.');
    return undefined;
  }
  if (text.trim() === '') {
    toast.error('Clipboard is empty');
    return undefined;
  }
  return text;
}
