/**
 * The token scanner of the template language.
 *
 * A token is a run of `{`, optional blanks, a name, optional blanks and a run of `}`. It is found
 * by a hand-written scan and not by a regular expression: the obvious expression backtracks
 * quadratically on a long run of braces, and templates are pasted text.
 */

/** What a token does when the template is compiled. */
export type TokenKind = 'variable' | 'escaped';

/** One token; offsets are UTF-16 code units, `end` is exclusive. */
export interface Token {
  kind: TokenKind;
  /** The name between the braces. */
  name: string;
  /** Where the first brace of the opening run stands. */
  start: number;
  /** Just after the last brace of the closing run. */
  end: number;
  /** The text between the two runs, blanks included. */
  inner: string;
  /** Length of the opening run. */
  opening: number;
  /** Length of the closing run. */
  closing: number;
  /** Braces that belong to the token on either side: the shorter of the two runs. */
  depth: number;
}

/** Longest name a variable may have. */
export const NAME_LIMIT = 64;

const TAB = 0x09;
const SPACE = 0x20;
const UNDERSCORE = 0x5f;
const OPEN = 0x7b;
const CLOSE = 0x7d;

function isBlank(code: number): boolean {
  return code === SPACE || code === TAB;
}

function isLetter(code: number): boolean {
  const lower = code | 0x20;
  return (lower >= 0x61 && lower <= 0x7a) || code === UNDERSCORE;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function skip(text: string, from: number, wanted: (code: number) => boolean): number {
  let at = from;
  while (at < text.length && wanted(text.charCodeAt(at))) at += 1;
  return at;
}

/**
 * Reads the rest of a token whose opening run is `[start, inside)`. Answers the token, or the
 * offset from which the scan goes on: no brace stands between, so no character is read twice.
 */
function readToken(text: string, start: number, inside: number): Token | number {
  const nameStart = skip(text, inside, isBlank);
  if (nameStart >= text.length || !isLetter(text.charCodeAt(nameStart))) return nameStart;
  const nameEnd = skip(text, nameStart, (code) => isLetter(code) || isDigit(code));
  if (nameEnd - nameStart > NAME_LIMIT) return nameEnd;
  const innerEnd = skip(text, nameEnd, isBlank);
  const end = skip(text, innerEnd, (code) => code === CLOSE);
  if (end === innerEnd) return innerEnd;
  const opening = inside - start;
  const closing = end - innerEnd;
  const depth = Math.min(opening, closing);
  return {
    kind: depth % 2 === 1 ? 'variable' : 'escaped',
    name: text.slice(nameStart, nameEnd),
    start,
    end,
    inner: text.slice(inside, innerEnd),
    opening,
    closing,
    depth,
  };
}

/** All tokens of a text in order. Linear in its length. */
export function scan(text: string): Token[] {
  const tokens: Token[] = [];
  let at = text.indexOf('{');
  while (at !== -1) {
    const inside = skip(text, at, (code) => code === OPEN);
    const read = readToken(text, at, inside);
    if (typeof read === 'number') {
      at = text.indexOf('{', read);
    } else {
      tokens.push(read);
      at = text.indexOf('{', read.end);
    }
  }
  return tokens;
}

/** Whether a text could stand between braces as a variable's name. */
export function isVariableName(name: string): boolean {
  const [token] = scan(`{${name}}`);
  return token?.name === name && token.kind === 'variable' && token.end === name.length + 2;
}
