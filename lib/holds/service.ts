import { busyError } from '../core/contention.ts'
import { errorMessage, missing } from '../core/errors.ts'
import type { Actor } from '../core/principal.ts'
import { iso } from '../core/time.ts'
import { createVersionedRow } from '../core/versioned-row.ts'
import type { Clock } from '../ports/clock.ts'
import type { Entropy } from '../ports/entropy.ts'
import type { Ids } from '../ports/ids.ts'
import type { Log } from '../ports/log.ts'
import type { ProviderLimits } from '../ports/provider-limits.ts'
import type { Store } from '../ports/store.ts'
import { HOLDS_ID, type HoldsRow, holdsRows, type StoredHold } from './rows.ts'
import type { Hold } from './schema.ts'

type Needs = {
  processes: 'one' | 'many'
  store: Store
  clock: Clock
  entropy: Entropy
  ids: Ids
  log: Log
}

/** How old the holds that a process knows may be where other processes change them too. */
const STALE_AFTER_MS = 2_000
/** Two limits that end so close to each other are one: runs that are refused together write once. */
const SAME_MS = 60_000
/** A probe that has not called its provider for so long is replaced by another one. */
const LONGEST_PROBE_MS = 600_000

const NONE: HoldsRow = { id: HOLDS_ID, version: 0, holds: [] }

export type Holds = ReturnType<typeof createHolds>

/**
 * Providers whose usage limit was reached, as calls of them were answered. A hold ends in three steps: at its `until`
 * one task, the probe, may start; when a call of the provider is answered, the hold is removed; then the other tasks
 * start. A hold that is refused again has a new end.
 */
