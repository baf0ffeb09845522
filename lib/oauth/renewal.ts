import { Problem } from '../core/errors.ts'
import { retry } from '../core/retry.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { Store, Update } from '../ports/store.ts'
import type { KeptTokens, LinkedAccounts } from './linked-accounts.ts'
import type { Provider, Tokens } from './provider.ts'
import { type LinkedAccountRow, linkedAccounts } from './rows.ts'

type Needs = {
  store: Store
  clock: Clock
  log: Log
  accounts: Pick<LinkedAccounts, 'get' | 'openTokens' | 'tokenFields'>
}

/** A token that is about to expire is renewed before it is used. */
const DUE_MS = 60_000
/** Longer than a request to a provider, and storing what came of it, may take. */
const CLAIM_MS = 20_000
const LOOK_AGAIN_MS = 100

/** The working access token of the account with that id; undefined when it is not linked any more. */
export type WorkingToken = (id: string, provider: Provider) => Promise<string | undefined>

type Change = Pick<Update<LinkedAccountRow>, 'set' | 'unset'>
/** What one look at the row came to: a token, or that there is none; undefined when the row says more by now. */
type Found = { token: string | undefined } | undefined

/**
 * Tokens that work. Refresh tokens may work only once, so one caller of all processes renews: whose conditional write
 * claims the row. The others wait for the row to change. New tokens are stored before they are handed out. After a death
 * in between the claim runs out and the old refresh token is tried once more: providers with a grace period take it;
 * with the others the account has to be linked again.
 */
export const createRenewal = ({ store, clock, log, accounts }: Needs): WorkingToken => {
  // Callers of this process wait for one another, without asking storage each.
  const underWay = new Map<string, Promise<string | undefined>>()

  /** Changes the row as it was read; false when another process changed it first. */
  const change = async ({ id: key, version }: LinkedAccountRow, changes: Change): Promise<boolean> => {
    const update = { update: linkedAccounts, key, when: { version }, add: { version: 1 }, ...changes }
    return (await store.commit<LinkedAccountRow>(update)).applied
  }
  const changeSurely = (row: LinkedAccountRow, changes: Change) => retry(() => change(row, changes), clock)

  const isWorking = ({ tokensExpireAt = Number.POSITIVE_INFINITY }: LinkedAccountRow, leastMs: number) =>
    tokensExpireAt - leastMs > clock.now()

  const claim = async (row: LinkedAccountRow): Promise<boolean> =>
    (row.renewingUntil ?? 0) <= clock.now() && change(row, { set: { renewingUntil: clock.now() + CLAIM_MS } })

  const renewed = async (row: LinkedAccountRow, tokens: KeptTokens, provider: Provider): Promise<Found> => {
    const answer = await ask(row, tokens, provider)
    if (answer === 'later') return { token: tokens.accessToken }
    if (answer !== 'ended') return keep(row, { ...tokens, ...answer }, provider)
    log.info({ provider: provider.name, userId: row.userId }, 'a linked account gives no tokens any more')
    await changeSurely(row, { set: { ended: true }, unset: ['tokens', 'tokensExpireAt', 'renewingUntil'] })
    return undefined
  }

  /** `later` when the provider cannot be asked, and the token there is works a little longer. */
  const ask = async (row: LinkedAccountRow, { refreshToken }: KeptTokens, provider: Provider) => {
    if (refreshToken === undefined || provider.renew === undefined) return 'ended'
    try {
      return await provider.renew(refreshToken)
    } catch (thrown) {
      // The next caller may try again at once.
      await change(row, { unset: ['renewingUntil'] })
      if (isWorking(row, 0)) return 'later'
      throw thrown
    }
  }

  const keep = async (row: LinkedAccountRow, tokens: Tokens, provider: Provider): Promise<Found> => {
    const set = await accounts.tokenFields(tokens, row.id, row.userId)
    const expires = set.tokensExpireAt !== undefined
    const unset: Change['unset'] = expires ? ['renewingUntil'] : ['renewingUntil', 'tokensExpireAt']
    if (await changeSurely(row, { set, ...(unset && { unset }) })) return { token: tokens.accessToken }
    // Unlinked while it was renewed: these tokens are stored nowhere else.
    if ((await accounts.get(row.id)) === undefined) await provider.revoke?.(tokens)
    return undefined
  }

  const look = async (id: string, provider: Provider): Promise<Found> => {
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
      const found = await look(id, provider)
      if (found) return found.token
    }
  }

  return (id, provider) => {
    const known = underWay.get(id)
    if (known) return known
    const asked = work(id, provider).finally(() => underWay.delete(id))
    underWay.set(id, asked)
    return asked
  }
}

const connectionExpired = () =>
  new Problem(
    'invalid',
    'connection_expired',
    'The provider gives no access to the linked account any more: link it again',
  )
