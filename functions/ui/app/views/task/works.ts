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

const stepWorks = (step: Step): Work[] => {
  const calls = step.parts.filter(isCall)
  return [modelWork(step, calls), ...calls.map(toolWork)]
}

/** Clipped to the attempt. */
const within = (span: Span, work: Work): Work => {
  const from = Math.max(work.from, span.from)
  if (span.to === undefined) return { ...work, from }
  const state = work.to === undefined ? 'stopped' : work.state
  return { ...work, from, to: Math.min(work.to ?? span.to, span.to), state }
}

/** `Cloning acme/shop`, `Collecting changes`: each lasts until the next one, the last until `to`. */
const reportedWorks = (marks: readonly Mark[], to: number | undefined, last: Work['state']): Work[] =>
  marks.map(({ at, message }, n) => {
    const next = marks[n + 1]
    const state = next === undefined ? last : 'success'
    return { key: `report ${at} ${n}`, kind: 'report', name: message, from: at, to: next?.at ?? to, state }
  })

const CUT_OFF: ReadonlySet<Span['ended']> = new Set(['cancelled', 'lost', 'interrupted'])

/** The works of an attempt with what was reported before its first step and after the end of its last. */
const withReports = (span: Span, works: readonly Work[], steps: readonly Step[]): Work[] => {
  const { marks, to, ended } = span
  const atEnd = to === undefined ? 'running' : CUT_OFF.has(ended) ? 'stopped' : 'success'
  const [first] = works
  if (first === undefined) return reportedWorks(marks, to, atEnd)
  const ends = [
    ...works.map((work) => work.to ?? Number.POSITIVE_INFINITY),
    ...steps.map(({ startedAt, tookMs = Number.POSITIVE_INFINITY }) => startedAt + tookMs),
  ]
  const before = marks.filter(({ at }) => at < first.from)
  const after = marks.filter(({ at }) => at >= Math.max(...ends))
  return [
    ...reportedWorks(before, first.from, 'success'),
    ...works.map((work) => within(span, work)),
    ...reportedWorks(after, to, atEnd),
  ]
}

export const worksByAttempt = (run: Run, spans: readonly Span[]): ReadonlyMap<Span, Work[]> => {
  const attempts = spans.filter(({ kind }) => kind === 'attempt')
  const attemptAt = (at: number) => attempts.findLast(({ from }) => from <= at) ?? attempts[0]
  const steps = runSteps(run)
  const works = steps.flatMap(stepWorks)
  return new Map(
    attempts.map((span) => [
      span,
      withReports(
        span,
        works.filter(({ from }) => attemptAt(from) === span),
        steps.filter(({ startedAt }) => attemptAt(startedAt) === span),
      ),
    ]),
  )
}
