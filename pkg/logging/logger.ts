import type { EventEmitter } from 'node:events';
import { pino, type DestinationStream, type Logger as PinoLogger } from 'pino';
import { LogArrival } from './log-arrival.ts';
import { KnownSecrets, redactFields, redactText } from './redaction.ts';

export interface LoggerOptions {
  /** `--v`: 0 info, 3 also a line per request, 4 debug, 6 trace. */
  readonly verbosity: number;
  /** File descriptor, or a stream that takes whole lines; default standard error. */
  readonly destination?: number | DestinationStream;
}

export type LogFields = Readonly<Record<string, unknown>>;

/** Memory for lines that are not written yet; lines beyond it are dropped. */
const UNWRITTEN_BYTES_MAX = 16 * 1024 * 1024;
const STANDARD_ERROR = 2;

/**
 * The log: one JSON object a line, with `level`, `time`, `msg` and the given fields. Fields, messages and errors are
 * redacted before the library sees them. Lines are written without blocking the main loop, and to the last one when the
 * process exits.
 */
export class Logger {
  readonly verbosity: number;
  private readonly pino: PinoLogger;
  private readonly secrets: KnownSecrets;
  private readonly arrival: LogArrival;

  private constructor(line: PinoLogger, verbosity: number, secrets: KnownSecrets, arrival: LogArrival) {
    this.pino = line;
    this.verbosity = verbosity;
    this.secrets = secrets;
    this.arrival = arrival;
  }

  static open(options: LoggerOptions): Logger {
    const { destination = STANDARD_ERROR, verbosity } = options;
    const secrets = new KnownSecrets();
    const arrival = new LogArrival();
    const stream = typeof destination === 'number' ? openDescriptor(destination, arrival) : destination;
    const settings = {
      level: levelOf(verbosity),
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label: string) => ({ level: label }) },
      hooks: { streamWrite: (line: string) => secrets.redactLine(line) },
    };
    return new Logger(pino(settings, stream), verbosity, secrets, arrival);
  }

  error(message: string, fields?: LogFields): void {
    this.write('error', message, fields);
  }

  warn(message: string, fields?: LogFields): void {
    this.write('warn', message, fields);
  }

  info(message: string, fields?: LogFields): void {
    this.write('info', message, fields);
  }

  debug(message: string, fields?: LogFields): void {
    this.write('debug', message, fields);
  }

  trace(message: string, fields?: LogFields): void {
    this.write('trace', message, fields);
  }

  /** A logger whose lines all carry `bindings`. */
  child(bindings: LogFields): Logger {
    return new Logger(this.pino.child(redactFields(bindings)), this.verbosity, this.secrets, this.arrival);
  }

  /** From now on the value is redacted everywhere, in this logger, its parent and its children. */
  redact(secret: string): void {
    this.secrets.add(secret);
  }

  /** Whether lines of this verbosity are written. */
  enabled(verbosity: number): boolean {
    return this.verbosity >= verbosity;
  }

  /** Throws while lines are lost. */
  assertWritten(): void {
    this.arrival.assert();
  }

  private write(
    level: 'error' | 'warn' | 'info' | 'debug' | 'trace',
    message: string,
    fields: LogFields | undefined,
  ): void {
    if (!this.pino.isLevelEnabled(level)) return;
    this.pino[level](fields === undefined ? {} : redactFields(fields), redactText(message));
  }
}

function openDescriptor(descriptor: number, arrival: LogArrival): DestinationStream {
  const stream = pino.destination({ dest: descriptor, sync: false, maxLength: UNWRITTEN_BYTES_MAX });
  arrival.follow(stream as unknown as EventEmitter);
  return stream;
}

function levelOf(verbosity: number): 'info' | 'debug' | 'trace' {
  return verbosity >= 6 ? 'trace' : verbosity >= 4 ? 'debug' : 'info';
}
