import type { Trace } from '../core/trace.ts'

export type SpanAttributes = Readonly<
  Record<string, string | number | boolean | readonly string[] | undefined>
>

export type NewSpan = {
  name: string
  kind: 'internal' | 'server' | 'client' | 'consumer'
  /** The `traceparent` of its parent, null for none; when absent, that of the running work. */
  parent?: string | null
  /** Epoch milliseconds of the start, when it was earlier than now. */
  startMs?: number
  attributes?: SpanAttributes
}

export type Span = {
  /** The `traceparent` that calls inside pass on. Undefined where spans are not exported and the span has no parent. */
  readonly traceparent: string | undefined
  /**
   * `error` is a code, never a message: messages may contain texts of users. `endMs` is in epoch milliseconds, for an end
   * that was earlier than now. Called once.
   */
  end(more?: { name?: string; attributes?: SpanAttributes; error?: string | undefined; endMs?: number }): void
}

/** The request that caused the running work. Without `requestId` where no request did. */
export type RunningTrace = Partial<Trace>

/**
 * The request of the running work, across awaits, and spans of the work. Spans are exported where the operator has set a
 * collector; elsewhere they cost nothing, and a span has the `traceparent` of its parent. No verb throws, waits or fails
 * the work.
 */
export interface Tracing {
  readonly isExporting: boolean
  /** The trace of the running work; undefined outside of `within`. */
  current(): RunningTrace | undefined
  /** Runs work, and what it awaits, as part of a trace. */
  within<T>(trace: RunningTrace, work: () => T): T
  begin(span: NewSpan): Span
  /** Sends the ended spans; resolves when they were sent or given up, after `mostMs` at the latest. */
  flush(mostMs: number): Promise<void>
}
