import { Problem } from '../../core/errors.ts'
import { getOrCreate } from '../../core/get-or-create.ts'
import type { Breaker, BreakerState, Breakers } from '../../ports/breaker.ts'
import type { Clock } from '../../ports/clock.ts'

type Needs = {
  clock: Pick<Clock, 'monotonic'>
  isFault: (error: unknown) => boolean
  threshold?: number
  resetMs?: number
}

/** Circuit breakers that open after `threshold` faults in a row, and half-open `resetMs` later. */
export const createBreakers = ({ clock, isFault, threshold = 10, resetMs = 10_000 }: Needs): Breakers => {
  const breakers = new Map<string, Breaker>()
  return {
    of: (name) =>
      getOrCreate(breakers, name, () => createBreaker(name, circuit(clock, threshold, resetMs), isFault)),
    all: () => [...breakers.values()],
  }
}

type Circuit = ReturnType<typeof circuit>

/** An outcome only counts in the period, between two transitions, in which its call began. */
const circuit = (clock: Needs['clock'], threshold: number, resetMs: number) => {
  let period = 0
  let inARow = 0
  let openedAt: number | undefined
  let onTrial = false
  const state = (): BreakerState => {
    if (openedAt === undefined) return 'CLOSED'
    return clock.monotonic() - openedAt < resetMs ? 'OPEN' : 'HALF_OPEN'
  }
  const turn = (opened: number | undefined) => {
    period += 1
    inARow = 0
    onTrial = false
    openedAt = opened
  }
  return {
    state,
    /** The period in which a call begins, or undefined when it is refused. */
    enter(): number | undefined {
      const now = state()
      if (now === 'OPEN' || onTrial) return undefined
      onTrial = now === 'HALF_OPEN'
      return period
    },
    retryAfterMs: () => Math.max(1_000, (openedAt ?? 0) + resetMs - clock.monotonic()),
    settle(began: number, outcome: 'success' | 'fault' | 'neither') {
      if (began !== period) return
      if (outcome === 'neither') onTrial = false
      else if (outcome === 'success' && onTrial) turn(undefined)
      else if (outcome === 'success') inARow = 0
      else if (onTrial || ++inARow >= threshold) turn(clock.monotonic())
    },
  }
}

const createBreaker = (name: string, circuit: Circuit, isFault: Needs['isFault']): Breaker => {
  let failures = 0
  let successes = 0
  return {
    name,
    get state() {
      return circuit.state()
    },
    get failures() {
      return failures
    },
    get successes() {
      return successes
    },
    async run(call) {
      const began = circuit.enter()
      if (began === undefined) throw refusal(name, circuit.retryAfterMs())
      try {
        const outcome = await call()
        successes += 1
        circuit.settle(began, 'success')
        return outcome
      } catch (error) {
        const fault = isFault(error)
        if (fault) failures += 1
        circuit.settle(began, fault ? 'fault' : 'neither')
        throw error
      }
    },
  }
}

const refusal = (name: string, retryAfterMs: number) =>
  new Problem(
    'unavailable',
    'circuit_open',
    `${name} keeps failing, so calls are paused for a moment. Try again later`,
    { retryAfterMs },
  )
