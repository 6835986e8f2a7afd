import { toast } from './toast';

/** Copies a text and says so; a refusal of the browser is told, too. */
export async function copyText(text: string, done = 'Copied to clipboard'): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toast.success(done);
  } catch {
    toast.error('Failed to copy to clipboard');
  }
}
