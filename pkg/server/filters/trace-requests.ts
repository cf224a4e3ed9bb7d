import type { IncomingHttpHeaders } from 'node:http';
import {
  context as activeContext,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Span,
  type TextMapGetter,
} from '@opentelemetry/api';
import type { Filter, RequestContext } from '../request/request-context.ts';

const headerGetter: TextMapGetter<IncomingHttpHeaders> = {
  keys: (headers) => Object.keys(headers),
  get: (headers, name) => headers[name],
};

/**
 * A span for each request except watches, part of the trace in the request's `traceparent`, if any. Costs next to
 * nothing while no tracer provider is registered.
 */
export function traceRequests(): Filter {
  const tracer = trace.getTracer('binnacle/server');
  return (next) => async (context) => {
    const { info } = context;
    if (info.verb === 'watch') return next(context);
    const parent = propagation.extract(ROOT_CONTEXT, context.headers, headerGetter);
    // Clients choose names and paths without limit: they are attributes, not part of the span's name.
    const span = tracer.startSpan(
      info.isResource ? `${info.verb} ${info.resource}` : context.method,
      { kind: SpanKind.SERVER },
      parent,
    );
    if (!span.isRecording()) return next(context);
    try {
      await activeContext.with(trace.setSpan(parent, span), () => next(context));
    } finally {
      describe(span, context);
      span.end();
    }
  };
}

function describe(span: Span, context: RequestContext): void {
  span.setAttributes({
    'http.request.method': context.method,
    'url.path': context.info.path,
    'http.response.status_code': context.status,
    'http.response.body.size': context.responseBytes,
    'audit-id': context.id,
  });
  if (context.status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
}
