import { context, diag, DiagLogLevel, propagation, trace } from '@opentelemetry/api';

export interface TracingOptions {
  /**
   * `--tracing-otlp-endpoint`: URL of a collector that takes OTLP over HTTP; without a path, the standard `/v1/traces`
   * is meant.
   */
  readonly endpoint: string;
  /** The service name of the spans, `binnacle-apiserver`. */
  readonly serviceName: string;
  /** Called when spans cannot be delivered. They are dropped then; requests continue. */
  readonly onWarning?: (message: string) => void;
}

export interface Tracing {
  /** Delivers the remaining spans, for some seconds at most, and turns tracing off. Never rejects. */
  stop(): Promise<void>;
}

const EXPORT_TIMEOUT_MS = 5000;
const ATTRIBUTE_LENGTH_MAX = 1024;

/**
 * Sends spans to a collector from now on, in batches, with a bounded queue. Callers name a trace by the `traceparent`
 * header (W3C Trace Context). Sampling is set by the SDK's own variables, `OTEL_TRACES_SAMPLER` and
 * `OTEL_TRACES_SAMPLER_ARG`; default: every request whose caller did not decide otherwise. The SDK is loaded only here,
 * since few servers trace. Throws for an endpoint that is no HTTP URL.
 */
export async function startTracing(options: TracingOptions): Promise<Tracing> {
  const url = tracesUrl(options.endpoint);
  const [
    { BatchSpanProcessor, NodeTracerProvider },
    { OTLPTraceExporter },
    { defaultResource, resourceFromAttributes },
  ] = await Promise.all([
    import('@opentelemetry/sdk-trace-node'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ]);
  if (options.onWarning !== undefined)
    diag.setLogger(warningsTo(options.onWarning), { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  const exporter = new OTLPTraceExporter({ url, timeoutMillis: EXPORT_TIMEOUT_MS });
  const provider = new NodeTracerProvider({
    resource: defaultResource().merge(resourceFromAttributes({ 'service.name': options.serviceName })),
    spanProcessors: [new BatchSpanProcessor(exporter, { exportTimeoutMillis: EXPORT_TIMEOUT_MS })],
    spanLimits: { attributeValueLengthLimit: ATTRIBUTE_LENGTH_MAX },
  });
  provider.register();
  return {
    stop: async () => {
      await provider
        .shutdown()
        .catch((error: unknown) =>
          options.onWarning?.(`the last spans were not delivered: ${(error as Error).message}`),
        );
      disable();
    },
  };
}

function disable(): void {
  for (const api of [trace, context, propagation, diag]) api.disable();
}

function tracesUrl(endpoint: string): string {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new Error(`${JSON.stringify(endpoint)} is no collector: it has to look like http://127.0.0.1:4318`);
  if (url.pathname === '/') url.pathname = '/v1/traces';
  return url.href;
}

function warningsTo(warn: (message: string) => void): Parameters<typeof diag.setLogger>[0] {
  const ignore = (): void => undefined;
  const tell = (message: string): void => warn(`tracing: ${errorText(message)}`);
  return { error: tell, warn: tell, info: ignore, debug: ignore, verbose: ignore };
}

/** The SDK reports errors as JSON with their stack; the message is enough. */
function errorText(message: string): string {
  if (!message.startsWith('{')) return message;
  try {
    return String((JSON.parse(message) as { message?: unknown }).message ?? message);
  } catch {
    // Not JSON: the text is the message.
    return message;
  }
}
