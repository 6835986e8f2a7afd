import { useMutation } from '@tanstack/react-query';
import { promptApi } from '@/lib/prompt-api/api';

interface CompileRequest {
  /** The prompt to compile as it is stored; the text itself is compiled without. */
  key: string | undefined;
  template: string;
  values: Readonly<Record<string, string>>;
}

/** Compiles on the server: what the playground shows is what code would receive. */
export function useCompile() {
  return useMutation({
    mutationFn: ({ key, template, values }: CompileRequest) =>
      key === undefined
        ? promptApi.compileTemplate(template, values)
        : promptApi.compilePrompt(key, values),
  });
}
