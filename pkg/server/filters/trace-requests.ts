import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Filter } from '../request-context.ts';

/** A span for each request that is no watch; costs next to nothing while no tracer provider is registered. */
export function traceRequests(): Filter {
  const tracer = trace.getTracer('binnacle/server');
  return (next) => async (context) => {
    const { info } = context;
    if (info.verb === 'watch') return next(context);
    return tracer.startActiveSpan(`${info.verb} ${info.resource || info.path}`, { kind: SpanKind.SERVER }, async (span) => {
      try {
        await next(context);
      } finally {
        if (span.isRecording()) {
          span.setAttributes({ 'http.request.method': context.method, 'url.path': info.path, 'http.response.status_code': context.status, 'audit-id': context.id });
          if (context.status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
        }
        span.end();
      }
    });
  };
}
