/**
 * Advice about a template: text that compiles, but perhaps not to what its author meant.
 *
 * Lints never block a save or a compile. Every pass is linear in the template.
 */
import { SYSTEM_VARIABLE_NAMES, isSystemVariable } from './system-variables';
import { isVariableName, type Token } from './tokens';

export type LintCode =
  | 'escaped_variable'
  | 'not_executed'
  | 'near_miss'
  | 'lowercase_system_name'
  | 'unbalanced_braces'
  | 'undelimited';

/** One piece of advice about `[start, end)`, in UTF-16 code units. */
export interface Lint {
  code: LintCode;
  message: string;
  start: number;
  end: number;
  /** Text that would put it right, when one replacement does. */
  replacement?: string;
}

/** More advice than this helps nobody. */
export const LINT_LIMIT = 100;

/** Names longer lists are not compared with each other. */
const NEAR_MISS_NAMES = 200;

/** How far before a pipe its opening braces may stand. */
const FILTER_REACH = 80;

function* escapedVariables(tokens: readonly Token[]): Generator<Lint> {
  for (const { kind, name, start, end, opening, closing, depth } of tokens) {
    if (kind !== 'escaped' || depth !== 2) continue;
    yield {
      code: 'escaped_variable',
      message: `{{${name}}} is escaped and prints {${name}}. Did you mean {${name}}?`,
      start: start + opening - depth,
      end: end - closing + depth,
      replacement: `{${name}}`,
    };
  }
}

function* occurrences(text: string, wanted: string): Generator<number> {
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) {
    yield at;
  }
}

/** `{% if %}` belongs to other template languages. */
function* foreignStatements(template: string): Generator<Lint> {
  const message = 'Statements in {% %} are not executed. They stay in the text as written.';
  for (const start of occurrences(template, '{%')) {
    yield { code: 'not_executed', message, start, end: start + 2 };
  }
}

/** `{{ name | filter }}` does, too. Looks back from each pipe, no further than a name is long. */
function* foreignFilters(template: string): Generator<Lint> {
  const message = 'Filters are not executed. The expression stays in the text as written.';
  for (const pipe of occurrences(template, '|')) {
    const from = Math.max(0, pipe - FILTER_REACH);
    const before = template.slice(from, pipe);
    const open = before.lastIndexOf('{{');
    if (open === -1 || !isVariableName(before.slice(open + 2).trim())) continue;
    yield { code: 'not_executed', message, start: from + open, end: pipe + 1 };
  }
}

function* lowercaseSystemNames(
  tokens: readonly Token[],
  given: ReadonlySet<string>,
): Generator<Lint> {
  for (const { kind, name, start, end } of tokens) {
    const upper = name.toUpperCase();
    if (kind !== 'variable' || name === upper || !isSystemVariable(upper)) continue;
    if (given.has(name)) continue;
    const message = `{${name}} is a variable of your own. The system variable is {${upper}}.`;
    yield { code: 'lowercase_system_name', message, start, end, replacement: `{${upper}}` };
  }
}

/** Whether one insertion, deletion or substitution turns one name into the other. */
export function differByOne(left: string, right: string): boolean {
  const [short, long] = left.length <= right.length ? [left, right] : [right, left];
  if (long.length - short.length > 1 || left === right) return false;
  let at = 0;
  while (at < short.length && short[at] === long[at]) at += 1;
  const rest = short.length === long.length ? at + 1 : at;
  return short.slice(rest) === long.slice(at + 1);
}

function* nearMisses(tokens: readonly Token[], given: ReadonlySet<string>): Generator<Lint> {
  const known = [...given].slice(0, NEAR_MISS_NAMES);
  const candidates = [...known, ...SYSTEM_VARIABLE_NAMES].filter((name) => name.length > 2);
  const meant = new Map<string, string | undefined>();
  for (const { kind, name, start, end } of tokens) {
    if (kind !== 'variable' || given.has(name) || isSystemVariable(name)) continue;
    if (!meant.has(name) && meant.size < NEAR_MISS_NAMES) {
      const candidate = candidates.find((known) => differByOne(known, name));
      meant.set(name, candidate);
    }
    const other = meant.get(name);
    if (other === undefined) continue;
    const message = `{${name}} has no value. Did you mean {${other}}?`;
    yield { code: 'near_miss', message, start, end, replacement: `{${other}}` };
  }
}

/** Tokens with surplus braces that no brace of the surrounding text pairs with. */
function unpairedTokens(template: string, tokens: readonly Token[]): Set<Token> {
  const open: (Token | undefined)[] = [];
  const found = new Set<Token>();
  const close = (token?: Token) => {
    if (open.length > 0) open.pop();
    else if (token !== undefined) found.add(token);
  };
  let at = 0;
  const readText = (until: number) => {
    for (; at < until; at += 1) {
      if (template[at] === '{') open.push(undefined);
      else if (template[at] === '}') close();
    }
  };
  for (const token of tokens) {
    readText(token.start);
    for (let surplus = token.opening - token.depth; surplus > 0; surplus -= 1) open.push(token);
    for (let surplus = token.closing - token.depth; surplus > 0; surplus -= 1) close(token);
    at = token.end;
  }
  readText(template.length);
  for (const token of open) if (token !== undefined) found.add(token);
  return found;
}

function* unbalancedBraces(template: string, tokens: readonly Token[]): Generator<Lint> {
  for (const { name, start, end } of unpairedTokens(template, tokens)) {
    const message = `The braces around ${name} are not balanced. The surplus ones stay in the text.`;
    yield { code: 'unbalanced_braces', message, start, end };
  }
}

function* undelimited(tokens: readonly Token[]): Generator<Lint> {
  let previous: Token | undefined;
  for (const token of tokens) {
    const touching = previous?.end === token.start;
    if (touching && previous?.kind === 'variable' && token.kind === 'variable') {
      const message = `{${previous.name}} and {${token.name}} run together. Put a delimiter between them.`;
      yield { code: 'undelimited', message, start: previous.start, end: token.end };
    }
    previous = token;
  }
}

function take(lints: Generator<Lint>): Lint[] {
  const taken: Lint[] = [];
  for (const lint of lints) {
    taken.push(lint);
    if (taken.length === LINT_LIMIT) break;
  }
  return taken;
}

/** All advice about a template in reading order, at most `LINT_LIMIT` pieces. */
export function findLints(
  template: string,
  tokens: readonly Token[],
  givenNames: readonly string[],
): Lint[] {
  const given = new Set(givenNames);
  const rules = [
    escapedVariables(tokens),
    foreignStatements(template),
    foreignFilters(template),
    lowercaseSystemNames(tokens, given),
    nearMisses(tokens, given),
    unbalancedBraces(template, tokens),
    undelimited(tokens),
  ];
  return rules
    .flatMap(take)
    .sort((left, right) => left.start - right.start)
    .slice(0, LINT_LIMIT);
}
