import { getOrCreate } from '../core/get-or-create.ts'
import type { Store } from '../ports/store.ts'
import type { Registry } from './registry.ts'
import { type RunnerRow, runners } from './rows.ts'

type ClaimKey = { taskId: string; fence: number }

/** A poll of a runner that has begun, and the claims that were answered to earlier ones. */
type Begun = { poll: number; answered: readonly ClaimKey[] }

/**
 * The polls of runners, one at a time of each: a later poll replaces an earlier one, whose runner may be gone without that
 * being seen. A claim that was answered is kept until the next poll, which says whether its runner knows of it.
 */
export type Polls = {
  /** The most claims that one poll answers. */
  readonly mostClaims: number
  /** `number` is the runner's own of its polls. Undefined for a poll that comes after a later one, where that is known here. */
  begin(runner: RunnerRow, running: readonly string[], number?: number): Promise<Begun | undefined>
  /** Keeps a claim that a poll is about to answer. False where a later poll has begun, or the runner was replaced. */
  keep(runner: RunnerRow, poll: number, claim: ClaimKey): Promise<boolean>
}

/** In one process, which sees a connection end: a poll whose runner has gone is over. */
export const createMemoryPolls = (registry: Pick<Registry, 'seen'>): Polls => {
  const kept = new Map<string, ClaimKey[]>()
  return {
    mostClaims: Number.POSITIVE_INFINITY,
    begin: async (runner, running) => {
      await registry.seen(runner, running)
      const answered = kept.get(runner.id) ?? []
      kept.delete(runner.id)
      return { poll: 0, answered }
    },
    keep: async ({ id }, _poll, claim) => {
      getOrCreate(kept, id, (): ClaimKey[] => []).push(claim)
      return true
    },
  }
}

/** Where processes are many: in the row of the runner. */
export const createStoredPolls = (store: Pick<Store, 'commit'>, registry: Pick<Registry, 'seen'>): Polls => ({
  // A row has room for one, and an answer of a function has 6 MB.
  mostClaims: 1,
  begin: async (runner, running, number) => {
    const { registration, latest } = runner
    const isLate = number !== undefined && latest?.registration === registration && latest.number >= number
    if (isLate) return undefined
    await registry.seen(runner, running)
    const { row } = await store.commit<RunnerRow>(
      {
        update: runners,
        key: runner.id,
        when: { registration },
        add: { polls: 1 },
        ...(number !== undefined && { set: { latest: { registration, number } } }),
      },
      [],
      true,
    )
    const { polls = 0, answered } = row ?? {}
    return { poll: polls, answered: answered?.poll === polls - 1 ? [answered] : [] }
  },
  keep: async ({ id, registration }, poll, claim) => {
    const when = { registration, polls: poll }
    const set = { answered: { ...claim, poll } }
    return (await store.commit<RunnerRow>({ update: runners, key: id, when, set })).applied
  },
})
