import { definedFields } from '../core/defined-fields.ts'
import { existing, missing, Problem } from '../core/errors.ts'
import { rowPages } from '../core/page.ts'
import type { Principal } from '../core/principal.ts'
import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { AnyWrite, Store, Write } from '../ports/store.ts'
import { type RunnerRow, runnerId, runners } from './rows.ts'
import { PROTOCOL, type RegisterRunner, type Runner } from './schema.ts'

/** A runner that was not heard of for this long counts as offline: two polls and a half. */
const OFFLINE_MS = 60_000
/** A runner renews a claim at least this often, of a long lease too. */
const LONGEST_HEARTBEAT_MS = 20_000
/** The last sign of a runner that changed nothing else is stored this often. */
const SEEN_WRITE_MS = 10_000
/** A runner that was not heard of for this long is forgotten. */
const FORGOTTEN_MS = 86_400_000
/** Of more that are offline, those that were heard of longest ago are forgotten earlier: each run of `--once` may be one. */
const MOST_OFFLINE = 200
const MOST_RUNNERS = 500
/** Other registrations of the same name may come between. */
const TRIES = 5

type Needs = {
  store: Store
  clock: Clock
  tokens: {
    exists(tokenId: string): Promise<boolean>
    /** Writes that bind a token to a runner, and fail where it is bound to another one; none for a token of many runners. */
    bindings(tokenId: string, runner: string): AnyWrite[]
    /** The runner that a token is bound to. */
    runnerOf(tokenId: string): Promise<string | undefined>
    remove(tokenId: string): Promise<unknown>
    /** Whether any number of runners have the token: it is not removed with one of them. */
    isOfMany(tokenId: string): boolean
  }
  leaseMs: number
  /** The most bytes of an outcome; absent where the route alone limits it. */
  mostBodyBytes?: number | undefined
  /** Throws Problem `invalid` where runners get no tasks. */
  refuseIfOff: () => void
  /** Of the service. */
  version: string
  audit: (principal: Principal, action: string, details: object) => Promise<void>
}

export type Registry = ReturnType<typeof createRegistry>

