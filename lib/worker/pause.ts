import { retry } from '../core/retry.ts'
import type { WaitingCall } from '../ports/agent.ts'
import type { Clock } from '../ports/clock.ts'
import type { Leased, LeasedRun, LeaseWrites } from './active.ts'
import type { Slot } from './slots.ts'

/** A timer that can stand still. */
export const createTimer = (clock: Clock, ms: number, ring: () => void) => {
  let left = ms
  let startedAt = 0
  let cancel: (() => void) | undefined
  const pause = () => {
    if (cancel === undefined) return
    cancel()
    cancel = undefined
    left -= clock.monotonic() - startedAt
  }
  const start = () => {
    if (cancel !== undefined) return
    startedAt = clock.monotonic()
    cancel = clock.after(Math.max(0, left), ring)
  }
  start()
  return { pause, start }
}

type Needs = {
  run: LeasedRun
  slot: Slot
  timer: ReturnType<typeof createTimer>
  lease: Pick<LeaseWrites, 'pause' | 'unpause'>
  clock: Clock
}

/**
 * The waits of one run that lives on meanwhile: the task says what it waits for, its slot is free for other runs, and its
 * time limit stands still. Several calls may wait at once.
 */
export const createPauses = ({ run, slot, timer, lease, clock }: Needs) => {
  const open = new Map<string, WaitingCall>()
  /** The writes are made one after the other; one that failed holds up no later one. */
  let written: Promise<void> | undefined
  let isOver = false

  const store = (change: (leased: Leased) => Promise<Leased | undefined>): Promise<void> => {
    const write = async () => {
      const row = await retry(() => change(run.task), clock)
      if (row === undefined) run.stop('lost')
      else run.task = row
    }
    const next = written === undefined ? write() : written.then(write)
    written = next.catch(() => undefined)
    return next
  }

  const noteWaits = () => {
    const approvals = [...open.values()]
    const names = [...new Set(approvals.map(({ name }) => name))].join(', ')
    return store((leased) => lease.pause(leased, { message: `Waiting for approval of ${names}`, approvals }))
  }

  const goOn = async () => {
    await store(lease.unpause)
    await slot.take()
    if (isOver) return
    // Another call has begun to wait meanwhile.
    if (open.size > 0) return slot.giveUp()
    timer.start()
  }

  return {
    waitFor: async <T>(call: WaitingCall, work: () => Promise<T>): Promise<T> => {
      if (isOver) return work()
      open.set(call.approvalId, call)
      timer.pause()
      slot.giveUp()
      try {
        await noteWaits()
        return await work()
      } finally {
        open.delete(call.approvalId)
        // The end of a run ends its waits.
        if (!isOver) await (open.size > 0 ? noteWaits() : goOn())
      }
    },
    /** The run has ended. Resolves when its waits are written as they were: the end is written after them. */
    end: (): Promise<void> | undefined => {
      isOver = true
      return written
    },
  }
}
