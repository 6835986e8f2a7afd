import type { CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { variableNames } from '@/lib/compile/compile';
import { SYSTEM_VARIABLE_NAMES } from '@/lib/compile/system-variables';

/**
 * Names to put after an opening brace: those of the template, suggested ones and the system's. The
 * closing brace comes along unless it is already there.
 */
export function completionsFor(readSuggestions: () => readonly string[]) {
  return (context: CompletionContext): CompletionResult | null => {
    const before = context.matchBefore(/\{[ \t]*\w*/);
    if (before === null) return null;
    const from = before.from + (/^\{[ \t]*/.exec(before.text)?.[0].length ?? 0);
    const own = new Set([...variableNames(context.state.doc.toString()), ...readSuggestions()]);
    own.delete(before.text.slice(from - before.from));
    const close = context.state.sliceDoc(context.pos, context.pos + 1) === '}' ? '' : '}';
    const option = (label: string, detail: string) => ({ label, detail, apply: label + close });
    return {
      from,
      options: [
        ...[...own].map((name) => option(name, 'variable')),
        ...SYSTEM_VARIABLE_NAMES.map((name) => option(name, 'system')),
      ],
      validFor: /^\w*$/,
    };
  };
}