/** The runners of this installation: each is one name, bound to one API token. */
export const createRegistry = (needs: Needs) => {
  const { store, clock, tokens, leaseMs, mostBodyBytes, refuseIfOff, version, audit } = needs
  const isOnline = ({ lastSeenAt }: RunnerRow) => Date.parse(lastSeenAt) > clock.now() - OFFLINE_MS

  const publicFields = ({
    tokenId: _token,
    registration: _number,
    polls: _polls,
    answered: _answered,
    latest: _latest,
    takesNone,
    removedAt: _removed,
    ...runner
  }: RunnerRow): Omit<Runner, 'status'> => ({ ...runner, drained: takesNone === true })

  const toStatus = (row: RunnerRow): Runner['status'] => {
    if (row.removedAt !== undefined) return 'removed'
    if (!isOnline(row)) return 'offline'
    return row.takesNone ? 'draining' : 'online'
  }

  const toRunner = (row: RunnerRow): Runner => ({ ...publicFields(row), status: toStatus(row) })

  const stored = async (): Promise<readonly Readonly<RunnerRow>[]> =>
    (await store.page(runners, { index: 'newest', order: 'desc', limit: MOST_RUNNERS })).rows

  const all = async () => (await stored()).filter(({ removedAt }) => removedAt === undefined)

  /** Throws Problem `invalid` where an admin has removed the runner. That it tries is noted: it is not forgotten. */
  const refuseRemoved = async (row: RunnerRow | undefined, tokenId: string): Promise<void> => {
    if (row?.removedAt === undefined || row.tokenId !== tokenId) return
    await seen(row, [])
    throw new Problem(
      'invalid',
      'runner_removed',
      `The runner ${row.name} was removed by an admin. Choose another name, or ask an admin to allow it again`,
    )
  }

  /** Throws Problem `invalid` where another token has the name, and still exists. */
  const refuseTakenName = async (row: RunnerRow | undefined, name: string, tokenId: string) => {
    if (row === undefined || row.tokenId === tokenId || row.removedAt !== undefined) return
    if (!(await tokens.exists(row.tokenId))) return
    throw new Problem(
      'invalid',
      'runner_name_taken',
      `Another runner is registered as ${name}. Choose another name, or remove that runner first`,
    )
  }

  const write = async (tokenId: string, next: RunnerRow, before: RunnerRow | undefined): Promise<boolean> => {
    const head: Write<RunnerRow> =
      before === undefined
        ? { insert: runners, row: next }
        : {
            update: runners,
            key: next.id,
            // An admin may remove it at this moment.
            when: { registration: before.registration, removedAt: before.removedAt ?? null },
            set: next,
            unset: ['removedAt'],
          }
    const outcome = await store.commit<RunnerRow>(head, tokens.bindings(tokenId, next.name))
    if (outcome.applied) return true
    if (outcome.refused === 0) return false
    const name = await tokens.runnerOf(tokenId)
    if (name === undefined) throw new Problem('unauthenticated', 'invalid_token', 'This API token is invalid')
    throw new Problem(
      'invalid',
      'token_bound',
      `This API token belongs to the runner ${name}. Create another one for ${next.name}`,
    )
  }

  /** Registers the runner of a token. Throws Problem `invalid` for a name or token of another runner, and where runners are off. */
  const register = async ({ tokenId = '', userId }: Principal, wanted: RegisterRunner) => {
    refuseIfOff()
    const { protocol, ...facts } = wanted
    if (protocol !== PROTOCOL) throw otherProtocol(protocol, wanted.version, version)
    const id = runnerId(wanted.name)
    for (let tries = 0; tries < TRIES; tries += 1) {
      const before = await store.get(runners, id)
      await refuseRemoved(before, tokenId)
      await refuseTakenName(before, wanted.name, tokenId)
      const now = iso(clock.now())
      const next: RunnerRow = {
        ...facts,
        id,
        tokenId,
        userId,
        running: [],
        registration: (before?.registration ?? 0) + 1,
        registeredAt: before?.registeredAt ?? now,
        lastSeenAt: now,
        ...definedFields({ takesNone: before?.takesNone }),
      }
      if (await write(tokenId, next, before)) {
        return {
          runner: toRunner(next),
          registration: next.registration,
          ...definedFields({ mostBodyBytes }),
          heartbeatMs: Math.min(LONGEST_HEARTBEAT_MS, Math.floor(leaseMs / 3)),
          protocol: PROTOCOL,
          version,
          now,
        }
      }
    }
    throw new Problem('unavailable', 'runner_busy', 'The runner is being registered. Try again')
  }

  /** The runner of a token. Throws Problem `missing` for one that is not registered, or that another token has. */
  const find = async ({ tokenId }: Principal, id: string): Promise<RunnerRow> => {
    const row = await store.get(runners, id)
    if (row === undefined || row.tokenId !== tokenId || row.removedAt !== undefined) throw missing('Runner')
    return row
  }

  /** Notes that a runner was heard of, and what it runs. */
  const seen = async (row: RunnerRow, running: readonly string[]): Promise<void> => {
    const now = clock.now()
    const isSame = running.length === row.running.length && running.every((id) => row.running.includes(id))
    if (isSame && now - Date.parse(row.lastSeenAt) < SEEN_WRITE_MS) return
    await store.commit<RunnerRow>({
      update: runners,
      key: row.id,
      when: { registration: row.registration },
      set: { lastSeenAt: iso(now), running: [...running] },
    })
  }

  return {
    register,
    find,
    seen,
    /** All runners that are not removed, also those that were not heard of for long. */
    all,
    /** The runners that take tasks. */
    takers: async (): Promise<readonly Readonly<RunnerRow>[]> =>
      (await all()).filter((row) => isOnline(row) && row.takesNone === undefined),
    list: async () => {
      const list = (await stored()).map(toRunner)
      return { runners: list, total: list.length }
    },
    /**
     * Forgets runners that were not heard of for long. One that drains stays, since that is the decision of an admin, and
     * one that was removed for as long as it tries to register. Call it by the clock.
     */
    forgetOld: async (): Promise<void> => {
      const away: RunnerRow[] = []
      const oldest = { index: 'newest', order: 'asc', limit: MOST_RUNNERS } as const
      for await (const rows of rowPages((from) => store.page(runners, { ...oldest, ...from })))
        away.push(...rows.filter((row) => !isOnline(row)))
      away.sort((a, b) => (a.lastSeenAt < b.lastSeenAt ? 1 : -1))
      const isOld = ({ lastSeenAt }: RunnerRow) => Date.parse(lastSeenAt) <= clock.now() - FORGOTTEN_MS
      const isForgotten = (row: RunnerRow, place: number) =>
        row.removedAt === undefined
          ? row.takesNone === undefined && (isOld(row) || place >= MOST_OFFLINE)
          : isOld(row)
      for (const { id: key, lastSeenAt } of away.filter(isForgotten))
        await store.commit<RunnerRow>({ remove: runners, key, when: { lastSeenAt } })
    },
    drain: async (principal: Principal, id: string, draining: boolean): Promise<Runner> => {
      const change = draining
        ? { set: { takesNone: true as const } }
        : { unset: ['takesNone', 'removedAt'] as const }
      const { row } = await store.commit<RunnerRow>({ update: runners, key: id, ...change })
      const { name } = existing(row, 'Runner')
      await audit(principal, draining ? 'runner.drain' : 'runner.undrain', { id, name })
      return toRunner(existing(row, 'Runner'))
    },
    /** Removes a runner, so that it is refused from now on: with its token, or by a note where others have that too. */
    remove: async (principal: Principal, id: string): Promise<void> => {
      const { name, tokenId } = existing(await store.get(runners, id), 'Runner')
      if (tokens.isOfMany(tokenId)) {
        const set = { removedAt: iso(clock.now()), running: [] }
        await store.commit<RunnerRow>({ update: runners, key: id, set })
      } else {
        await tokens.remove(tokenId)
        await store.commit<RunnerRow>({ remove: runners, key: id })
      }
      await audit(principal, 'runner.remove', { id, name, tokenId })
    },
  }
}

const otherProtocol = (protocol: number, runner: string, service: string) =>
  new Problem(
    'invalid',
    'runner_protocol',
    protocol > PROTOCOL
      ? `The runner (${runner}) is newer than this service (${service}). Update the service first`
      : `The runner (${runner}) is older than this service (${service}) supports. Update the runner`,
  )
