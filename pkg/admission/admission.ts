import type { AnyResource, UserInfo } from '../api/resource-definition.ts';
import type { ApiObject } from '../apimachinery/meta/object.ts';

export type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/**
 * One request as admission sees it. Objects are hub objects; `handles.ts` says of which kind, and which of the two
 * there are.
 */
export interface AdmissionRequest<T extends ApiObject = ApiObject> {
  readonly operation: Operation;
  readonly definition: AnyResource;
  /** Group and version of the request's path. */
  readonly groupVersion: string;
  readonly subresource: string;
  readonly namespace: string;
  /**
   * Empty for a create with generateName, and for a delete of a collection, for which admission runs object by object.
   */
  readonly name: string;
  /** A create by an update of a missing object: its name is that of the request's path. */
  readonly insteadOfUpdate?: boolean;
  /** The object to be stored; mutating plugins change it in place. Undefined for deletes. */
  readonly object: T | undefined;
  /** The stored state; undefined for creates. Not to be changed. */
  readonly oldObject: T | undefined;
  readonly user: UserInfo;
  /** The request's verb, for requests of clients: an UPDATE is an `update` or a `patch`. */
  readonly verb?: string;
  readonly dryRun: boolean;
  /**
   * The request's options: a CreateOptions, UpdateOptions or PatchOptions as the client sent it, or the effective
   * DeleteOptions; undefined where the client sent none.
   */
  readonly options?: object;
  readonly notes: AdmissionNotes;
  /** When the request times out, on the clock of `performance.now()`: the limit for calls of admission webhooks. */
  readonly deadlineMs?: number;
  /**
   * Registers the undo of a plugin's effects outside of the object, such as a charged quota: runs when the write does
   * not happen, but not when its result is unknown. Absent where nothing is stored. Steps handle their own failures.
   */
  readonly whenRefused?: (undo: () => Promise<void>) => void;
}

/** Output of plugins besides their decision. */
export interface AdmissionNotes {
  /** A text for a `Warning` header. */
  warn(text: string): void;
  /**
   * An annotation of the request's audit event; `key` is qualified by the plugin's domain. The first value of a key
   * stays. With `level`, it is left out of events below that level: it contains content of the request.
   */
  annotate(key: string, value: string, level?: 'Request'): void;
  /**
   * The request waited this long for a webhook, or for several at once: time that is not the server's own. Absent where
   * it is not counted.
   */
  waitedForWebhook?(ms: number): void;
}

/**
 * One admission plugin. `admit` runs before defaults of the strategy and validation and may change `request.object`;
 * `validate` runs after and may not. Both refuse by throwing a StatusError. Neither has side effects when
 * `request.dryRun`.
 *
 * When an `admit` returns `again`, all plugins admit the same request once more, after the last of them: earlier ones
 * have not seen its change. The results of that run are ignored.
 */
export interface AdmissionPlugin {
  readonly name: string;
  admit?(request: AdmissionRequest): Promise<AdmitAnswer> | AdmitAnswer;
  validate?(request: AdmissionRequest): Promise<void> | void;
}

export type AdmitAnswer = 'again' | undefined | void;

/** For writes of the server itself, which have no notes. */
export const silentNotes: AdmissionNotes = { warn: () => undefined, annotate: () => undefined };

/** The two rounds of admission, as metrics name them. */
export type AdmissionRound = 'admit' | 'validate';

/** Called with the time of one request, for the plugin or round that it was made for. */
export type StepObserver = (operation: Operation, rejected: boolean, seconds: number) => void;

/**
 * Called with the work of admission, for metrics: once for each plugin in each of its rounds, and once for each round.
 */
export interface AdmissionObserver {
  /** One plugin has run for one request. */
  ofPlugin(plugin: string, round: AdmissionRound): StepObserver;
  /** All plugins have, or one has refused. */
  ofRound(round: AdmissionRound): StepObserver;
}

/** The admission of every write. Both throw StatusError. */
export interface Admission {
  /** May change `request.object`. */
  admit(request: AdmissionRequest): Promise<void>;
  validate(request: AdmissionRequest): Promise<void>;
}

/** For writes that are part of another one, which was admitted, and for the server's own. */
export const noAdmission: Admission = { admit: () => Promise.resolve(), validate: () => Promise.resolve() };

/** The enabled plugins in their order. */
export class AdmissionChain implements Admission {
  private readonly admitting: Round;
  private readonly validating: Round;

  constructor(plugins: readonly AdmissionPlugin[], observer: AdmissionObserver = unobserved) {
    this.admitting = roundOf('admit', plugins, observer);
    this.validating = roundOf('validate', plugins, observer);
  }

  async admit(request: AdmissionRequest): Promise<void> {
    if (await run(this.admitting, request)) await run(this.admitting, request);
  }

  async validate(request: AdmissionRequest): Promise<void> {
    await run(this.validating, request);
  }
}

/** One plugin in one of the rounds. */
interface Step {
  readonly ask: (request: AdmissionRequest) => Promise<AdmitAnswer> | AdmitAnswer;
  readonly ended: StepObserver;
}

interface Round {
  readonly steps: readonly Step[];
  readonly ended: StepObserver;
}

const unobserved: AdmissionObserver = { ofPlugin: () => () => undefined, ofRound: () => () => undefined };

function roundOf(round: AdmissionRound, plugins: readonly AdmissionPlugin[], observer: AdmissionObserver): Round {
  const taking = plugins.filter((plugin) => plugin[round] !== undefined);
  const steps = taking.map((plugin): Step => ({
    ask: (request) => plugin[round]!(request),
    ended: observer.ofPlugin(plugin.name, round),
  }));
  return { steps, ended: observer.ofRound(round) };
}

/** True when a plugin needs another run. */
async function run({ steps, ended }: Round, request: AdmissionRequest): Promise<boolean> {
  const { operation } = request;
  const began = performance.now();
  let last = began;
  let running: Step | undefined;
  let again = false;
  try {
    for (const step of steps) {
      running = step;
      const answer = step.ask(request);
      // Most plugins do nothing for most requests; awaiting each of them would cost more than all their work.
      if ((answer instanceof Promise ? await answer : answer) === 'again') again = true;
      running = undefined;
      const now = performance.now();
      step.ended(operation, false, (now - last) / 1000);
      last = now;
    }
    return again;
  } finally {
    const now = performance.now();
    running?.ended(operation, true, (now - last) / 1000);
    ended(operation, running !== undefined, (now - began) / 1000);
  }
}
