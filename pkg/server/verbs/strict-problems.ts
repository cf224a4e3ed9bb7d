import type { ReportDuplicate } from '../../apimachinery/json/json-parser.ts';
import type { ReportUnknown } from '../../codec/normalize.ts';
import type { RequestContext } from '../request/request-context.ts';
import type { FieldValidation } from '../request/request-options.ts';

/** Limit of the problems reported for one body, and of the characters of each: clients choose the names in them. */
const PROBLEMS_MAX = 100;
const PROBLEM_LENGTH_MAX = 2048;
/** Problems that are kept to be put in order. */
const KEPT_MAX = 1000;

/** Keys and indexes that lead to a field. */
type Way = readonly (string | number)[];

interface Problem {
  readonly text: string;
  /** Absent for what is not about one field of the document. */
  readonly way?: Way;
  readonly unknown?: boolean;
}

/** Unknown and duplicate fields, for `fieldValidation`. */
export class StrictProblems {
  readonly validation: FieldValidation;
  private readonly problems = new Map<string, Problem>();

  constructor(validation: FieldValidation) {
    this.validation = validation;
  }

  /** Absent where problems are ignored, so that nothing is searched. */
  get onUnknown(): ReportUnknown | undefined {
    return this.validation === 'Ignore'
      ? undefined
      : (path, way) => this.keep({ text: `unknown field ${JSON.stringify(path)}`, way, unknown: true });
  }

  get onDuplicate(): ReportDuplicate | undefined {
    return this.validation === 'Ignore'
      ? undefined
      : (path, way) => this.keep({ text: `duplicate field ${JSON.stringify(path)}`, way });
  }

  add(text: string): void {
    if (this.validation !== 'Ignore') this.keep({ text });
  }

  private keep(problem: Problem): void {
    if (this.problems.size >= KEPT_MAX) return;
    const text =
      problem.text.length > PROBLEM_LENGTH_MAX ? `${problem.text.slice(0, PROBLEM_LENGTH_MAX)}...` : problem.text;
    if (!this.problems.has(text)) this.problems.set(text, { ...problem, text });
  }

  /**
   * Warns, or throws what `refusal` makes of the reason. Problems come in the order in which a reader of `document`
   * meets them; without one, as for YAML and for the results of patches, whose fields stock servers sort, by name.
   */
  report(context: RequestContext, refusal: (reason: string) => Error, document?: unknown): void {
    if (this.problems.size === 0) return;
    const told = inOrder([...this.problems.values()], document).slice(0, PROBLEMS_MAX);
    if (this.validation === 'Strict') throw refusal(`strict decoding error: ${told.join(', ')}`);
    context.warnAll(told);
  }
}

function inOrder(problems: readonly Problem[], document: unknown): string[] {
  const order = new DocumentOrder(document);
  const fields = problems
    .filter((p) => p.way !== undefined)
    .sort((a, b) => order.compare(a.way!, b.way!) || Number(b.unknown ?? false) - Number(a.unknown ?? false));
  const told = problems.filter((p) => p.way === undefined).map((p) => p.text);
  let skipped: Way | undefined;
  for (const { text, way, unknown } of fields) {
    // A reader skips what it does not know, with all that comes twice in it.
    if (skipped?.every((step, i) => way![i] === step) === true) continue;
    if (unknown) skipped = way;
    told.push(text);
  }
  return told;
}

/** Compares places in a document by where they come in its text; by the names of fields where there is no document. */
class DocumentOrder {
  private readonly document: unknown;
  private readonly positions = new Map<object, ReadonlyMap<string, number>>();

  constructor(document: unknown) {
    this.document = document;
  }

  compare(a: Way, b: Way): number {
    let node: unknown = this.document;
    for (let i = 0; i < a.length && i < b.length; i++) {
      const [x, y] = [a[i]!, b[i]!];
      if (x !== y)
        return typeof x === 'number' && typeof y === 'number' ? x - y : this.compareKeys(node, String(x), String(y));
      node =
        typeof node === 'object' && node !== null && Object.hasOwn(node, x)
          ? (node as Record<string | number, unknown>)[x]
          : undefined;
    }
    return a.length - b.length;
  }

  private compareKeys(node: unknown, a: string, b: string): number {
    if (typeof node !== 'object' || node === null) return a < b ? -1 : 1;
    let positions = this.positions.get(node);
    if (positions === undefined)
      this.positions.set(node, (positions = new Map(Object.keys(node).map((key, i) => [key, i]))));
    return (positions.get(a) ?? 0) - (positions.get(b) ?? 0);
  }
}
