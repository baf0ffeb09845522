import { type Call, type Run, runSteps, type Step } from '../../run/run.ts'
import type { Span } from './spans.ts'

/** What happens within an attempt: what its agent reported before the first step, model requests, tool calls. */
export type Work = {
  readonly key: string
  readonly kind: 'start' | 'model' | 'tool'
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

/** `Cloning acme/shop`, `Starting Claude Code`: each lasts until the next one, the last until the first step. */
const startWorks = ({ marks, to }: Span, firstStep: number | undefined): Work[] => {
  const end = firstStep ?? to
  const early = firstStep === undefined ? marks : marks.filter(({ at }) => at < firstStep)
  return early.map(({ at, message }, n) => {
    const until = early[n + 1]?.at ?? end
    const state = until === undefined ? 'running' : 'success'
    return { key: `start ${n}`, kind: 'start', name: message, from: at, to: until, state }
  })
}

export const worksByAttempt = (run: Run, spans: readonly Span[]): ReadonlyMap<Span, Work[]> => {
  const attempts = spans.filter(({ kind }) => kind === 'attempt')
  const placed = new Map<Span, Work[]>(attempts.map((span) => [span, []]))
  for (const work of runWorks(run)) {
    const span = attempts.findLast(({ from }) => from <= work.from) ?? attempts[0]
    if (span === undefined) continue
    placed.get(span)?.push(within(span, work))
  }
  for (const [span, works] of placed) works.unshift(...startWorks(span, works[0]?.from))
  return placed
}
