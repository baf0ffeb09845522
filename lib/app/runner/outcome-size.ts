import type { RunEnd } from '../../runners/schema.ts'
import { bodyBytes, fittingState } from '../../runners/state-size.ts'
import { SESSION_TOO_LARGE } from '../../tasks/schema.ts'

type Fitted = { end: RunEnd; isSessionCut: boolean }

/** The end of a run that cannot wait: it goes on from its whole checkpoint only. */
const CANNOT_WAIT: RunEnd = {
  kind: 'failed',
  error: {
    code: 'checkpoint_too_large',
    message: 'The run cannot wait for approval, because its data exceeds the size limit of the service',
  },
  retryable: false,
}

/** An end with another state for a reply, which its result says. */
const withState = (end: RunEnd, continuation: object | undefined): RunEnd => {
  if (end.kind !== 'succeeded' && end.kind !== 'failed') return end
  const { continuation: _left, result, ...rest } = end
  const said = result && { ...result, sessionWarning: SESSION_TOO_LARGE.kept }
  return { ...rest, ...(said && { result: said }), ...(continuation && { continuation }) } as RunEnd
}

/** The end of a run without the state that a later one needs; undefined where it has none. */
export const withoutState = (end: RunEnd): RunEnd | undefined => {
  if (end.kind === 'waiting') return CANNOT_WAIT
  const hasState = end.kind !== 'stopped' && end.continuation !== undefined
  return hasState ? withState(end, undefined) : undefined
}

/** The end of a run as far as it fits a request, with whether what a reply needs lacks something. */
export const fittingEnd = (end: RunEnd, beside: object, mostBytes: number | undefined): Fitted => {
  const whole = { end, isSessionCut: false }
  const without = withoutState(end)
  if (mostBytes === undefined || without === undefined) return whole
  if (bodyBytes({ ...beside, end }) <= mostBytes) return whole
  if (end.kind === 'waiting') return { end: without, isSessionCut: false }
  const room = mostBytes - bodyBytes({ ...beside, end: withState(end, {}) })
  const { continuation } = end as { continuation: Record<string, unknown> }
  return { end: withState(end, fittingState(continuation, room)), isSessionCut: true }
}
