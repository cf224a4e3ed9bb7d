/** Reads the string form of label selectors, with the grammar and the error words of Kubernetes. */
import { goQuote } from '../values/go-format.ts';
import type { LabelOperator, LabelRequirement } from './label-requirement.ts';
import { BINARY_OPERATORS, labelRequirement } from './label-requirement.ts';
import { isQualifiedName } from '../names/names.ts';

type TokenKind = 'identifier' | 'end' | '(' | ')' | ',' | '!' | '=' | '==' | '!=' | '>' | '<' | 'in' | 'notin';

interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

const SYMBOLS = new Set<string>(['(', ')', ',', '!', '=', '==', '!=', '>', '<']);
const TOKEN = /[ \t\r\n]*(?:([=!(),><]+)|([^=!(),>< \t\r\n]+)|$)/y;
const OPERATORS = new Map<TokenKind, LabelOperator>([
  ['in', 'in'],
  ['notin', 'notin'],
  ['=', '='],
  ['==', '=='],
  ['!=', '!='],
  ['>', 'gt'],
  ['<', 'lt'],
]);

/** At most `max` requirements. Throws Error. */
export function parseLabelRequirements(text: string, max: number, tooMany: string): LabelRequirement[] {
  return new Parser(tokenize(text)).parse(max, tooMany);
}

function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const match = TOKEN.exec(text);
    if (match === null) break;
    const [, symbols, word] = match;
    if (word !== undefined) tokens.push({ kind: word === 'in' || word === 'notin' ? word : 'identifier', text: word });
    else if (symbols !== undefined) tokens.push(...splitSymbols(symbols));
  }
  tokens.push({ kind: 'end', text: '' });
  return tokens;
}

/** A run of symbols holds the longest operators that fit, from the left. */
function splitSymbols(run: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < run.length;) {
    const two = run.slice(at, at + 2);
    const symbol = two.length === 2 && SYMBOLS.has(two) ? two : run.slice(at, at + 1);
    tokens.push({ kind: symbol as TokenKind, text: symbol });
    at += symbol.length;
  }
  return tokens;
}

class Parser {
  private readonly tokens: readonly Token[];
  private position = 0;

  constructor(tokens: readonly Token[]) {
    this.tokens = tokens;
  }

  parse(max: number, tooMany: string): LabelRequirement[] {
    const requirements: LabelRequirement[] = [];
    for (;;) {
      const first = this.peek();
      if (first.kind === 'end') return requirements;
      if (first.kind !== 'identifier' && first.kind !== '!') {
        throw new Error(`found '${first.text}', expected: !, identifier, or 'end of string'`);
      }
      if (requirements.length === max) throw new Error(tooMany);
      requirements.push(this.requirementOrThrow());
      const after = this.take();
      if (after.kind === 'end') return requirements;
      if (after.kind !== ',') throw new Error(`found '${after.text}', expected: ',' or 'end of string'`);
      const next = this.peek();
      if (next.kind !== 'identifier' && next.kind !== '!')
        throw new Error(`found '${next.text}', expected: identifier after ','`);
    }
  }

  private requirementOrThrow(): LabelRequirement {
    try {
      return this.requirement();
    } catch (error) {
      throw new Error(`unable to parse requirement: ${error instanceof Error ? error.message : String(error)}`, {
        cause: error,
      });
    }
  }

  private requirement(): LabelRequirement {
    let token = this.take();
    const negated = token.kind === '!';
    if (negated) token = this.take();
    if (token.kind !== 'identifier') throw new Error(`found '${token.text}', expected: identifier`);
    const key = token.text;
    const problems = isQualifiedName(key);
    if (problems.length > 0) throw new Error(`<nil>: Invalid value: ${goQuote(key)}: ${problems.join('; ')}`);
    const next = this.peek().kind;
    if (negated || next === 'end' || next === ',') return labelRequirement(key, negated ? '!' : 'exists', []);
    const operatorToken = this.takeRaw();
    const operator = OPERATORS.get(operatorToken.kind);
    if (operator === undefined)
      throw new Error(`found '${operatorToken.text}', expected: ${BINARY_OPERATORS.join(', ')}`);
    return labelRequirement(
      key,
      operator,
      operator === 'in' || operator === 'notin' ? this.valueList() : [this.exactValue()],
    );
  }

  /** The value after `=` and similar operators; an absent one is the empty value. */
  private exactValue(): string {
    const next = this.peek().kind;
    if (next === 'end' || next === ',') return '';
    const token = this.take();
    if (token.kind !== 'identifier') throw new Error(`found '${token.text}', expected: identifier`);
    return token.text;
  }

  /** `(a,b)`; empty places are empty values. */
  private valueList(): string[] {
    const open = this.take();
    if (open.kind !== '(') throw new Error(`found '${open.text}' expected: '('`);
    const values: string[] = [];
    if (![')', ',', 'identifier'].includes(this.peek().kind)) {
      throw new Error(`found '${this.peek().text}', expected: ',', ')' or identifier`);
    }
    for (let hasValue = false; ;) {
      const token = this.take();
      if (token.kind === 'identifier' && !hasValue) {
        values.push(token.text);
        hasValue = true;
        const next = this.peek();
        if (next.kind !== ',' && next.kind !== ')') throw new Error(`found '${next.text}', expected: ',' or ')'`);
      } else if (token.kind === ',' || token.kind === ')') {
        if (!hasValue) values.push('');
        if (token.kind === ')') return values;
        hasValue = false;
      } else {
        throw new Error(`found '${token.text}', expected: ',', or identifier`);
      }
    }
  }

  private peek(): Token {
    return asValue(this.tokens[this.position] ?? END);
  }

  private take(): Token {
    return asValue(this.takeRaw());
  }

  private takeRaw(): Token {
    return this.tokens[this.position++] ?? END;
  }
}

const END: Token = { kind: 'end', text: '' };

/** In the place of a key or a value, `in` and `notin` are ordinary words. */
function asValue(token: Token): Token {
  return token.kind === 'in' || token.kind === 'notin' ? { kind: 'identifier', text: token.text } : token;
}