export const createHolds = ({ processes, ...needs }: Needs) => {
  const { clock, ids, log } = needs
  const cached = createVersionedRow<HoldsRow>(needs, {
    of: holdsRows,
    first: NONE,
    staleAfterMs: processes === 'many' ? STALE_AFTER_MS : Number.POSITIVE_INFINITY,
    busy: () => busyError('holds_busy', 'Someone else is changing the holds. Try again'),
  })

  const holdFor = (provider: string, { holds } = cached.row()): StoredHold | undefined =>
    holds.find((hold) => hold.provider === provider)
  const isDue = ({ until }: StoredHold): boolean => Date.parse(until) <= clock.now()

  /** Replaces or removes the hold of an id; `change` gives undefined to leave it as it is. */
  const changeHold = (id: string, change: (hold: StoredHold) => StoredHold | 'removed' | undefined) =>
    cached.change(({ holds }) => {
      const hold = holds.find((one) => one.id === id)
      const next = hold && change(hold)
      if (next === undefined) return undefined
      const rest = holds.filter((one) => one.id !== id)
      return { set: { holds: next === 'removed' ? rest : [...rest, next] } }
    })

  const limited: ProviderLimits['limited'] = async (provider, { reason, retryAfterMs }) => {
    const untilMs = clock.now() + retryAfterMs
    try {
      await cached.change((row) => {
        const current = holdFor(provider, row)
        const isProbed = current !== undefined && isDue(current)
        if (current !== undefined && !isProbed && Date.parse(current.until) > untilMs - SAME_MS)
          return undefined
        const hold = { id: current?.id ?? ids.next('hold'), provider, reason, until: iso(untilMs) }
        log.warn({ provider, until: hold.until, reason }, 'the provider is held: its usage limit was reached')
        return { set: { holds: [...row.holds.filter((one) => one !== current), hold] } }
      })
    } catch (thrown) {
      log.warn({ provider, reason: errorMessage(thrown) }, 'a hold was not stored')
    }
  }

  const end = async (hold: StoredHold): Promise<void> => {
    await changeHold(hold.id, (now) => (isDue(now) ? 'removed' : undefined))
    log.info({ provider: hold.provider }, 'the provider answers again: its hold has ended')
  }

  const answered: ProviderLimits['answered'] = (provider) => {
    const hold = holdFor(provider)
    // Other models of the provider may answer while one of them is limited.
    if (hold === undefined || !isDue(hold)) return
    end(hold).catch((thrown) =>
      log.warn({ provider, reason: errorMessage(thrown) }, 'the end of a hold was not stored'),
    )
  }

  /** Whether a task is the probe of a hold that is due, or has become it. */
  const isProbe = async ({ id, provider, probe }: StoredHold, taskId: string): Promise<boolean> => {
    if (probe !== undefined) return probe.taskId === taskId
    const row = await changeHold(id, (hold) =>
      isDue(hold) && hold.probe === undefined
        ? { ...hold, probe: { taskId, at: iso(clock.now()) } }
        : undefined,
    )
    const hold = holdFor(provider, row)
    return hold === undefined || (isDue(hold) && hold.probe?.taskId === taskId)
  }

  /**
   * The hold for which a task has to wait whose agent works with any of these providers; undefined when it may start. One
   * that may start while its provider is held is the probe.
   */
  const holdingBack = async (
    providers: readonly string[],
    taskId: string,
  ): Promise<StoredHold | undefined> => {
    await cached.refresh()
    const holds = providers.map((provider) => holdFor(provider)).filter((hold) => hold !== undefined)
    const [first] = holds.toSorted((a, b) => (a.until < b.until ? -1 : 1))
    if (first === undefined || holds.length < providers.length) return undefined
    for (const hold of holds.filter(isDue)) if (await isProbe(hold, taskId)) return undefined
    return holdFor(first.provider)
  }

  /**
   * Ends or replaces probes that have ended without a call of their provider. `stateOf` tells whether a task still runs or
   * is queued, has completed, or neither.
   */
  const settleProbes = async (
    stateOf: (taskId: string) => Promise<'active' | 'completed' | 'over'>,
  ): Promise<void> => {
    await cached.refresh()
    for (const { id, probe } of cached.row().holds) {
      if (probe === undefined) continue
      const state = await stateOf(probe.taskId)
      const isLate = Date.parse(probe.at) < clock.now() - LONGEST_PROBE_MS
      if (state === 'active' && !isLate) continue
      await changeHold(id, ({ probe: current, ...hold }) => {
        if (current?.taskId !== probe.taskId) return undefined
        return state === 'completed' ? 'removed' : hold
      })
    }
  }

  /** Removes the holds that are due where no task waits to try the provider: the next call of it shows how it is. */
  const removeUnused = async (isWaitedFor: (provider: string) => boolean): Promise<void> => {
    for (const { id, provider, probe } of cached.row().holds.filter(isDue))
      if (probe === undefined && !isWaitedFor(provider))
        await changeHold(id, (hold) => (isDue(hold) && hold.probe === undefined ? 'removed' : undefined))
  }

  return {
    limited,
    answered,
    holdingBack,
    settleProbes,
    removeUnused,
    refresh: cached.refresh,
    load: cached.load,
    /** The holds as this process last read or changed them. */
    lastRead: (): readonly StoredHold[] => cached.row().holds,
    version: (): number => cached.row().version,
    isDue,
    /** Removes a hold; resolves to it, undefined when there was none. */
    remove: async (id: string): Promise<StoredHold | undefined> => {
      let removed: StoredHold | undefined
      await changeHold(id, (hold) => {
        removed = hold
        return 'removed'
      })
      return removed
    },
  }
}

type VerbNeeds = {
  holds: Pick<Holds, 'load' | 'remove'>
  /** The tasks that wait for the hold of each provider. */
  waiting: () => Promise<Readonly<Record<string, number>>>
  audit: (actor: Actor, action: string, details: object) => Promise<void>
}

export type HoldVerbs = ReturnType<typeof createHoldVerbs>

/** What people see and do of holds. */
export const createHoldVerbs = ({ holds, waiting, audit }: VerbNeeds) => ({
  list: async (): Promise<Hold[]> => {
    const [row, counts] = await Promise.all([holds.load(), waiting()])
    return [...row.holds]
      .sort((a, b) => (a.until < b.until ? -1 : 1))
      .map(({ probe: _, ...hold }) => ({ ...hold, waiting: Math.max(0, counts[hold.provider] ?? 0) }))
  },
  /** Removes a hold, so that the tasks start that wait for it. Throws Problem `missing`. */
  remove: async (actor: Actor, id: string): Promise<void> => {
    const hold = await holds.remove(id)
    if (hold === undefined) throw missing('Hold')
    await audit(actor, 'hold.remove', { id, provider: hold.provider, until: hold.until })
  },
})
