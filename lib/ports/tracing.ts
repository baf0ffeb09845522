import type { Trace } from '../core/trace.ts'

export type SpanAttributes = Readonly<
  Record<string, string | number | boolean | readonly string[] | undefined>
>

export type NewSpan = {
  name: string
  kind: 'internal' | 'server' | 'client' | 'consumer'
  /** The `traceparent` of its parent, null for none; where it is absent, that of the work that runs now. */
  parent?: string | null
  /** Epoch milliseconds, where it did not begin just now. */
  startMs?: number
  attributes?: SpanAttributes
}

export type Span = {
  /** What the work inside passes on. Undefined where spans are not exported and the span has no parent. */
  readonly traceparent: string | undefined
  /** `error` is a word for what went wrong, never a message: those may hold texts of users. Called once. */
  end(more?: { name?: string; attributes?: SpanAttributes; error?: string | undefined }): void
}

/** Of which request the work is that runs now. Without `requestId` where it came from none. */
export type RunningTrace = Partial<Trace>

/**
 * Which request the running work belongs to, across awaits, and spans of what it does. Spans are exported where the operator
 * has named a collector; elsewhere they cost nothing and `traceparent` of a span is that of its parent. Nothing of this
 * throws, waits or fails the work.
 */
export interface Tracing {
  readonly isExporting: boolean
  /** Of the running work; undefined where nothing was said about it. */
  current(): RunningTrace | undefined
  /** Runs work, and what it awaits, as part of a trace. */
  within<T>(trace: RunningTrace, work: () => T): T
  begin(span: NewSpan): Span
  /** Sends what has ended so far; resolves when that is done or given up, after `mostMs` at the latest. */
  flush(mostMs: number): Promise<void>
}
