/**
 * Fills a template with values. The server, the SDKs and this preview implement the same rules and
 * run the same vectors, so what the playground shows is what code receives.
 */
import { findLints, type Lint } from './lints';
import { isSystemVariable, systemVariables, type SystemVariables } from './system-variables';
import { scan, type Token } from './tokens';
import { formatValue } from './values';

/** Values by variable name; anything with a JSON form. */
export type Variables = Readonly<Record<string, unknown>>;

export interface CompileOptions {
  /** The instant the system variables describe; the current one by default. */
  now?: Date;
  /** IANA name; UTC by default. */
  timezone?: string;
  /** Refuse to compile while a variable has no value. */
  strict?: boolean;
}

export interface CompileResult {
  output: string;
  /** Names the template uses and nobody provided, in order of first use. */
  missing: string[];
  /** Names that were provided and the template does not use, sorted. */
  unused: string[];
  warnings: Lint[];
  systemVariables: SystemVariables;
}

/** A strict compile met names without a value. */
export class MissingVariablesError extends Error {
  override name = 'MissingVariablesError';
  readonly code = 'missing_variables';

  constructor(readonly missing: readonly string[]) {
    super(`Missing variables: ${missing.join(', ')}`);
  }
}

/** Names a user must provide for this template: unique, in order of first use. */
export function variableNames(template: string): string[] {
  const names = new Set<string>();
  for (const token of scan(template)) {
    if (token.kind === 'variable' && !isSystemVariable(token.name)) names.add(token.name);
  }
  return [...names];
}

/** Own properties only, so `{constructor}` is simply a name without a value. */
function ownValue(variables: Variables, name: string): string | undefined {
  return Object.hasOwn(variables, name) ? formatValue(name, variables[name]) : undefined;
}

/** Surplus and doubled braces around what the token stands for. */
function replaceToken(token: Token, value: string | undefined): string {
  const { opening, closing, depth, inner } = token;
  const kept = Math.floor(depth / 2);
  const body = token.kind === 'escaped' ? inner : (value ?? `{${inner}}`);
  return '{'.repeat(opening - depth + kept) + body + '}'.repeat(closing - depth + kept);
}

/** Compiles in one pass: values are data and are never scanned for tokens themselves. */
export function compile(
  template: string,
  variables: Variables = {},
  options: CompileOptions = {},
): CompileResult {
  const system = systemVariables(options.now ?? new Date(), options.timezone);
  const tokens = scan(template);
  const values = new Map<string, string | undefined>();
  const parts: string[] = [];
  let at = 0;
  for (const token of tokens) {
    if (token.kind === 'variable' && !values.has(token.name)) {
      const { name } = token;
      values.set(name, isSystemVariable(name) ? String(system[name]) : ownValue(variables, name));
    }
    parts.push(template.slice(at, token.start), replaceToken(token, values.get(token.name)));
    at = token.end;
  }
  parts.push(template.slice(at));
  const missing = [...values].filter(([, value]) => value === undefined).map(([name]) => name);
  if (options.strict === true && missing.length > 0) throw new MissingVariablesError(missing);
  const given = Object.keys(variables);
  return {
    output: parts.join(''),
    missing,
    unused: given.filter((name) => isSystemVariable(name) || !values.has(name)).sort(byCodePoint),
    warnings: findLints(template, tokens, given),
    systemVariables: system,
  };
}

/** The order of UTF-8 bytes, which is what the other implementations sort by. */
function byCodePoint(left: string, right: string): number {
  const a = [...left];
  const b = [...right];
  const index = a.findIndex((character, at) => character !== b[at]);
  if (index === -1) return a.length - b.length;
  return (a[index]?.codePointAt(0) ?? 0) - (b[index]?.codePointAt(0) ?? -1);
}
