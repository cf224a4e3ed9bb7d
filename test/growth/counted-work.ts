/**
 * Counts the steps of the runtime's own loops: elements that methods of lists, iterators and key enumerations go over.
 * What is quadratic in hundreds of elements shows at once, and the count is the same on every machine. Loops over
 * indexes are not counted. For a process of its own: the methods that it replaces are slow, and stay so.
 */

let steps = 0;
let counting = false;

// `any`: methods of all kinds are wrapped alike.
type Method = (this: any, ...args: any[]) => any;
type Owner = Record<PropertyKey, any>;

export function countSteps(run: () => void): number {
  install();
  steps = 0;
  counting = true;
  try {
    run();
  } finally {
    counting = false;
  }
  return steps;
}

let installed = false;

function install(): void {
  if (installed) return;
  installed = true;
  const list = Array.prototype as Owner;
  for (const name of [
    'find',
    'findIndex',
    'findLast',
    'some',
    'every',
    'filter',
    'map',
    'forEach',
    'flatMap',
    'reduce',
    'sort',
    'toSorted',
  ])
    countCallbacks(list, name);
  for (const name of ['includes', 'indexOf', 'lastIndexOf']) countBy(list, name, (self, [item]) => stepsTo(self, item));
  for (const name of ['slice', 'splice', 'concat', 'join', 'shift', 'unshift', 'reverse', 'fill'])
    countBy(list, name, (self) => self.length);
  countBy(Object.getPrototypeOf([][Symbol.iterator]()), 'next', () => 1);
  countBy(Object.getPrototypeOf(new Map()[Symbol.iterator]()), 'next', () => 1);
  countBy(Object.getPrototypeOf(new Set()[Symbol.iterator]()), 'next', () => 1);
  for (const name of ['keys', 'values', 'entries', 'assign'])
    countResult(Object, name, (result) => (Array.isArray(result) ? result.length : 0));
  const text = String.prototype as Owner;
  // Regular expressions and searches from a place on look at a part of their text that is not known here.
  for (const name of ['split', 'replace', 'replaceAll', 'trim'])
    countBy(text, name, (self) => Math.ceil(self.length / 64));
}

/** How many elements a search looks at. */
function stepsTo(self: readonly unknown[], item: unknown): number {
  for (let i = 0; i < self.length; i++) if (self[i] === item) return i + 1;
  return self.length;
}

function countBy(owner: Owner, name: string, cost: (self: any, args: any[]) => number): void {
  const original = owner[name] as Method;
  replace(owner, name, function counted(this: any, ...args: any[]) {
    if (counting) steps += cost(this, args);
    return Reflect.apply(original, this, args);
  });
}

function countResult(owner: Owner, name: string, cost: (result: unknown) => number): void {
  const original = owner[name] as Method;
  replace(owner, name, function counted(this: any, ...args: any[]) {
    const result = Reflect.apply(original, this, args);
    if (counting) steps += cost(result);
    return result;
  });
}

function countCallbacks(owner: Owner, name: string): void {
  const original = owner[name] as Method;
  replace(owner, name, function counted(this: any, ...args: any[]) {
    const [callback] = args;
    if (!counting) return Reflect.apply(original, this, args);
    if (typeof callback !== 'function') {
      steps += this.length;
      return Reflect.apply(original, this, args);
    }
    args[0] = function visited(this: any, ...values: any[]) {
      steps++;
      return Reflect.apply(callback, this, values);
    };
    return Reflect.apply(original, this, args);
  });
}

function replace(owner: Owner, name: string, value: Method): void {
  Object.defineProperty(owner, name, { value, writable: true, configurable: true, enumerable: false });
}
