import { Problem } from '../core/errors.ts'
import { retry } from '../core/retry.ts'
import { leaseHolds } from '../core/wrong-clock.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { Store, Update } from '../ports/store.ts'
import type { LinkedAccounts, StoredTokens } from './linked-accounts.ts'
import type { Provider, Tokens } from './provider.ts'
import { type LinkedAccountRow, linkedAccounts } from './rows.ts'

type Needs = {
  store: Store
  clock: Clock
  log: Log
  accounts: Pick<LinkedAccounts, 'get' | 'openTokens' | 'tokenFields'>
}

/** A token that expires within this time is renewed before it is used. */
const DUE_MS = 60_000
/** Longer than a request to a provider and the write of its result. */
const CLAIM_MS = 20_000
const LOOK_AGAIN_MS = 100

/** The valid access token of an account; undefined when it is not linked any more. */
export type WorkingToken = (id: string, provider: Provider) => Promise<string | undefined>

type Change = Pick<Update<LinkedAccountRow>, 'set' | 'unset'>
/** The result of one read of the row: a token, or none; undefined when the row has changed meanwhile. */
type TokenRead = { token: string | undefined } | undefined

/**
 * Valid tokens. A refresh token may work only once, so one caller of all processes renews: the one whose conditional
 * write claims the row. The others wait for the row to change. New tokens are stored before they are used. After a death
 * in between the claim expires and the old refresh token is tried once more: providers with a grace period accept it;
 * with the others the account has to be linked again.
 */
export const createRenewal = ({ store, clock, log, accounts }: Needs): WorkingToken => {
  // Callers in this process share one renewal, so that not each of them reads storage.
  const underWay = new Map<string, Promise<string | undefined>>()

  /** Changes the row that was read; false when another process changed it first. */
  const change = async ({ id: key, version }: LinkedAccountRow, changes: Change): Promise<boolean> => {
    const update = { update: linkedAccounts, key, when: { version }, add: { version: 1 }, ...changes }
    return (await store.commit<LinkedAccountRow>(update)).applied
  }
  const changeSurely = (row: LinkedAccountRow, changes: Change) => retry(() => change(row, changes), clock)

  const isWorking = ({ tokensExpireAt = Number.POSITIVE_INFINITY }: LinkedAccountRow, leastMs: number) =>
    tokensExpireAt - leastMs > clock.now()

  const claim = async (row: LinkedAccountRow): Promise<boolean> =>
    !leaseHolds(row.renewingUntil ?? 0, CLAIM_MS, clock.now()) &&
    change(row, { set: { renewingUntil: clock.now() + CLAIM_MS } })

  const renewed = async (
    row: LinkedAccountRow,
    tokens: StoredTokens,
    provider: Provider,
  ): Promise<TokenRead> => {
    const answer = await ask(row, tokens, provider)
    if (answer === 'later') return { token: tokens.accessToken }
    if (answer !== 'ended') return keep(row, { ...tokens, ...answer }, provider)
    log.info({ provider: provider.name, userId: row.userId }, 'a linked account gives no tokens any more')
    await changeSurely(row, { set: { ended: true }, unset: ['tokens', 'tokensExpireAt', 'renewingUntil'] })
    return undefined
  }

  /** `later` when the provider cannot be reached and the present token is still valid for a while. */
  const ask = async (row: LinkedAccountRow, { refreshToken }: StoredTokens, provider: Provider) => {
    if (refreshToken === undefined || provider.renew === undefined) return 'ended'
    try {
      return await provider.renew(refreshToken)
    } catch (thrown) {
      // Allows the next caller to try again at once.
      await change(row, { unset: ['renewingUntil'] })
      if (isWorking(row, 0)) return 'later'
      throw thrown
    }
  }

  const keep = async (row: LinkedAccountRow, tokens: Tokens, provider: Provider): Promise<TokenRead> => {
    const set = await accounts.tokenFields(tokens, row.id, row.userId)
    const unset: NonNullable<Change['unset']> =
      set.tokensExpireAt === undefined ? ['renewingUntil', 'tokensExpireAt'] : ['renewingUntil']
    if (await changeSurely(row, { set, unset })) return { token: tokens.accessToken }
    // The account was unlinked during the renewal: these tokens are stored nowhere else.
    if ((await accounts.get(row.id)) === undefined) await provider.revoke?.(tokens)
    return undefined
  }

  const look = async (id: string, provider: Provider): Promise<TokenRead> => {
    const row = await accounts.get(id)
    if (row?.ended) throw connectionExpired()
    const tokens = row && (await accounts.openTokens(row))
    if (row === undefined || tokens === undefined) return { token: undefined }
    if (isWorking(row, tokens.refreshToken === undefined ? 0 : DUE_MS)) return { token: tokens.accessToken }
    if (await claim(row)) return renewed({ ...row, version: row.version + 1 }, tokens, provider)
    await new Promise<void>((resolve) => clock.after(LOOK_AGAIN_MS, resolve))
    return undefined
  }

  const work = async (id: string, provider: Provider): Promise<string | undefined> => {
    for (;;) {
      const result = await look(id, provider)
      if (result) return result.token
    }
  }

  return (id, provider) => {
    const shared = underWay.get(id)
    if (shared) return shared
    const renewal = work(id, provider).finally(() => underWay.delete(id))
    underWay.set(id, renewal)
    return renewal
  }
}

const connectionExpired = () =>
  new Problem('invalid', 'connection_expired', 'The linked account has lost access. Link it again')
