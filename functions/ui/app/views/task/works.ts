import { type Call, type Run, runSteps, type Step } from '../../run/run.ts'
import type { Mark, Span } from './spans.ts'

/** What happens within an attempt: what its agent reported before the first step and after the last, model requests, tool calls. */
export type Work = {
  readonly key: string
  readonly kind: 'report' | 'model' | 'tool'
  readonly name: string
  readonly from: number
  readonly to: number | undefined
  readonly state: Call['state']
}

const isCall = (part: Step['parts'][number]): part is Call => part.kind === 'call'

/** The model works from the start of a step until its first tool call, or the end of the step. */
const modelWork = ({ key, number, startedAt, tookMs }: Step, calls: readonly Call[]): Work => {
  const called = calls.length > 0 ? Math.min(...calls.map((call) => call.startedAt)) : undefined
  const to = called ?? (tookMs === undefined ? undefined : startedAt + tookMs)
  const state = to === undefined ? 'running' : 'success'
  return { key, kind: 'model', name: `Step ${number}: model`, from: startedAt, to, state }
}

const toolWork = ({ key, title, startedAt, tookMs, state }: Call): Work => {
  const isOpen = state === 'running' || state === 'waiting'
  const to = tookMs === undefined ? (isOpen ? undefined : startedAt) : startedAt + tookMs
  return { key, kind: 'tool', name: title, from: startedAt, to, state }
}

const runWorks = (run: Run): Work[] =>
  runSteps(run).flatMap((step) => {
    const calls = step.parts.filter(isCall)
    return [modelWork(step, calls), ...calls.map(toolWork)]
  })

/** Clipped to the attempt. */
const within = (span: Span, work: Work): Work => {
  const from = Math.max(work.from, span.from)
  if (span.to === undefined) return { ...work, from }
  const state = work.to === undefined ? 'stopped' : work.state
  return { ...work, from, to: Math.min(work.to ?? span.to, span.to), state }
}

/** `Cloning acme/shop`, `Collecting changes`: each lasts until the next one, the last until `to`. */
const reportedWorks = (marks: readonly Mark[], to: number | undefined): Work[] =>
  marks.map(({ at, message }, n) => {
    const until = marks[n + 1]?.at ?? to
    const state = until === undefined ? 'running' : 'success'
    return { key: `report ${at} ${n}`, kind: 'report', name: message, from: at, to: until, state }
  })

/** With what was reported before the first step and after the end of the last. */
const withReports = ({ marks, to }: Span, steps: readonly Work[]): Work[] => {
  const [first] = steps
  if (first === undefined) return reportedWorks(marks, to)
  const lastEnd = Math.max(...steps.map((step) => step.to ?? Number.POSITIVE_INFINITY))
  const before = marks.filter(({ at }) => at < first.from)
  const after = marks.filter(({ at }) => at >= lastEnd)
  return [...reportedWorks(before, first.from), ...steps, ...reportedWorks(after, to)]
}

export const worksByAttempt = (run: Run, spans: readonly Span[]): ReadonlyMap<Span, Work[]> => {
  const attempts = spans.filter(({ kind }) => kind === 'attempt')
  const placed = new Map<Span, Work[]>(attempts.map((span) => [span, []]))
  for (const work of runWorks(run)) {
    const span = attempts.findLast(({ from }) => from <= work.from) ?? attempts[0]
    if (span === undefined) continue
    placed.get(span)?.push(within(span, work))
  }
  return new Map([...placed].map(([span, steps]) => [span, withReports(span, steps)]))
}
