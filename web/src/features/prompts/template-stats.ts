import { variableNames } from '@/lib/compile/compile';

/** Counts shown beside a template. */
export interface TemplateStats {
  characters: number;
  lines: number;
  variables: number;
}

export function templateStats(template: string): TemplateStats {
  return {
    characters: template.length,
    lines: template === '' ? 0 : template.split('\n').length,
    variables: variableNames(template).length,
  };
}
